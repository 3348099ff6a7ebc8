import fs from 'node:fs';
import path from 'node:path';
import { type DiskPath, type Sandbox, sshSandbox } from '@savepoint/core';
import type { SshSandboxOptions } from '@savepoint/core/ports';
import { realPorts, sandboxConformance, type World, world } from '@savepoint/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Inside } from '../../remote/inside.ts';
import { surveyInside, workInside } from '../../remote/work.ts';
import { bareTools, type SshServer, startSshd } from './server.ts';

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

/** A server for a group of tests. */
function serving(settings: (folder: string) => readonly string[]): () => Omit<SshSandboxOptions, 'host'> {
  let server: SshServer;
  let at: World;
  beforeAll(async () => {
    at = world();
    server = await startSshd(at.folder, settings(at.folder));
  });
  afterAll(async () => {
    await server.end();
    at.remove();
  });
  return () => ({
    ports: realPorts(),
    cwd: '/' as DiskPath,
    env: { PATH: process.env['PATH'] ?? '', HOME: path.join(at.folder, 'user') },
    port: server.port,
    user: server.user,
    identityFile: server.identityFile,
    knownHostsFile: server.knownHostsFile,
  });
}

const under = (options: () => Omit<SshSandboxOptions, 'host'>) => () => ({
  sandbox: sshSandbox({ ...options(), host: '127.0.0.1' }),
  folder: world(onTestFinished).workspace,
  byteNames: true,
  isRoot: process.getuid?.() === 0,
});

describe('a sandbox over ssh', () => {
  const options = serving(() => [`SetEnv PATH=${process.env['PATH']}`]);
  for (const { name, run } of sandboxConformance(under(options))) test(name, run);

  const sandboxWith = (more: Partial<SshSandboxOptions>) => sshSandbox({ ...options(), host: '127.0.0.1', ...more });
  const hello = { id: 'hello', command: ['sh', '-c', 'echo hello'] } as const;

  test('a host with an unknown key is refused without a prompt', async () => {
    const knownHostsFile = path.join(world(onTestFinished).folder, 'none');
    const failure = await sandboxWith({ knownHostsFile })
      .run(hello)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'SANDBOX_LOST', data: { began: false, sandbox: /^ssh \S+@127\.0\.0\.1$/ } });
    expect((failure as Error).message).toMatch(/Host key verification failed/);
  });

  test('a host that refuses the login, and a missing one, cannot be reached', async () => {
    const at = world(onTestFinished);
    const identityFile = path.join(at.folder, 'none');
    await expect(sandboxWith({ identityFile }).run(hello)).rejects.toMatchObject({ code: 'SANDBOX_LOST' });
    await expect(sandboxWith({ port: 1 }).run(hello)).rejects.toMatchObject({ code: 'SANDBOX_LOST' });
    await expect(sandboxWith({ ssh: 'no-such-ssh' }).run(hello)).rejects.toMatchObject({
      code: 'IO',
      data: { code: 'ENOENT', path: 'no-such-ssh' },
    });
  });

  test('a host without node is unfit', async () => {
    await expect(sandboxWith({ node: '/nowhere/node' }).run(hello)).rejects.toMatchObject({
      code: 'SANDBOX_UNFIT',
      data: { found: null },
    });
  });

  test.each(['the local ssh process', 'the remote runner'])('a broken connection is reported: %s', async (which) => {
    const at = world(onTestFinished);
    const own = path.join(at.folder, 'ssh');
    fs.writeFileSync(own, `#!/bin/sh\necho $$ > ${at.folder}/ssh.pid\nexec ssh "$@"\n`, { mode: 0o755 });
    const file = path.join(at.workspace, 'pid');
    const script = `require('fs').writeFileSync(${JSON.stringify(file)}, process.ppid + ' ' + process.pid + ' .'); setInterval(() => {}, 999)`;
    const running = sandboxWith({ ssh: own })
      .run({ id: 'x', command: ['node', '-e', script] })
      .catch((error: unknown) => error);
    while (!fs.existsSync(file) || !fs.readFileSync(file, 'utf8').endsWith('.')) await soon();
    const [runner = 0, child = 0] = fs.readFileSync(file, 'utf8').split(' ').map(Number);
    const ssh = Number(fs.readFileSync(`${at.folder}/ssh.pid`, 'utf8'));
    process.kill(which === 'the local ssh process' ? ssh : runner, 'SIGKILL');
    expect(await running).toMatchObject({ code: 'SANDBOX_LOST', data: { began: true } });
    // A runner that is still alive ends its child when the connection closes; a killed runner cannot.
    if (which === 'the remote runner') process.kill(child, 'SIGKILL');
    for (let tries = 0; tries < 500 && fs.existsSync(`/proc/${child}`); tries++) await soon();
    expect(fs.existsSync(`/proc/${child}`)).toBe(false);
  });
});

describe('a sandbox over ssh with nothing in its PATH but node and sh', () => {
  const options = serving((folder) => [`SetEnv PATH=${bareTools(folder)}`]);
  for (const { name, run } of sandboxConformance(under(options))) test(name, run);

  test('an agent works there, and every way to revert works from outside', async () => {
    const over = (): Sandbox => sshSandbox({ ...options(), host: '127.0.0.1' });
    await workInside(new Inside(over));
    await surveyInside(new Inside(over));
  });

  test('nothing else is available there', async () => {
    const { stdout } = await sshSandbox({ ...options(), host: '127.0.0.1' }).run({
      id: 'x',
      command: [
        'sh',
        '-c',
        'for p in cat mkdir base64 test env; do command -v /bin/$p >/dev/null; $p </dev/null 2>/dev/null; echo $?; done',
      ],
    });
    expect(stdout.toString()).toBe('127\n127\n127\n1\n127\n');
  });
});
