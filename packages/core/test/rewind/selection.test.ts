import type { ChangeId, Savepoint } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { linesOf, TimelineWorld } from '../timeline/query/timeline-world.ts';

/** Which changes a rollback selects. */

type Selection = Parameters<Savepoint['rollback']>[0];

const change = (id: string): ChangeId => id as ChangeId;
const hunk = (id: string, number: number) => ({ change: change(id), hunk: number });

/** cp_1: `a`; cp_2: one changes lines 3 and 30 of it; cp_3: two changes line 20; cp_4: a person adds `mine`. */
async function timeline(): Promise<{ w: TimelineWorld; savepoint: Savepoint }> {
  const w = new TimelineWorld();
  const savepoint = w.open();
  w.write('a', linesOf(40));
  await savepoint.checkpoint();
  const bash = { tool: 'Bash', kind: 'shell' } as const;
  const ones = linesOf(40, { 3: 'one 3', 30: 'one 30' });
  await savepoint.session({ agent: 'one', id: 's-one' }).call(bash, () => w.write('a', ones));
  const both = linesOf(40, { 3: 'one 3', 20: 'two 20', 30: 'one 30' });
  await savepoint.session({ agent: 'two', id: 's-two' }).call(bash, () => w.write('a', both));
  w.write('mine', 'mine\n');
  await savepoint.checkpoint();
  return { w, savepoint };
}

async function chosen(savepoint: Savepoint, selection: Selection): Promise<readonly string[]> {
  return (await savepoint.previewRollback(selection, { least: 'likely' })).details.chosen.map(
    ({ change: { id } }) => id,
  );
}

async function skipped(savepoint: Savepoint, selection: Selection): Promise<readonly string[]> {
  const { details } = await savepoint.previewRollback(selection, { least: 'likely' });
  return details.skipped.map(({ change: { id }, why }) => `${id}: ${why}`);
}

describe('changes and hunks by id', () => {
  test('that do not exist are an error', async () => {
    const { savepoint } = await timeline();
    const messages = async (selection: Selection): Promise<unknown> =>
      savepoint.previewRollback(selection, { least: 'likely' }).catch(({ code, message }) => `${code}: ${message}`);
    expect(await messages({ changes: [change('cp_2.2')] })).toBe(
      'UNKNOWN_CHANGE: There is no change cp_2.2: cp_2 has 1 change.',
    );
    expect(await messages({ changes: [change('cp_9.1')] })).toBe(
      'UNKNOWN_CHANGE: There is no change cp_9.1: there is no checkpoint cp_9.',
    );
    expect(await messages({ hunks: [hunk('cp_2.1', 3)] })).toBe(
      'UNKNOWN_CHANGE: There is no hunk 3 in cp_2.1 (a): it has 2 hunks.',
    );
  });

  test('that exist but do not match another criterion are no error', async () => {
    const { savepoint } = await timeline();
    expect(await chosen(savepoint, { changes: [change('cp_2.1'), change('cp_3.1')], agent: 'two' })).toEqual([
      'cp_3.1',
    ]);
  });

  test('both given: only hunks of those changes', async () => {
    const { w, savepoint } = await timeline();
    const hunks = [hunk('cp_2.1', 2), hunk('cp_3.1', 1)];
    const { details } = await savepoint.rollback({ changes: [change('cp_2.1')], hunks });
    expect(details.rolledBack).toEqual(['cp_2.1:2']);
    expect(w.read('a')).toBe(linesOf(40, { 3: 'one 3', 20: 'two 20' }));
  });
});

describe('operations of Savepoint', () => {
  test('that reverted something are left to undo, except restores', async () => {
    const { savepoint } = await timeline();
    await savepoint.rollback({ agent: 'one' }, { least: 'likely' }); // cp_5
    expect(await chosen(savepoint, { agent: 'user' })).toEqual([]);
    expect(await skipped(savepoint, { agent: 'user' })).toEqual([
      'cp_5.1: cp_5 (rollback) is itself an operation of Savepoint; use undo to revert it',
    ]);
    await savepoint.restore('cp_4'); // cp_6
    expect(await chosen(savepoint, { agent: 'user' })).toEqual(['cp_6.1']);
  });

  test('with too many changes to list are by their actor', async () => {
    const { w, savepoint } = await timeline();
    await savepoint.restore('cp_1', { mode: 'exact' }); // cp_5
    w.dropList('cp_5');
    expect(await chosen(w.open(), { agent: 'user' })).toEqual(['cp_5.1', 'cp_5.2']);
    expect(await chosen(w.open(), { agent: 'outside' })).toEqual([]);
  });
});

test('changes by a person are selected only by their author', async () => {
  const { savepoint } = await timeline();
  expect(await chosen(savepoint, { after: { checkpoint: 2 } })).toEqual(['cp_3.1']);
  expect(await skipped(savepoint, { after: { checkpoint: 2 } })).toEqual([
    'cp_4.1: it was not made by an agent (author: outside)',
  ]);
  expect(await chosen(savepoint, { agent: 'outside' })).toEqual(['cp_4.1']);
});

test('a change of an uncertain author is skipped, unless shared changes are included', async () => {
  const { w, savepoint } = await timeline();
  const sessions = ['one', 'two'].map((agent) => savepoint.session({ agent, id: `s-${agent}` }));
  for (const session of sessions) await session.begin({ tool: 'Bash', kind: 'shell', id: `of-${session.actor.name}` });
  w.write('whose', 'whose?\n');
  await sessions[0]?.end('of-one'); // cp_5
  await sessions[1]?.end('of-two');
  const after = { checkpoint: 4 };
  expect(await chosen(savepoint, { agent: 'one', after })).toEqual([]);
  expect(await skipped(savepoint, { agent: 'one', after })).toEqual([
    'cp_5.1: it may be from one (call of-one) or two (call of-two) or outside',
  ]);
  await savepoint.rollback({ agent: 'one', after }, { least: 'open' });
  w.shell('test ! -e whose');
});
