/** Another machine as a sandbox, by the system's own `ssh`: keys, agents, jump hosts and settings are what they are there. */

import type { Ports } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import type { DiskPath } from '../model/names.ts';
import { channelSandbox } from './channel-sandbox.ts';
import { programChannel } from './program-channel.ts';
import type { Sandbox } from './sandbox.ts';

/** How the host is reached. */
export interface SshSandboxOptions {
  readonly ports: Pick<Ports, 'programs' | 'clock' | 'random'>;
  /** A name, an address, or one of your ssh configuration. */
  readonly host: string;
  readonly user?: string;
  readonly port?: number;
  /** Private key, and no other is tried. Default: as ssh is configured. */
  readonly identityFile?: string;
  /** File with the keys of hosts that are known, and no other. Default: as ssh is configured. */
  readonly knownHostsFile?: string;
  /** Further options of ssh as in its configuration, each `Name=value`. */
  readonly options?: readonly string[];
  /** The environment of ssh on this machine: it wants HOME, PATH, and SSH_AUTH_SOCK for an agent. */
  readonly env: Readonly<Record<string, string>>;
  /** Where ssh runs on this machine. */
  readonly cwd: DiskPath;
  /** The program on this machine. Default `ssh`. */
  readonly ssh?: string;
  /** Where node is on the other machine. Default `node`. */
  readonly node?: string;
}

/**
 * - Nobody is asked: no password, and a host whose key is not known is refused.
 * - The sandbox gets nothing of this machine: no agent, no display, no forwarded port, no variable of the environment.
 * - A connection that died is noticed within a minute.
 */
const OWN_OPTIONS = [
  'BatchMode=yes',
  'ForwardAgent=no',
  'ForwardX11=no',
  'ClearAllForwardings=yes',
  'PermitLocalCommand=no',
  'RequestTTY=no',
  'EscapeChar=none',
  'ConnectTimeout=30',
  'ServerAliveInterval=15',
  'ServerAliveCountMax=4',
];

/**
 * Each command has a connection of its own, unless your ssh configuration lets them share one (ControlMaster).
 * @throws SavepointError USAGE for a host, user or option that ssh would take for something else
 */
export function sshSandbox(options: SshSandboxOptions): Sandbox {
  const { ports, env, cwd, ssh = 'ssh', node } = options;
  const channel = programChannel({
    name: `ssh ${options.user === undefined ? '' : `${options.user}@`}${options.host}`,
    programs: ports.programs,
    command: [ssh, ...argumentsOf(options)],
    cwd,
    env,
  });
  return channelSandbox({ channel, ports, ...(node === undefined ? {} : { node }) });
}

function argumentsOf({ host, user, port, identityFile, knownHostsFile, options = [] }: SshSandboxOptions): string[] {
  // What a configuration hands to a shell (ProxyCommand with %h, %r) must be harmless there, too.
  assert(/^[A-Za-z0-9[:][A-Za-z0-9._:%[\]-]*$/.test(host), 'host', host);
  if (user !== undefined) assert(/^[A-Za-z0-9_][\w.@+-]*$/.test(user), 'user', user);
  if (port !== undefined) assert(Number.isInteger(port) && port > 0 && port < 65_536, 'port', String(port));
  for (const option of options) assert(/^[A-Za-z]+=[^\r\n\0]*$/.test(option), 'options', option);
  const own = [
    ...(identityFile === undefined ? [] : [`IdentityFile=${quoted(identityFile)}`, 'IdentitiesOnly=yes']),
    ...(knownHostsFile === undefined
      ? []
      : [`UserKnownHostsFile=${quoted(knownHostsFile)}`, 'GlobalKnownHostsFile=/dev/null']),
  ];
  return [
    '-T',
    // ssh takes the first of two that it is told.
    ...[...OWN_OPTIONS, ...own, ...options].flatMap((option) => ['-o', option]),
    ...(user === undefined ? [] : ['-l', user]),
    ...(port === undefined ? [] : ['-p', String(port)]),
    '--',
    host,
  ];
}

function quoted(path: string): string {
  assert(!/["\r\n\0]/.test(path), 'path', path);
  // A path is no pattern of ssh's own.
  return `"${path.replaceAll('%', '%%')}"`;
}

function assert(isGood: boolean, argument: string, given: string): void {
  if (isGood) return;
  throw new SavepointError('USAGE', `ssh cannot be given ${JSON.stringify(given)} as ${argument}.`, { argument });
}
