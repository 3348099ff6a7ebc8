import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseProcessStat } from '../../../src/io/node/process-stat.ts';
import { nodeProcesses } from '../../../src/io/node/processes.ts';
import type { ProcessIdentity } from '../../../src/io/ports.ts';

const linux = process.platform === 'linux';
const windows = process.platform === 'win32';

/** A waiting process that ends with the test. */
async function waiting(): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn(process.execPath, ['-e', 'console.log("ready"); setInterval(() => {}, 1000)'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout, 'data');
  return child as ChildProcess & { readonly pid: number };
}

function identityOf(pid: number): ProcessIdentity {
  const stat = linux ? parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'latin1')) : null;
  return { ...nodeProcesses.self(), pid, startedAt: stat?.startedAt ?? null };
}

/** Waits until the system has processed a signal. */
async function until(state: string, of: ProcessIdentity): Promise<string> {
  for (let tries = 0; tries < 200 && nodeProcesses.state(of) !== state; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return nodeProcesses.state(of);
}

describe('parseProcessStat', () => {
  const stat = (name: string): string =>
    `123 (${name}) S 1 123 123 0 -1 4194304 9 8 7 6 5 4 3 2 20 0 1 0 98765 1 2 3\n`;

  test.each(['node', 'a b', ')', 'x) R 1 (y', '(((', ') Z 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 666', 'new\nline', ''])(
    'is not misled by a program that calls itself %j',
    (name) => {
      expect(parseProcessStat(stat(name))).toEqual({ state: 'S', parent: 1, group: 123, startedAt: '98765' });
    },
  );

  test.each(['', 'nonsense', '1 (x', '1 (x) ', '1 (x) S 1 2 3', `1 (x) S${' x'.repeat(30)}`])(
    'returns null for %j',
    (text) => {
      expect(parseProcessStat(text)).toBeNull();
    },
  );
});

describe('self', () => {
  test('identifies this process, which is alive', () => {
    const self = nodeProcesses.self();
    expect(self.pid).toBe(process.pid);
    expect(nodeProcesses.state(self)).toBe('alive');
    expect(nodeProcesses.self()).toBe(self);
  });

  test.skipIf(!linux)('contains everything that Linux provides', () => {
    const self = nodeProcesses.self();
    expect(self.startedAt).toMatch(/^\d+$/);
    expect(self.bootId).toMatch(/^[0-9a-f-]{36}$/);
    expect(self.pidNamespace).toMatch(/^pid:\[\d+\]$/);
  });
});

describe('state', () => {
  test('distinguishes live and dead processes', async () => {
    const child = await waiting();
    const identity = identityOf(child.pid);
    expect(nodeProcesses.state(identity)).toBe('alive');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await until('dead', identity)).toBe('dead');
  });

  test.skipIf(!linux)('sees that a process is stopped, and that it continues', async () => {
    const child = await waiting();
    const identity = identityOf(child.pid);
    child.kill('SIGSTOP');
    expect(await until('stopped', identity)).toBe('stopped');
    child.kill('SIGCONT');
    expect(await until('alive', identity)).toBe('alive');
  });

  test.skipIf(!linux)('reports a zombie process as dead', async () => {
    // When the child ends, its parent has been replaced by another program that never waits: the child stays a zombie.
    const parent = spawn('/bin/sh', ['-c', 'sleep 0.5 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => {
      parent.kill('SIGKILL');
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const zombie = { ...nodeProcesses.self(), pid: Number(line.toString()), startedAt: null };
    expect(await until('dead', zombie)).toBe('dead');
    expect(readFileSync(`/proc/${zombie.pid}/stat`, 'latin1')).toContain(') Z ');
  });

  test.skipIf(!linux)('is not misled by a reused pid', async () => {
    const identity = identityOf((await waiting()).pid);
    expect(nodeProcesses.state({ ...identity, startedAt: '1' })).toBe('dead');
  });

  test.skipIf(!linux)('reads the state of a program with an odd name', async () => {
    const { folder } = world(onTestFinished);
    const program = `${folder}/x) Z 1 (`;
    copyFileSync('/bin/sleep', program);
    const child = spawn(program, ['60']);
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    await once(child, 'spawn');
    expect(readFileSync(`/proc/${child.pid}/comm`, 'latin1')).toBe('x) Z 1 (\n');
    expect(nodeProcesses.state(identityOf(child.pid as number))).toBe('alive');
  });

  test('reports unknown for other machines and containers, and dead for processes from before a reboot', () => {
    const self = nodeProcesses.self();
    expect(nodeProcesses.state({ ...self, host: 'elsewhere', bootId: 'other' })).toBe('unknown');
    if (!linux) return;
    expect(nodeProcesses.state({ ...self, pidNamespace: 'pid:[1]' })).toBe('unknown');
    expect(nodeProcesses.state({ ...self, bootId: 'other' })).toBe('dead');
    // The same kernel; only the host name has changed.
    expect(nodeProcesses.state({ ...self, host: 'renamed' })).toBe('alive');
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY])(
    'reports unknown for an invalid pid: %d',
    (pid) => {
      expect(nodeProcesses.state({ ...nodeProcesses.self(), pid })).toBe('unknown');
    },
  );

  test.skipIf(windows)('reports a process of another user as alive', () => {
    expect(nodeProcesses.state({ ...nodeProcesses.self(), pid: 1, startedAt: null })).toBe('alive');
  });
});

/** Waits until a process runs what it was started as: until then, it is a copy of this one. */
async function waitingWith(name: string, value: string): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'console.log("ready"); setInterval(() => {}, 1000)', 'here'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, [name]: value },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child.pid as number;
}

describe.runIf(linux)('the processes that started since a moment', () => {
  const pidsSince = (uptime: number): readonly number[] =>
    (nodeProcesses.startedSince(uptime) ?? []).map(({ pid }) => pid);

  test('are those that live, with their parents and what they were started with', async () => {
    const older = await waiting();
    // The system counts in hundredths of a second.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const time = nodeProcesses.uptime() ?? 0;
    const newer = await waitingWith('LEFT_BY', 'a=b');
    const found = nodeProcesses.startedSince(time)?.find(({ pid }) => pid === newer);
    expect(found).toMatchObject({ ...identityOf(newer), parent: process.pid });
    expect(found?.beganUptime).toBeGreaterThanOrEqual(time);
    expect(found?.beganUptime).toBeLessThanOrEqual(nodeProcesses.uptime() ?? 0);
    expect(nodeProcesses.startedWith(newer).variables.get('LEFT_BY')).toBe('a=b');
    expect(nodeProcesses.startedWith(newer).command.at(-1)).toBe('here');
    expect(pidsSince(time)).not.toContain(older.pid);
    expect(pidsSince(0)).toEqual(expect.arrayContaining([older.pid, newer, process.pid]));
    const ended = once(older, 'exit');
    older.kill('SIGKILL');
    await ended;
    expect(pidsSince(0)).not.toContain(older.pid);
  });

  test('are found wherever the system gives out ids', async () => {
    const time = nodeProcesses.uptime() ?? 0;
    const started: number[] = [];
    for (let count = 0; count < 40; count++) {
      const child = spawn('sleep', ['600'], { stdio: 'ignore' });
      onTestFinished(() => void child.kill('SIGKILL'));
      started.push(child.pid as number);
    }
    expect(pidsSince(time)).toEqual(expect.arrayContaining(started));
  });

  test('have no environment and no command line once they have ended', async () => {
    const { pid } = spawn('true', { stdio: 'ignore' }).on('error', () => {});
    while (nodeProcesses.state({ ...nodeProcesses.self(), pid: pid as number, startedAt: null }) !== 'dead') {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(nodeProcesses.startedWith(pid as number)).toEqual({ command: [], variables: new Map() });
  });
});
