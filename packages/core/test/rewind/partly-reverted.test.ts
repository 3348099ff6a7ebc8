import type { ChangeId, Savepoint, TreePath } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { linesOf, TimelineWorld } from '../timeline/query/timeline-world.ts';

/** An agent's call changes lines 3 and 30 of a file: two hunks of one change, cp_2.1. */
async function twoHunks(w: TimelineWorld): Promise<Savepoint> {
  const savepoint = w.open();
  w.write('a.txt', linesOf(40));
  await savepoint.checkpoint();
  const session = savepoint.session({ agent: 'one', id: 's-one' });
  await session.call({ tool: 'Write', kind: 'write', paths: ['a.txt'] as readonly string[] as TreePath[] }, () =>
    w.write('a.txt', linesOf(40, { 3: 'agent 3', 30: 'agent 30' })),
  );
  return savepoint;
}

const CHANGE = 'cp_2.1' as ChangeId;

async function entryOf(savepoint: Savepoint) {
  const { entries } = await savepoint.history({ limit: 100 });
  const found = entries.find(({ change }) => change.id === CHANGE);
  return { takenBack: found?.takenBack, hunks: found?.takenBackHunks };
}

describe('a hunk that was rolled back', () => {
  test('is remembered: a rollback of the entire change leaves its replacement alone', async () => {
    for (const selection of [{ session: 's-one' }, { changes: [CHANGE] }, { agent: 'one' }]) {
      const w = new TimelineWorld();
      const savepoint = await twoHunks(w);
      await savepoint.rollback({ hunks: [{ change: CHANGE, hunk: 2 }] }); // cp_3
      w.write('a.txt', linesOf(40, { 3: 'agent 3', 30: 'mine 30' }));
      const rolledBack = await savepoint.rollback(selection, { least: 'likely' }); // cp_5
      expect(w.read('a.txt')).toBe(linesOf(40, { 30: 'mine 30' }));
      expect(rolledBack.details.rolledBack).toEqual(['cp_2.1:1']);
      expect((await entryOf(savepoint)).takenBack).not.toBeNull();
    }
  });

  test('is listed by history and counted by stats, and no longer offered', async () => {
    const w = new TimelineWorld();
    const savepoint = await twoHunks(w);
    await savepoint.rollback({ hunks: [{ change: CHANGE, hunk: 2 }] }); // cp_3
    expect(await entryOf(savepoint)).toEqual({ takenBack: null, hunks: [{ hunk: 2, by: 'cp_3' }] });
    expect((await savepoint.stats()).steps).toMatchObject({ all: 1, takenBack: 1 });
    const { details } = await savepoint.previewRollback({ changes: [CHANGE] });
    expect(details.hunks.get(CHANGE)?.map(({ number }) => number)).toEqual([1]);
    await savepoint.undo();
    expect(await entryOf(savepoint)).toEqual({ takenBack: null, hunks: [] });
  });

  test('does not revert permissions or the name; rolling back the rest of the change does', async () => {
    const w = new TimelineWorld();
    const savepoint = w.open();
    w.write('a.txt', linesOf(40));
    w.shell('chmod 644 a.txt');
    await savepoint.checkpoint();
    await savepoint.session({ agent: 'one' }).call({ tool: 'Bash', kind: 'shell' }, () => {
      w.shell('mv a.txt b.txt && chmod 755 b.txt');
      w.write('b.txt', linesOf(40, { 3: 'agent 3', 30: 'agent 30' }));
    });
    await savepoint.rollback({ hunks: [{ change: CHANGE, hunk: 2 }] });
    w.shell('test -x b.txt');
    await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    expect(w.read('a.txt')).toBe(linesOf(40));
    w.shell('test ! -x a.txt && test ! -e b.txt');
  });
});

describe('where the current lines are kept', () => {
  test('the change whose lines stay is in effect, the reverted hunk is not', async () => {
    const w = new TimelineWorld();
    const savepoint = await twoHunks(w);
    w.write('a.txt', linesOf(40, { 3: 'agent 3, mine', 30: 'agent 30' }));
    const prefer = new Map([['a.txt' as TreePath, 'ours' as const]]);
    const { details } = await savepoint.rollback({ agent: 'one' }, { least: 'likely', prefer }); // cp_4
    expect(w.read('a.txt')).toBe(linesOf(40, { 3: 'agent 3, mine' }));
    expect(details.rolledBack).toEqual(['cp_2.1:2']);
    expect(await entryOf(savepoint)).toEqual({ takenBack: null, hunks: [{ hunk: 2, by: 'cp_4' }] });
    const theirs = new Map([['a.txt' as TreePath, 'theirs' as const]]);
    await savepoint.rollback({ changes: [CHANGE] }, { prefer: theirs });
    expect(w.read('a.txt')).toBe(linesOf(40));
  });

  test('of two consecutive changes, the reverted one is recognized', async () => {
    const w = new TimelineWorld();
    const savepoint = await twoHunks(w);
    await savepoint.session({ agent: 'one', id: 's-one' }).call({ tool: 'Bash', kind: 'shell' }, () => {
      w.write('a.txt', linesOf(40, { 3: 'agent 3', 20: 'agent 20', 30: 'agent 30' }));
    }); // cp_3
    w.write('a.txt', linesOf(40, { 3: 'agent 3', 20: 'agent 20, mine', 30: 'agent 30' }));
    const prefer = new Map([['a.txt' as TreePath, 'ours' as const]]);
    const { details } = await savepoint.rollback({ agent: 'one' }, { least: 'likely', prefer });
    expect(w.read('a.txt')).toBe(linesOf(40, { 20: 'agent 20, mine' }));
    expect(details.rolledBack).toEqual(['cp_2.1']);
    expect(details.results).toMatchObject([
      { result: 'merged', why: 'lines that were changed since are kept, as requested' },
    ]);
  });

  test('of a change in two copies of a file, only the hunk that is reverted in both counts', async () => {
    const w = new TimelineWorld();
    const savepoint = await twoHunks(w);
    const session = savepoint.session({ agent: 'two' });
    await session.call({ tool: 'Bash', kind: 'shell' }, () => w.shell('mv a.txt c.txt')); // cp_3
    await savepoint.restore('cp_2', { paths: ['a.txt' as TreePath], mode: 'exact' }); // cp_4
    w.write('c.txt', linesOf(40, { 3: 'mine 3', 30: 'agent 30' }));
    const prefer = new Map([['c.txt' as TreePath, 'ours' as const]]);
    const { details } = await savepoint.rollback({ changes: [CHANGE] }, { prefer });
    expect([w.read('a.txt'), w.read('c.txt')]).toEqual([linesOf(40), linesOf(40, { 3: 'mine 3' })]);
    expect(details.rolledBack).toEqual(['cp_2.1:2']);
  });

  test('nothing is rolled back if all of it stays', async () => {
    const w = new TimelineWorld();
    const savepoint = await twoHunks(w);
    w.write('a.txt', linesOf(40, { 3: 'agent 3, mine', 30: 'agent 30, mine' }));
    const prefer = new Map([['a.txt' as TreePath, 'ours' as const]]);
    const { details } = await savepoint.rollback({ agent: 'one' }, { least: 'likely', prefer });
    expect(details).toMatchObject({ rolledBack: [], results: [{ result: 'skipped' }] });
    expect((await entryOf(savepoint)).takenBack).toBeNull();
  });

  test('permissions are reverted anyway, and none of the changes counts as rolled back', async () => {
    if (process.platform === 'win32') return;
    const w = new TimelineWorld();
    const savepoint = w.open();
    w.write('a.txt', linesOf(5));
    w.shell('chmod 644 a.txt');
    await savepoint.checkpoint();
    const session = savepoint.session({ agent: 'one' });
    await session.call({ tool: 'Bash', kind: 'shell' }, () => {
      w.shell('chmod 755 a.txt');
      w.write('a.txt', linesOf(5, { 3: 'agent' }));
    });
    w.write('a.txt', linesOf(5, { 3: 'mine' }));
    const prefer = new Map([['a.txt' as TreePath, 'ours' as const]]);
    const { checkpoint, details } = await savepoint.rollback({ agent: 'one' }, { least: 'likely', prefer });
    expect(w.read('a.txt')).toBe(linesOf(5, { 3: 'mine' }));
    w.shell('test ! -x a.txt');
    expect([details.rolledBack, checkpoint?.description]).toEqual([[], 'Rolled back nothing']);
  });
});
