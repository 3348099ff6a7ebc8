/** A remote machine as a sandbox. It uses the system's `ssh`, with the user's keys, agents, jump hosts and settings. */

import { givenDiskPath } from '../io/given-path.ts';
import type { Ports } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import type { JsonName } from '../model/names.ts';
import { channelSandbox } from './channel-sandbox.ts';
import { withoutUndefinedValues } from './environment.ts';
import { programChannel } from './program-channel.ts';
import type { Sandbox } from './sandbox.ts';

/** How to reach the host. */
export interface SshSandboxOptions {
  readonly ports: Pick<Ports, 'programs' | 'clock' | 'random' | 'platform'>;
  /** A host name, an address, or a host alias of the ssh configuration. */
  readonly host: string;
  readonly user?: string;
  readonly port?: number;
  /** The only private key to try. Default: as configured for ssh. */
  readonly identityFile?: string;
  /** The only known-hosts file to use. Default: as configured for ssh. */
  readonly knownHostsFile?: string;
  /** More ssh options in the syntax of its configuration, each `Name=value`. */
  readonly options?: readonly string[];
  /** The environment of the local ssh. It needs HOME and PATH, and SSH_AUTH_SOCK to use an agent. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working directory of the local ssh. */
  readonly cwd: JsonName;
  /** The local ssh program. Default `ssh`. */
  readonly ssh?: string;
  /** Path of node on the remote machine. Default `node`. */
  readonly node?: string;
}

/**
 * - ssh never prompts: no password is asked for, and an unknown host key is refused.
 * - Nothing of the local machine is forwarded: no agent, display, port or environment variable.
 * - A dead connection is detected within a minute.
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
 * Returns a sandbox on a remote machine. Each command opens a connection, unless the ssh configuration shares one
 * (ControlMaster).
 * @throws SavepointError USAGE for a host, user or option that ssh could misinterpret
 */
export function sshSandbox(options: SshSandboxOptions): Sandbox {
  const { ports, ssh = 'ssh', node } = options;
  const cwd = givenDiskPath(ports, options.cwd);
  const env = withoutUndefinedValues(options.env);
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
  // A configuration may pass these to a shell (ProxyCommand with %h, %r), so they must be harmless there too.
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
    // For duplicate options, ssh uses the first value.
    ...[...OWN_OPTIONS, ...own, ...options].flatMap((option) => ['-o', option]),
    ...(user === undefined ? [] : ['-l', user]),
    ...(port === undefined ? [] : ['-p', String(port)]),
    '--',
    host,
  ];
}

function quoted(path: string): string {
  assert(!/["\r\n\0]/.test(path), 'path', path);
  // Escape `%`, so that ssh does not expand tokens in the path.
  return `"${path.replaceAll('%', '%%')}"`;
}

function assert(isGood: boolean, argument: string, given: string): void {
  if (isGood) return;
  throw new SavepointError('USAGE', `${JSON.stringify(given)} is not a valid ${argument} for ssh.`, { argument });
}
