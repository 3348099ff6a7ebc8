import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { testEffort } from '@savepoint/testkit';
import { hookScript, main } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { claudeEvents } from '../../packages/agents/test/fixtures/claude.ts';
import { type DaemonProject, daemonProject, hasNumber, isRunning, kill, until } from './daemon-project.ts';

/** How a daemon starts, how it is found, when it ends, and how it answers malformed requests. */

const MANY = testEffort({ quick: 4, ci: 20, long: 60 });

/** Starts this many at the same time. @returns the processes that stayed, once all others have ended */
async function startMany(p: DaemonProject, count: number): Promise<readonly number[]> {
  fs.mkdirSync(p.store, { recursive: true, mode: 0o700 });
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, [main, 'daemon', 'run', '--idle', '120'], {
      cwd: '/',
      env: p.environment(),
      stdio: 'ignore',
    }),
  );
  let ended = 0;
  for (const child of children) child.on('exit', () => (ended += 1));
  await until(() => ended === count - 1 && p.foundPid() !== null);
  return children
    .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    .map(({ pid }) => pid as number);
}

it(
  'of many daemons that start at once, one stays; a dead one is replaced, also by many at once',
  async () => {
    const p = daemonProject();
    const [first, ...others] = await startMany(p, MANY);
    expect(others).toEqual([]);
    expect(p.status()).toMatchObject({ running: true, pid: first });
    kill(first as number, 'SIGKILL');
    // A process id is free once its parent, which is this process, has reaped it.
    await until(() => !hasNumber(first as number));
    const [second, ...more] = await startMany(p, MANY);
    expect(more).toEqual([]);
    expect(p.status()).toMatchObject({ running: true, pid: second });
    // What the dead daemon left is gone.
    expect(fs.readdirSync(path.dirname(fs.realpathSync(p.link))).sort()).toEqual([String(second), 'now'].sort());
    expect(p.run(['daemon', 'stop']).stdout).toBe(`Stopped the daemon (process ${second}).\n`);
    expect(isRunning(second as number)).toBe(false);
    expect(p.run(['daemon', 'stop']).stdout).toBe('No daemon is running.\n');
    expect(p.run(['daemon', 'status']).stdout).toMatch(/^No daemon is running\. Hooks work without it/);
  },
  3 * 60_000,
);

it('a daemon that is suspended does not count as absent', async () => {
  const p = daemonProject();
  await p.startDaemon();
  const pid = p.foundPid() as number;
  kill(pid, 'SIGSTOP');
  for (const what of ['status', 'stop']) {
    expect(p.run(['daemon', what]).stdout).toMatch(/^The daemon does not answer: it is busy, suspended or hangs\./);
  }
  kill(pid, 'SIGCONT');
  // The request to stop was waiting for it.
  await until(() => !isRunning(pid));
});

it('does not stay if its home is gone', () => {
  const p = daemonProject();
  fs.rmSync(p.store, { recursive: true, force: true });
  const options = { cwd: '/', env: p.environment(), encoding: 'utf8', timeout: 60_000 } as const;
  const { status, signal, stderr } = spawnSync(process.execPath, [main, 'daemon', 'run'], options);
  expect([status, signal]).toEqual([1, null]);
  expect(stderr).toContain(p.store);
});

it('the first hook starts it, it answers the next ones, and the answers are the same', async () => {
  const p = daemonProject();
  const e = claudeEvents(p.dir);
  expect(p.tell('claude', e.start(), { starts: true })).toEqual({ status: 0, signal: null, stdout: '', stderr: '' });
  await until(() => p.foundPid() !== null);
  p.tell('claude', e.prompt('Go.', 'm'));
  p.ok('freeze', 'kept');
  const bash = e.call('Bash', { command: 'x' });
  const denied = e.call('Write', { file_path: p.at('kept'), content: '' });
  const broken = { ...e.start(), cwd: '/', session_id: 'other' };
  for (const event of [bash.pre, bash.post({}), denied.pre, broken, '', '{"a":', '[]', { hook_event_name: 'Stop' }]) {
    const reported = p.tell('claude', event);
    expect(reported).toEqual(p.tellPlainly('claude', event));
    expect(reported.status).toBe(0);
  }
  expect(p.tell('claude', denied.pre).stdout).toContain('"permissionDecision":"deny"');
  expect(p.tell('claude', broken).stderr).toContain('root of the file system');
  expect(p.tell('nobody', '{}')).toEqual(p.tellPlainly('nobody', '{}'));
  expect(p.status()).toMatchObject({ running: true, pid: p.foundPid(), events: 12 });
  expect(p.run(['daemon', 'status']).stdout).toMatch(/Handled 12 events \(median [\d.]+ ms\)/);
});

it.runIf(process.platform === 'linux')(
  'it does not look like a command of the session whose hook started it',
  async () => {
    const p = daemonProject();
    const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 's-1', CLAUDE_PROJECT_DIR: p.dir, OTHER: 'kept' };
    p.tell('claude', claudeEvents(p.dir).start(), { starts: true, env });
    await until(() => p.foundPid() !== null);
    const names = fs
      .readFileSync(`/proc/${p.foundPid()}/environ`, 'latin1')
      .split('\0')
      .map((entry) => entry.replace(/=.*/s, ''));
    expect(names).toEqual(expect.arrayContaining(['OTHER', 'SAVEPOINT_HOME', 'PATH']));
    expect(names.filter((name) => /^CLAUDE|^SAVEPOINT_HOOK/.test(name))).toEqual([]);
  },
);

it('changes by others are also reported through the daemon, in the same words', async () => {
  const p = daemonProject();
  const e = claudeEvents(p.dir);
  await p.startDaemon();
  p.write('a.txt', 'one\n');
  p.tell('claude', e.start());
  const first = e.call('Bash', { command: 'x' });
  p.tell('claude', first.pre);
  p.write('a.txt', 'two\n');
  p.tell('claude', first.post({}));
  p.restore('cp_1');
  const { stdout } = p.tell('claude', e.call('Bash', { command: 'y' }).pre);
  expect(JSON.parse(stdout).hookSpecificOutput.additionalContext).toContain('a.txt');
});

it('it exits when idle, when its build changed, when another daemon replaced it, and when it is turned off', async () => {
  const p = daemonProject();
  const e = claudeEvents(p.dir);
  // No requests arrive.
  fs.mkdirSync(p.store, { mode: 0o700 });
  execFileSync(process.execPath, [main, 'daemon', 'run', '--idle', '1'], { env: p.environment() });
  expect(p.foundPid()).toBeNull();
  // A hook of another build asks: the daemon ends, and the hook does the work itself.
  const asked = await p.startDaemon();
  const other = fs
    .readFileSync(hookScript, 'utf8')
    .replace(/savepoint-build: [0-9a-f]{16}/, `savepoint-build: ${'0'.repeat(16)}`);
  const otherLine = path.join(p.base, 'other-line');
  fs.writeFileSync(otherLine, other, { mode: 0o755 });
  execFileSync(otherLine, ['env', '-u', 'SAVEPOINT_HOOK_LINE', process.execPath, main, 'hook', 'claude'], {
    env: p.environment(),
    input: JSON.stringify(e.start()),
  });
  expect((await p.timelineLines()).length).toBe(1);
  await until(() => !isRunning(asked));
  // The link now leads to another daemon.
  const replaced = await p.startDaemon();
  fs.rmSync(p.link);
  await until(() => !isRunning(replaced));
  // It is turned off: it still finishes the current request.
  const off = await p.startDaemon();
  fs.writeFileSync(path.join(p.store, 'config.json'), '{"daemon": "off"}', { mode: 0o600 });
  p.write('b.txt', 'b\n');
  p.tell('claude', e.prompt('Go.', 'm'), { starts: true });
  expect((await p.timelineLines()).length).toBe(2);
  await until(() => !isRunning(off));
  p.forgetTries();
  p.tell('claude', e.stop(), { starts: true });
  expect(fs.existsSync(path.join(p.store, 'daemon.tried'))).toBe(false);
});

it('when its build on disk changes, it exits without answering more requests', async () => {
  const p = daemonProject();
  const copy = path.join(p.base, 'package');
  fs.cpSync(path.dirname(main), path.join(copy, 'bundle'), { recursive: true });
  fs.copyFileSync(path.join(path.dirname(main), '../package.json'), path.join(copy, 'package.json'));
  fs.mkdirSync(p.store, { mode: 0o700 });
  const child = spawn(process.execPath, [path.join(copy, 'bundle/savepoint.js'), 'daemon', 'run'], {
    env: p.environment(),
    stdio: 'ignore',
  });
  await until(() => p.foundPid() === child.pid);
  fs.writeFileSync(path.join(copy, 'bundle/build.txt'), `${'f'.repeat(16)} 1\n`);
  await until(() => child.exitCode === 0);
  expect(p.foundPid()).toBeNull();
});

it('a hanging daemon delays hooks only briefly, and is replaced', async () => {
  const p = daemonProject();
  const e = claudeEvents(p.dir);
  p.tell('claude', e.start());
  const hanging = await p.startDaemon();
  p.forgetTries();
  kill(hanging, 'SIGSTOP');
  p.write('a.txt', 'a\n');
  // The event with the shortest time limit.
  expect(p.tell('claude', e.end('other'), { starts: true })).toMatchObject({ status: 0, stderr: '' });
  await until(() => p.foundPid() !== hanging && p.foundPid() !== null);
  kill(hanging, 'SIGCONT');
  await until(() => !isRunning(hanging));
  expect(p.status()).toMatchObject({ running: true });
});

it('a foreign request is refused, and the next hook is answered', async () => {
  const p = daemonProject();
  const pid = await p.startDaemon();
  const socket = path.join(fs.realpathSync(p.link), 's');
  const build = /savepoint-build: ([0-9a-f]{16} \d+)/.exec(fs.readFileSync(hookScript, 'utf8'))?.[1] as string;
  const head = (first: string, ...more: readonly string[]): string =>
    `${[`${first} HTTP/1.1`, 'host: x', `savepoint-build: ${build}`, 'connection: close', ...more].join('\r\n')}\r\n\r\n`;
  const post = (target: string, body: string): string =>
    `${head(`POST ${target}`, `content-length: ${Buffer.byteLength(body)}`)}${body}`;
  for (const [sent, wanted] of [
    ['\0\x01\xff nonsense\r\n\r\n', /^$/],
    [`GET / HTTP/1.1\r\n${'x: y\r\n'.repeat(10_000)}`, /^$/],
    ['POST /stop HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', / 400 /],
    [head('GET /'), / 404 /],
    [head('DELETE /hook/claude'), / 404 /],
    [post('/hook', '{}'), / 404 /],
    [post('/hook/claude', 'LD_PRELOAD=/x\0{}'), / 400 /],
    [post('/hook/claude', 'HOME\0{}'), / 400 /],
    [post('/hook/claude', 'HOME=/a\0HOME=/b\0{}'), / 400 /],
    [post('/hook/claude', `HOME=${'x'.repeat(2 << 20)}\0{}`), / 400 /],
    [post('/hook/claude', `SAVEPOINT_HOME=/elsewhere\0{}`), / 421 /],
    [post('/hook/__proto__', `SAVEPOINT_HOME=${p.store}\0{}`), / 200 [\s\S]*unknown agent/],
    // It announces more than it sends.
    [head('POST /hook/claude', 'content-length: 100'), /^$| 4\d\d /],
  ] as const) {
    expect(await send(socket, sent), sent.slice(0, 60)).toMatch(wanted);
  }
  const e = claudeEvents(p.dir);
  p.tell('claude', e.start());
  expect(p.status()).toMatchObject({ running: true, pid });
  expect((await p.timelineLines()).length).toBe(1);
});

function send(socket: string, text: string): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    const connection = net.connect(socket);
    connection.on('data', (part) => {
      said += part;
    });
    connection.on('error', () => undefined);
    connection.on('close', () => resolve(said));
    connection.end(Buffer.from(text, 'latin1'));
  });
}

it('a folder for sockets that is not private is refused, one with a too long path is skipped', async () => {
  const p = daemonProject();
  const e = claudeEvents(p.dir);
  const runtime = path.join(p.base, 'run');
  const temporary = path.join(p.base, 'tmp');
  fs.mkdirSync(temporary);
  fs.mkdirSync(runtime, { mode: 0o700 });
  const own = `savepoint-${process.getuid?.()}`;
  const env = { XDG_RUNTIME_DIR: runtime, TMPDIR: temporary };
  // A link in place of each folder, and a folder that other users may enter.
  fs.mkdirSync(path.join(p.base, 'trap'), { mode: 0o700 });
  fs.symlinkSync(path.join(p.base, 'trap'), path.join(runtime, 'savepoint'));
  fs.mkdirSync(path.join(temporary, own));
  fs.chmodSync(path.join(temporary, own), 0o755);
  expect(p.tell('claude', e.start(), { env, starts: true })).toMatchObject({ status: 0, stdout: '', stderr: '' });
  expect((await p.timelineLines()).length).toBe(1);
  const { status, stderr } = p.run(['daemon', 'run'], { env });
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /The daemon cannot run here: .*savepoint is not a folder \(links are not followed\); other users can access/,
  );
  expect(stderr).toContain('Hooks work without it');
  expect(fs.readdirSync(path.join(p.base, 'trap'))).toEqual([]);
  expect(p.foundPid()).toBeNull();
  // Too long for a socket path: the temporary folder is used.
  fs.chmodSync(path.join(temporary, own), 0o700);
  const long = path.join(p.base, 'x'.repeat(100));
  fs.mkdirSync(long);
  await p.startDaemon({ env: { ...env, XDG_RUNTIME_DIR: long } });
  expect(fs.realpathSync(p.link)).toContain(path.join(temporary, own));
  expect(fs.statSync(path.join(p.link, 's')).mode & 0o777).toBe(0o600);
});

it('a home with a long path, with spaces and quotes, works', async () => {
  const p = daemonProject();
  const store = path.join(p.base, `${'long '.repeat(30)}o'home "$(touch x)"`);
  fs.mkdirSync(store, { mode: 0o700 });
  const child = spawn(process.execPath, [main, 'daemon', 'run', '--idle', '60'], {
    env: p.environment({ env: { SAVEPOINT_HOME: store } }),
    stdio: 'ignore',
  });
  await until(() => fs.existsSync(path.join(store, 'daemon', 's')));
  const e = claudeEvents(p.dir);
  const odd = { ...e.prompt('"\'$(touch x)`\\ \\u0000 %s\n\n', 'm'), more: 'x'.repeat(300_000) };
  expect(p.tell('claude', odd, { env: { SAVEPOINT_HOME: store, CLAUDE_PROJECT_DIR: p.dir } }).stderr).toBe('');
  const status = p.run(['daemon', 'status', '--json'], { env: { SAVEPOINT_HOME: store } });
  expect(JSON.parse(status.stdout)).toMatchObject({ running: true, pid: child.pid, events: 1 });
  expect(fs.existsSync('/x')).toBe(false);
  child.kill('SIGTERM');
  await until(() => child.exitCode === 0);
});

it('without curl, and where the daemon is off for this process, the command does the work', async () => {
  const p = daemonProject();
  const pid = await p.startDaemon();
  const e = claudeEvents(p.dir);
  const bin = path.join(p.base, 'bin');
  fs.mkdirSync(bin);
  for (const tool of ['cat', 'env'])
    fs.symlinkSync(execFileSync('which', [tool]).toString().trim(), path.join(bin, tool));
  expect(p.tell('claude', e.start(), { env: { PATH: bin } })).toMatchObject({ status: 0, stderr: '' });
  expect(p.tell('claude', e.prompt('Go.', 'm'), { env: { SAVEPOINT_DAEMON: 'off' } })).toMatchObject({ status: 0 });
  expect((await p.timelineLines()).length).toBe(2);
  expect(p.status()).toMatchObject({ pid, events: 0 });
});
