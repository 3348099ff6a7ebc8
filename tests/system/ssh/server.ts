import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

export interface SshServer {
  readonly port: number;
  readonly user: string;
  readonly identityFile: string;
  readonly knownHostsFile: string;
  /** The contents of its log. */
  readonly log: () => string;
  end(): Promise<void>;
}

/**
 * Starts a real sshd on a free loopback port, with its own keys and settings.
 * @param settings additional lines of its configuration
 */
export async function startSshd(folder: string, settings: readonly string[] = []): Promise<SshServer> {
  const at = (name: string): string => path.join(folder, name);
  for (const name of ['host', 'identity']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', at(name)]);
  }
  fs.copyFileSync(at('identity.pub'), at('authorized'));
  fs.chmodSync(at('authorized'), 0o600);
  const port = await freePort();
  const [kind, key] = fs.readFileSync(at('host.pub'), 'utf8').split(' ');
  fs.writeFileSync(at('known'), `[127.0.0.1]:${port} ${kind} ${key}\n`);
  const lines = [
    `HostKey ${at('host')}`,
    `AuthorizedKeysFile ${at('authorized')}`,
    'ListenAddress 127.0.0.1',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'UsePAM no',
    'StrictModes no',
    'PermitRootLogin prohibit-password',
    'PidFile none',
    'MaxStartups 100',
    ...settings,
  ];
  fs.writeFileSync(at('config'), `${lines.join('\n')}\n`);
  // As root, sshd needs this folder, which Debian creates when the service starts.
  if (process.getuid?.() === 0) fs.mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const sshd = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', at('config'), '-p', String(port)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  sshd.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = once(sshd, 'exit');
  for (let tries = 0; !log.includes('Server listening'); tries++) {
    if (tries > 500 || sshd.exitCode !== null) throw new Error(`sshd does not listen:\n${log}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    port,
    user: os.userInfo().username,
    identityFile: at('identity'),
    knownHostsFile: at('known'),
    log: () => log,
    async end() {
      sshd.kill('SIGTERM');
      await ended;
    },
  };
}

/** A folder that contains only node and sh, to be used as PATH. */
export function bareTools(folder: string): string {
  const bin = path.join(folder, 'bare');
  fs.mkdirSync(bin);
  fs.symlinkSync(process.execPath, path.join(bin, 'node'));
  fs.symlinkSync('/bin/sh', path.join(bin, 'sh'));
  return bin;
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
