import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { testEffort } from '@savepoint/testkit';
import { hookScript, main } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { claudeEvents } from '../../packages/agents/test/fixtures/claude.ts';
import { type DaemonProject, daemonProject, hasNumber, kill, until } from './daemon-project.ts';

/** The next hooks replace a daemon that was killed or stopped, and its memory does not grow with the events. */

const HOOKS = testEffort({ quick: 20, ci: 40, long: 200 });
const EVENTS = testEffort<readonly number[]>({ quick: [], ci: [], long: [20_000] });
const MANY_AT_ONCE = 8;
const MINUTE_MS = 60_000;

it('a daemon that was killed with -9 is replaced by the next hook', async () => {
  const p = daemonProject();
  const e = claudeEvents(p.dir);
  p.tell('claude', e.start(), { starts: true });
  await until(() => p.foundPid() !== null);
  const first = p.foundPid() as number;
  kill(first, 'SIGKILL');
  await until(() => !hasNumber(first));
  // Its socket and the link to it are still there.
  expect(fs.lstatSync(p.link).isSymbolicLink()).toBe(true);
  expect(p.foundPid()).toBe(first);
  p.forgetTries();
  expect(p.tell('claude', e.prompt('Go.', 'm'), { starts: true })).toMatchObject({ status: 0, stderr: '' });
  await until(() => p.foundPid() !== first && p.status().running);
  p.tell('claude', e.stop());
  expect(p.status()).toMatchObject({ running: true, events: 1 });
});

it.each([
  ['killed', 'SIGKILL'],
  ['stopped', 'SIGSTOP'],
] as const)(
  'many hooks at once all end although the daemon was %s, and it is replaced once',
  async (_what, signal) => {
    const p = daemonProject();
    const e = claudeEvents(p.dir);
    const first = await p.startDaemon();
    p.tell('claude', e.start());
    kill(first, signal);
    p.forgetTries();
    const calls = Array.from({ length: HOOKS }, (_, n) => e.call('Bash', { command: `make ${n}` }).pre);
    const ended = await Promise.all(calls.map((event) => tellAtOnce(p, event)));
    expect(ended).toEqual(calls.map(() => 0));
    await until(() => p.foundPid() !== first && p.status().running);
    expect(p.run(['verify']).status).toBe(0);
  },
  10 * MINUTE_MS,
);

it.each(EVENTS)(
  'memory stays flat over %i events',
  async (events) => {
    const p = daemonProject();
    const e = claudeEvents(p.dir);
    const pid = await p.startDaemon();
    p.tell('claude', e.start());
    const sizes: number[] = [];
    for (let quarter = 0; quarter < 4; quarter++) {
      for (let sent = 0; sent < events / 4; sent += 2 * MANY_AT_ONCE) {
        const calls = Array.from({ length: MANY_AT_ONCE }, () => e.call('Bash', { command: 'make' }));
        await Promise.all(calls.map(({ pre }) => tellAtOnce(p, pre)));
        await Promise.all(calls.map(({ post }) => tellAtOnce(p, post({}))));
      }
      sizes.push(memoryOf(pid));
    }
    expect(p.status().pid).toBe(pid);
    // The first quarter fills caches of a fixed size.
    expect(sizes[3]).toBeLessThan((sizes[0] as number) * 1.5);
  },
  60 * MINUTE_MS,
);

function tellAtOnce(p: DaemonProject, event: object): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(hookScript, [process.execPath, main, 'hook', 'claude'], {
      cwd: '/',
      env: p.environment(),
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.on('error', reject);
    child.on('exit', (status) => resolve(status));
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(event));
  });
}

/** Resident memory in KB. */
function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
