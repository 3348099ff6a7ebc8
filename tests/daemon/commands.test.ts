import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { type CommandOutcome, main, workingFiles } from '@savepoint/testkit/command';
import { expect, it, onTestFinished } from 'vitest';
import { claudeEvents } from '../../packages/agents/test/fixtures/claude.ts';
import { type DaemonProject, daemonProject, kill } from './daemon-project.ts';

/** Commands that only read are answered by the daemon, and print the same as without it, whatever happens to it. */

const READING: readonly (readonly string[])[] = [
  ['status'],
  ['status', '--json'],
  ['diff'],
  ['diff', '--patch', 'cp_1', 'cp_2'],
  ['diff', '--', 'sub'],
  ['list', '--all', '--absolute-time'],
  ['list', '--json'],
  ['show', 'cp_2', '--json'],
  ['history', '--', 'a.txt'],
  ['blame', '--', 'a.txt'],
  ['stats', '--json'],
  ['turns'],
  ['sessions'],
];

function filled(): DaemonProject {
  const p = daemonProject();
  p.write('a.txt', 'one\n');
  p.write('sub/b.txt', 'b\n');
  alone(p, ['checkpoint', '-m', 'first']);
  p.write('a.txt', 'one\ntwo\n');
  alone(p, ['checkpoint', '-m', 'second']);
  p.write('sub/b.txt', 'changed\n');
  return p;
}

/** Other tests do not watch folders. */
const WATCHING = { env: { SAVEPOINT_WATCH: undefined } };
const OFF = { env: { SAVEPOINT_DAEMON: 'off' } };

function alone(p: DaemonProject, args: readonly string[], cwd = p.dir): CommandOutcome {
  return p.run(args, { ...OFF, cwd });
}

const answered = (p: DaemonProject): number => (p.status() as unknown as { readonly commands: number }).commands;

it('answers what only reads, and prints the same as the command alone', async () => {
  const p = filled();
  await p.startDaemon();
  for (const args of READING) expect(p.run(args), args.join(' ')).toEqual(alone(p, args));
  expect(answered(p)).toBe(READING.length);
  // From another folder, which decides what paths mean.
  const cwd = p.at('sub');
  const inside = ['diff', '--name-only', '--', 'b.txt'];
  expect(p.run(inside, { cwd })).toEqual(alone(p, inside, cwd));
  const from = ['-C', 'sub', 'diff', '--', 'b.txt'];
  expect(p.run(from)).toEqual(alone(p, from));
  expect(answered(p)).toBe(READING.length + 2);
});

it('sees each change that was made before it was asked', async () => {
  const p = filled();
  await p.startDaemon();
  for (let round = 0; round < 5; round++) {
    p.write(`sub/new${round}.txt`, `${round}\n`);
    if (round === 3) alone(p, ['checkpoint']);
    expect(p.run(['status', '--json'])).toEqual(alone(p, ['status', '--json']));
  }
});

it('tells commands that write what has not changed, and they capture what they would capture alone', async () => {
  const [p, other] = [filled(), filled()];
  await p.startDaemon(WATCHING);
  // From now on, it knows the folder.
  p.run(['status'], WATCHING);
  const commands: readonly (readonly string[])[] = [
    ['checkpoint', '-m', 'third'],
    ['restore', 'cp_1', '--yes', '--', 'a.txt'],
    ['undo'],
    ['redo'],
    ['rollback', '--change', 'cp_2.1', '--yes'],
    ['checkpoint', '-m', 'last'],
  ];
  const contents = (project: DaemonProject): unknown => [
    workingFiles(project.dir),
    JSON.parse(alone(project, ['list', '--json']).stdout).checkpoints.map(
      ({ id, trigger, totals, counts, partial }: Readonly<Record<string, unknown>>) => ({
        id,
        trigger,
        totals,
        counts,
        partial,
      }),
    ),
    alone(project, ['diff', '--patch', 'cp_1', 'last']).stdout,
  ];
  for (const [round, args] of commands.entries()) {
    for (const one of [p, other]) one.write(`sub/${round}.txt`, `${round}\n`);
    const { status } = p.run(args, WATCHING);
    expect([status, alone(other, args).status], args.join(' ')).toEqual([0, 0]);
    expect(contents(p), args.join(' ')).toEqual(contents(other));
  }
  expect((p.status() as unknown as { readonly scans: number }).scans).toBeGreaterThanOrEqual(commands.length);
  expect(alone(p, ['verify', '--deep']).status).toBe(0);
});

it('leaves to the command what fails, what writes, and what its own environment decides', async () => {
  const p = filled();
  await p.startDaemon();
  const before = answered(p);
  for (const args of [
    ['show', 'cp_99'],
    ['diff', '--unknown'],
    ['list', '--limit', 'x'],
    ['diff', '--review'],
  ])
    expect(p.run(args), args.join(' ')).toEqual(alone(p, args));
  expect(p.run(['checkpoint', '-m', 'status']).status).toBe(0);
  const zone = { TZ: 'Pacific/Apia' };
  const args = ['list', '--all', '--absolute-time'];
  expect(p.run(args, { env: zone })).toEqual(p.run(args, { env: { ...OFF.env, ...zone } }));
  expect(answered(p)).toBe(before);
});

it('does not answer a command that has fewer rights', async () => {
  const p = filled();
  await p.startDaemon();
  const wanted = p.run(['status']);
  const before = answered(p);
  const env = { ...p.environment(), PATH: process.env['PATH'] };
  const run = (...around: readonly [string, ...string[]]): unknown => {
    const [file, ...args] = [...around, process.execPath, main, 'status'];
    const { status, signal, stdout, stderr } = spawnSync(file, args, { cwd: p.dir, env, encoding: 'utf8' });
    return { status, signal, stdout, stderr };
  };
  // Sandboxes forbid new privileges.
  expect(run('setpriv', '--no-new-privs')).toEqual(wanted);
  expect(answered(p)).toBe(before);
  expect(run('env')).toEqual(wanted);
  expect(answered(p)).toBe(before + 1);
});

it('counts folders: a hook and a command in one of them are one workspace', async () => {
  const p = filled();
  await p.startDaemon();
  expect(p.tell('claude', claudeEvents(p.dir).start())).toMatchObject({ status: 0, stderr: '' });
  p.run(['status']);
  expect([answered(p), p.status()]).toMatchObject([1, { events: 1, workspaces: 1 }]);
  expect(p.run(['daemon', 'status']).stdout).toContain('1 workspace open');
});

it('stays idle while somebody asks how long it has been', async () => {
  const p = filled();
  await p.startDaemon();
  p.run(['status']);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(p.run(['daemon', 'status']).stdout).not.toContain('Idle for 0 s');
  const { commands, idleSeconds } = p.status() as unknown as Readonly<Record<string, number>>;
  expect([commands, Number(idleSeconds) >= 1]).toEqual([1, true]);
});

it('a daemon that is turned off answers nothing, and ends', async () => {
  const p = filled();
  await p.startDaemon();
  fs.writeFileSync(path.join(p.store, 'config.json'), '{"daemon":"off"}', { mode: 0o600 });
  expect(p.run(['status'])).toEqual(alone(p, ['status']));
});

it('a daemon that hangs or was killed costs nothing but time', async () => {
  const p = filled();
  const pid = await p.startDaemon();
  const wanted = alone(p, ['status']);
  kill(pid, 'SIGSTOP');
  expect(p.run(['status'])).toEqual(wanted);
  expect(p.run(['checkpoint'], WATCHING).stdout).toContain('cp_3');
  kill(pid, 'SIGKILL');
  p.write('sub/c.txt', 'c\n');
  expect(p.run(['checkpoint'], WATCHING).stdout).toContain('cp_4');
});

const HEAD = 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n';
const ANSWER = JSON.stringify({ answer: { text: 'd3Jvbmc=', pagedIn: null, warnings: [], exit: 0 } });

/** What a daemon may have sent before it died, or may send if it is not one. */
const BROKEN: Readonly<Record<string, string>> = {
  nothing: '',
  'half a status line': 'HTTP/1.1 2',
  'half a header': 'HTTP/1.1 200 OK\r\nConn',
  'only the header': HEAD,
  'only that it works': `${HEAD}{"progress":null}\n`,
  'half an answer': `${HEAD}{"progress":null}\n${ANSWER.slice(0, -9)}`,
  'an answer without its end of line': `${HEAD}${ANSWER}`,
  'an answer of another version': 'HTTP/1.1 409 Conflict\r\nContent-Length: 11\r\n\r\nsteps down\n',
  'a refusal': `${HEAD}{"declined":"no"}\n`,
  'no JSON': `${HEAD}\u0000\u0001garbage\n`,
  'other JSON': `${HEAD}{"answer":{"text":7,"pagedIn":null,"warnings":[],"exit":0}}\n`,
  null: `${HEAD}null\n`,
};

const LIST = JSON.stringify([['sub', '0'.repeat(40), null, '', false, 1, [1, 0, 1, 1, 0]]]);
const listed = (length: number): string => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${LIST}`;

/** The same for a list of folders. */
const BROKEN_LISTS: Readonly<Record<string, string>> = {
  'half a list': listed(LIST.length * 2),
  'more than a list': listed(LIST.length - 1),
  'a list of trees that do not exist': listed(LIST.length),
};

it('whatever a daemon sent before it died, the command does the work itself', async () => {
  const p = filled();
  const wanted = alone(p, ['status']);
  // The project ends the process that its link names.
  const { pid } = spawn('sleep', ['600'], { stdio: 'ignore' });
  const folder = path.join(p.base, 'run', String(pid));
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  fs.symlinkSync(`/proc/${pid}/ns/mnt`, path.join(folder, 'mnt'));
  fs.symlinkSync(`/proc/${pid}/root`, path.join(folder, 'root'));
  fs.symlinkSync(folder, p.link);
  let reply = '';
  let asked = 0;
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      asked += 1;
      socket.end(reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(path.join(folder, 's'), resolve));
  onTestFinished(() => void server.close());
  for (const [name, text] of Object.entries(BROKEN)) {
    reply = text;
    expect(await p.start(['status']).done, name).toEqual(wanted);
  }
  expect(asked).toBe(Object.keys(BROKEN).length);
  // A command that writes asks in another way.
  alone(p, ['checkpoint']);
  for (const [name, text] of Object.entries({ ...BROKEN, ...BROKEN_LISTS })) {
    reply = text;
    p.write('a.txt', `${name}\n`);
    const { stdout } = await p.start(['checkpoint', '--json'], WATCHING).done;
    expect(JSON.parse(stdout).checkpoint.totals, name).toMatchObject({ files: 1 });
  }
  expect(asked).toBe(2 * Object.keys(BROKEN).length + Object.keys(BROKEN_LISTS).length);
  // The oracle: such an answer would have been printed.
  reply = `${HEAD}${ANSWER}\n`;
  expect((await p.start(['status']).done).stdout).toBe('wrong');
  // Others could have put their socket there.
  fs.chmodSync(folder, 0o755);
  expect(await p.start(['status']).done).toEqual(alone(p, ['status']));
});
