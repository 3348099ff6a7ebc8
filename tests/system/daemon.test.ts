import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { hookScript, main } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { claudeEvents } from '../../packages/agents/test/fixtures/claude.ts';
import { daemonProject } from '../daemon/daemon-project.ts';

/** The daemon with several accounts and several mount namespaces. Needs root, which can become any user. */

const NOBODY = 65_534;

/** Exit status of `curl` run by another account; 7 means that it could not connect. */
function curlAs(uid: number, socket: string): number | null {
  const args = ['-q', '-s', '--max-time', '5', '--unix-socket', socket, 'http://savepoint/status'];
  return spawnSync('curl', args, { uid, gid: uid, cwd: '/' }).status;
}

it('other users cannot connect, through the home or the folder of sockets', async () => {
  const p = daemonProject();
  await p.startDaemon();
  // The folders above are as open as possible. Only the daemon's own folders keep other users out.
  for (const folder of [p.base, path.join(p.base, 'run')]) fs.chmodSync(folder, 0o755);
  const folder = fs.realpathSync(p.link);
  expect(curlAs(0, path.join(folder, 's'))).toBe(0);
  expect(curlAs(NOBODY, path.join(folder, 's'))).toBe(7);
  expect(curlAs(NOBODY, path.join(p.link, 's'))).toBe(7);
  // The socket itself also refuses if the folders are open.
  for (let above = folder; above !== p.base; above = path.dirname(above)) fs.chmodSync(above, 0o755);
  expect(curlAs(NOBODY, path.join(folder, 's'))).toBe(7);
});

it('a folder of sockets that another user created is refused, and the hook works without the daemon', async () => {
  const p = daemonProject();
  const temporary = path.join(p.base, 'tmp');
  const theirs = path.join(temporary, 'savepoint-0');
  fs.mkdirSync(theirs, { recursive: true, mode: 0o700 });
  fs.chownSync(theirs, NOBODY, NOBODY);
  const env = { XDG_RUNTIME_DIR: undefined, TMPDIR: temporary };
  const e = claudeEvents(p.dir);
  expect(p.tell('claude', e.start(), { env, starts: true })).toMatchObject({ status: 0, stderr: '' });
  expect((await p.timelineLines()).length).toBe(1);
  const { status, stderr } = p.run(['daemon', 'run'], { env });
  expect(status).toBe(1);
  expect(stderr).toContain(`savepoint-0 belongs to another user (uid ${NOBODY})`);
  expect(fs.readdirSync(theirs)).toEqual([]);
});

it('a client in another mount namespace is not answered by the daemon', async () => {
  const p = daemonProject();
  p.write('a.txt', 'what everybody sees\n');
  const e = claudeEvents(p.dir);
  await p.startDaemon();
  // Another file system covers the project, in this namespace only.
  const command = [hookScript, process.execPath, main, 'hook', 'claude'].map((part) => `'${part}'`).join(' ');
  const script = `mount -t tmpfs none '${p.dir}' && echo hidden > '${p.dir}/b.txt' && ${command}`;
  const { status, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', script], {
    env: p.environment(),
    input: JSON.stringify(e.start()),
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(p.status()).toMatchObject({ running: true, events: 0 });
  expect((await p.timelineLines()).length).toBe(1);
  expect(p.run(['restore', 'cp_1', '--dry-run']).stdout).toContain('b.txt');
});
