/** Bisects of real checkpoints, with a command that really runs in copies. */

import { chmodSync, existsSync, readdirSync, unlinkSync } from 'node:fs';
import type { Savepoint } from '@savepoint/core';
import { testEffort } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { Place } from '../place.ts';

const ENV = { PATH: process.env['PATH'] ?? '' };
const STATES = 12;

interface Planted {
  readonly fault: (p: Place) => void;
  readonly command: string;
}

const FAULTS: Readonly<Record<string, Planted>> = {
  'a changed line': { fault: (p) => p.write('code.txt', 'wrong\n'), command: 'grep -q right code.txt' },
  'a deleted file': { fault: (p) => unlinkSync(p.at('deep/file.txt')), command: 'test -f deep/file.txt' },
  'a permission': { fault: (p) => chmodSync(p.at('tool.sh'), 0o644), command: 'test -x tool.sh' },
};

/** Takes checkpoints, and plants the fault in the one with that number. */
async function timeline(fault: (p: Place) => void, at: number): Promise<{ p: Place; savepoint: Savepoint }> {
  const p = new Place();
  p.write('code.txt', 'right\n');
  p.write('deep/file.txt', 'here\n');
  p.write('tool.sh', '#!/bin/sh\n');
  chmodSync(p.at('tool.sh'), 0o755);
  const savepoint = p.open();
  for (let state = 1; state <= STATES; state++) {
    p.write('count.txt', `${state}\n`);
    if (state === at) fault(p);
    await savepoint.checkpoint({ message: `state ${state}` });
  }
  return { p, savepoint };
}

function copiesOf(p: Place): readonly string[] {
  const folder = `${Buffer.from(p.world.places.home, 'latin1').toString()}/copies`;
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('copy_')) : [];
}

test.each(Object.entries(FAULTS))('%s is found, and the folder stays as it is', async (_name, { fault, command }) => {
  const { p, savepoint } = await timeline(fault, 8);
  p.write('not-captured.txt', 'mine\n');
  const found = await savepoint.bisect({
    good: 'cp_1',
    bad: `cp_${STATES}`,
    // It damages its copy: the next state must not have that.
    command: ['sh', '-c', `${command}; code=$?; echo wrong > code.txt; rm -rf deep; chmod 600 tool.sh; exit $code`],
    env: ENV,
    rungs: ['copy'],
  });
  expect(found).toMatchObject({ outcome: 'found', good: { id: 'cp_7' }, bad: { id: 'cp_8' }, repaired: [] });
  expect(found.step.changes.map(({ path }) => path)).toContain('count.txt');
  expect(found.step.isComplete).toBe(true);
  expect(found.tested.length).toBeLessThanOrEqual(6);
  expect(p.read('not-captured.txt')).toBe('mine\n');
  expect(p.read('count.txt')).toBe(`${STATES}\n`);
  expect(copiesOf(p)).toEqual([]);
});

test('two at a time, and on the best kind of copy that the machine has', async () => {
  const { p, savepoint } = await timeline(FAULTS['a changed line']!.fault, 5);
  const found = await savepoint.bisect({
    good: 'cp_1',
    bad: 'last',
    jobs: 2,
    command: ['grep', '-q', 'right', 'code.txt'],
    env: ENV,
  });
  expect(found).toMatchObject({ outcome: 'found', bad: { id: 'cp_5' } });
  expect(copiesOf(p)).toEqual([]);
});

test('a command that cannot be run ends the search, or skips the state', async () => {
  const { savepoint } = await timeline(() => undefined, 5);
  const options = { good: 'cp_1', bad: 'last', env: ENV, rungs: ['copy' as const] };
  const stopped = await savepoint.bisect({ ...options, command: ['no-such-program'] });
  expect(stopped).toMatchObject({ outcome: 'stopped', tested: [{ run: { status: 127 } }] });
  const kept = await savepoint.bisect({ ...options, command: ['no-such-program'], keepGoing: true });
  expect(kept).toMatchObject({ outcome: 'good-end-is-skipped' });
  const always = await savepoint.bisect({ ...options, command: ['false'] });
  expect(always).toMatchObject({ outcome: 'good-end-is-bad' });
  expect(always.tested).toHaveLength(2);
});

test('a cancelled bisect ends its command and drops its copies', async () => {
  const { p, savepoint } = await timeline(() => undefined, 5);
  const controller = new AbortController();
  const running = savepoint.bisect({
    good: 'cp_1',
    bad: 'last',
    command: ['sh', '-c', 'echo started > "$1"; sleep 600', 'sh', p.at('../started')],
    env: ENV,
    rungs: ['copy'],
    signal: controller.signal,
  });
  const failed = expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
  await expect.poll(() => existsSync(p.at('../started')), { timeout: 30_000 }).toBe(true);
  controller.abort();
  await failed;
  expect(copiesOf(p)).toEqual([]);
});

test('a replay runs a command at each state, in order', async () => {
  const { p, savepoint } = await timeline(FAULTS['a changed line']!.fault, 4);
  const replayed = await savepoint.replay({
    from: 'cp_2',
    to: 'cp_6',
    command: ['sh', '-c', 'cat count.txt; echo "$SAVEPOINT_CHECKPOINT"; grep -q right code.txt'],
    env: ENV,
    rungs: ['copy'],
    stopOnFailure: true,
  });
  expect(replayed.steps.map(({ to, run }) => [to.id, run?.status, run?.stdout])).toEqual([
    ['cp_2', 0, '2\ncp_2\n'],
    ['cp_3', 0, '3\ncp_3\n'],
    ['cp_4', 1, '4\ncp_4\n'],
  ]);
  expect(copiesOf(p)).toEqual([]);
  expect((await savepoint.replay({})).steps.map(({ to }) => to.id).slice(0, 2)).toEqual(['cp_1', 'cp_2']);
});

test('over many checkpoints, each of three faults is found with few runs', { timeout: 600_000 }, async () => {
  const count = testEffort({ quick: 40, ci: 100, long: 1000 });
  const p = new Place();
  p.write('code.txt', 'right\n');
  p.write('deep/file.txt', 'here\n');
  p.write('tool.sh', '#!/bin/sh\n');
  chmodSync(p.at('tool.sh'), 0o755);
  const savepoint = p.open();
  const faults = Object.values(FAULTS);
  const planted = faults.map((_, index) => Math.floor((count * (index + 1)) / 4) + index);
  for (let state = 1; state <= count; state++) {
    p.write('count.txt', `${state}\n`);
    for (const [index, { fault }] of faults.entries()) if (planted[index] === state) fault(p);
    await savepoint.checkpoint();
  }
  for (const [index, { command }] of faults.entries()) {
    const found = await savepoint.bisect({
      good: 'cp_1',
      bad: 'last',
      command: ['sh', '-c', command],
      env: ENV,
      rungs: ['copy'],
    });
    expect(found).toMatchObject({ outcome: 'found', bad: { id: `cp_${planted[index]}` } });
    expect(found.tested.length).toBeLessThanOrEqual(Math.ceil(Math.log2(count)) + 1);
  }
});
