import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A real S3 server, for this machine only: Ceph's object gateway with a monitor, a manager and one in-memory object
 * store, as packaged by Debian. Unlike stand-ins, it verifies signatures and enforces conditional requests.
 */
export interface ObjectGateway {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  stop(): Promise<void>;
}

const UP_MS = 120_000;
const LOOK_MS = 250;

export async function startObjectGateway(): Promise<ObjectGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-gateway-'));
  const running: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const child of running.reverse()) {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGKILL');
        await ended;
      }
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [monitor, web] = await Promise.all([freePort(), freePort()]);
    const conf = join(folder, 'ceph.conf');
    const run = (program: string, ...args: readonly string[]): string =>
      execFileSync(program, [...args], {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        timeout: UP_MS,
      });
    const start = (program: string, ...args: readonly string[]): void => {
      running.push(spawn(program, ['-f', '-c', conf, ...args], { cwd: folder, stdio: 'ignore' }));
    };
    for (const name of ['mon', 'mgr-x', 'osd-0', 'run', 'log', 'gateway']) mkdirSync(join(folder, name));
    const cluster = randomUUID();
    writeFileSync(conf, configuration(folder, cluster, monitor, web));
    makeKeys(folder, run);
    run('monmaptool', '--create', '--addv', 'a', `[v2:127.0.0.1:${monitor}]`, '--fsid', cluster, 'monmap');
    run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', 'monmap', '--keyring', 'keyring', '-c', conf);
    start('ceph-mon', '-i', 'a');
    start('ceph-mgr', '-i', 'x');
    const store = randomUUID();
    run('ceph', '-c', conf, '--connect-timeout', '60', 'osd', 'new', store);
    run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', store, '-c', conf);
    start('ceph-osd', '-i', '0');
    await until(() => run('ceph', '-c', conf, 'osd', 'stat').includes('1 up'));
    start('radosgw', '-n', 'client.rgw.a');
    const endpoint = `http://127.0.0.1:${web}`;
    await until(async () => (await fetch(endpoint)).status === 200);
    const accessKeyId = 'SAVEPOINTTEST';
    const secretAccessKey = randomUUID();
    const user = [
      '--uid=test',
      '--display-name=test',
      `--access-key=${accessKeyId}`,
      `--secret-key=${secretAccessKey}`,
    ];
    run('radosgw-admin', '-c', conf, 'user', 'create', ...user);
    return { endpoint, accessKeyId, secretAccessKey, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function configuration(folder: string, cluster: string, monitor: number, web: number): string {
  const options: Readonly<Record<string, string | number>> = {
    fsid: cluster,
    'mon host': `v2:127.0.0.1:${monitor}`,
    'public addr': '127.0.0.1',
    'cluster addr': '127.0.0.1',
    keyring: join(folder, 'keyring'),
    'mon data': join(folder, 'mon'),
    'mgr data': join(folder, 'mgr-$id'),
    'osd data': join(folder, 'osd-$id'),
    'rgw data': join(folder, 'gateway'),
    'run dir': join(folder, 'run'),
    'admin socket': join(folder, 'run/$name.asok'),
    'pid file': join(folder, 'run/$name.pid'),
    'log file': join(folder, 'log/$name.log'),
    'osd objectstore': 'memstore',
    'memstore device bytes': 1 << 30,
    'osd crush chooseleaf type': 0,
    'osd pool default size': 1,
    'osd pool default min size': 1,
    'osd pool default pg num': 4,
    'osd pool default pgp num': 4,
    'osd pool default pg autoscale mode': 'off',
    'mon allow pool size one': 'true',
    'mon max pg per osd': 1000,
    'rgw frontends': `beast endpoint=127.0.0.1:${web}`,
    'rgw dns name': '127.0.0.1',
  };
  const lines = Object.entries(options).map(([key, value]) => `${key} = ${value}\n`);
  return `[global]\n${lines.join('')}`;
}

/** Creates one file with the keys and capabilities of all daemons. */
function makeKeys(folder: string, run: (program: string, ...args: readonly string[]) => string): void {
  const keys: readonly (readonly [name: string, ...caps: readonly string[]])[] = [
    ['mon.', 'mon=allow *'],
    ['client.admin', 'mon=allow *', 'osd=allow *', 'mgr=allow *'],
    ['mgr.x', 'mon=allow *', 'osd=allow *', 'mds=allow *'],
    ['osd.0', 'mon=allow profile osd', 'mgr=allow profile osd', 'osd=allow *'],
    ['client.rgw.a', 'mon=allow *', 'osd=allow *', 'mgr=allow *'],
  ];
  const file = join(folder, 'keyring');
  for (const [index, [name, ...caps]] of keys.entries()) {
    const allowed = caps.flatMap((cap) => ['--cap', ...cap.split(/=(.*)/s).slice(0, 2)]);
    run('ceph-authtool', ...(index === 0 ? ['--create-keyring'] : []), file, '--gen-key', '-n', name, ...allowed);
  }
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + UP_MS; ; ) {
    try {
      if (await holds()) return;
    } catch {
      // It is not up yet.
    }
    if (Date.now() > end) throw new Error('The object gateway does not come up.');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
