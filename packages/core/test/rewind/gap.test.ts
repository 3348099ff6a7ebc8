import { existsSync } from 'node:fs';
import type { Savepoint } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { DamagedWorld } from '../damaged-store.ts';
import { failure } from '../failure.ts';
import { linesOf, type TimelineWorld, tree, worldWith } from '../timeline/query/timeline-world.ts';

/** Promise 6 where checkpoints are missing: what changed there may be a person's, and is not reverted without a question. */

const DROPPED = 'it changed since cp_1, and the record of who changed it was dropped or cannot be read';
const SHELL = { tool: 'Bash', kind: 'shell' } as const;

interface World {
  readonly w: TimelineWorld;
  readonly savepoint: Savepoint;
}

/** cp_1, then a person's cp_2, then cp_3 by an agent, and its cp_4. */
async function personThenAgent(): Promise<World> {
  const { w, savepoint } = await worldWith({ person: 'p\n', agent: 'l1\n' });
  w.write('person', 'p\nmine\n');
  await savepoint.checkpoint();
  const session = savepoint.session({ agent: 'one', id: 's-one' });
  await session.call(SHELL, () => w.write('agent', 'l1\nl2\n'));
  await session.call(SHELL, () => w.write('agent', 'l1\nl2\nl3\n'));
  return { w, savepoint };
}

function conflictsOf(found: { readonly plan: { readonly conflicts: readonly unknown[] } }): readonly unknown[] {
  return found.plan.conflicts;
}

describe('a restore across dropped checkpoints', () => {
  test('after a drop, asks about files whose changes have no recorded author', async () => {
    const { w, savepoint } = await personThenAgent();
    await savepoint.drop(['cp_2']);
    const preview = await savepoint.previewRestore('cp_1');
    expect(conflictsOf(preview)).toEqual([{ path: 'person', why: DROPPED }]);
    expect(preview.parties).toEqual({ agents: ['one'], outside: ['person'] });
    expect(await failure(savepoint.restore('cp_1'))).toMatchObject({
      code: 'CONFLICT',
      data: { paths: [{ path: 'person', why: DROPPED }] },
    });
    expect(w.read('person')).toBe('p\nmine\n');
    await savepoint.restore('cp_1', { mode: 'exact' });
    expect(w.read('person')).toBe('p\n');
  });

  test('asks if the checkpoints that named the agent were dropped', async () => {
    const { w, savepoint } = await personThenAgent();
    w.write('later', 'x\n');
    await savepoint.checkpoint();
    await savepoint.drop(['cp_3', 'cp_4']);
    const { plan, parties } = await savepoint.previewRestore('cp_1');
    expect(plan.conflicts).toEqual([
      { path: 'agent', why: DROPPED },
      { path: 'later', why: expect.stringContaining('by others than agents') },
      { path: 'person', why: expect.stringContaining('by others than agents') },
    ]);
    expect(parties).toEqual({ agents: [], outside: ['agent', 'later', 'person'] });
    // Only paths that the restore would change count.
    expect((await savepoint.previewRestore('cp_1', { paths: tree('later') })).plan.conflicts).toEqual([]);
  });

  test('asks after the deletion of a session that had recorded the changes of a person', async () => {
    const { w, savepoint } = await worldWith({ person: 'p\n', agent: 'l1\n' });
    w.write('person', 'p\nmine\n');
    await savepoint.session({ agent: 'one', id: 's-one' }).prompt('Go on.');
    await savepoint.session({ agent: 'two', id: 's-two' }).call(SHELL, () => w.write('agent', 'l1\nl2\n'));
    expect((await savepoint.forgetSession('s-one')).dropped).toEqual(['cp_2']);
    expect(conflictsOf(await savepoint.previewRestore('cp_1'))).toEqual([{ path: 'person', why: DROPPED }]);
    await savepoint.restore('cp_1', { mode: 'keep-outside' });
    expect(w.read('person')).toBe('p\nmine\n');
  });

  test('asks after a clean-up that kept a pinned checkpoint', async () => {
    const { w, savepoint } = await personThenAgent();
    await savepoint.pin('cp_1');
    const { dropped } = await savepoint.gc({ retention: { maxCheckpoints: 1 } });
    expect(dropped).toEqual(['cp_2']);
    expect(conflictsOf(await savepoint.previewRestore('cp_1'))).toEqual([{ path: 'person', why: DROPPED }]);
    expect(w.read('person')).toBe('p\nmine\n');
  });

  test('takes what the next checkpoint lists as its own: renames, files in new folders, and files that are back', async () => {
    const { w, savepoint } = await worldWith({ a: linesOf(9), back: 'old\n', 'd/x': 'x\n', gone: 'g\n' });
    w.write('back', 'other\n');
    w.write('e/by-person', 'y\n');
    w.delete('gone');
    await savepoint.checkpoint();
    await savepoint.session({ agent: 'one', id: 's-one' }).call(SHELL, () => {
      w.shell('mv a b');
      w.write('back', 'old\n');
      w.write('new/folder/z', 'z\n');
      w.delete('d');
      w.write('gone', 'again\n');
    });
    await savepoint.drop(['cp_2']);
    const { plan } = await savepoint.previewRestore('cp_1');
    expect(plan.conflicts.map(({ path }) => path)).toEqual(['e/by-person', 'gone']);
  });

  test('counts all changes if the next checkpoint does not list its own', async () => {
    const { w } = await personThenAgent();
    w.dropList('cp_3');
    await w.open().drop(['cp_2']);
    const { plan } = await w.open().previewRestore('cp_1');
    expect(plan.conflicts.map(({ path }) => path)).toEqual(['agent', 'person']);
  });

  test('does not ask if nothing changed in the dropped one', async () => {
    const { w, savepoint } = await worldWith({ agent: 'l1\n' });
    await savepoint.checkpoint({ message: 'nothing' });
    await savepoint.session({ agent: 'one', id: 's-one' }).call(SHELL, () => w.write('agent', 'l2\n'));
    await savepoint.drop(['cp_2']);
    expect(conflictsOf(await savepoint.previewRestore('cp_1'))).toEqual([]);
  });
});

test('a restore asks about everything that it would change if damage hides what changed', async () => {
  const w = new DamagedWorld();
  const states = ['p', 'mine', 'mine too'];
  for (const state of states) {
    w.write('d/person', `${state}\n`);
    w.write('agent', 'l1\n');
    await w.open().checkpoint();
  }
  await w
    .open()
    .session({ agent: 'one', id: 's-one' })
    .call(SHELL, () => w.write('agent', 'l2\n')); // cp_4
  w.damageObject(w.idOf('refs/savepoint/cp/2:files/d'));
  w.damageObject(w.idOf('refs/savepoint/cp/3:checkpoint.json'));
  const { plan } = await w.open().previewRestore('cp_1');
  expect(plan.conflicts.map(({ path }) => path)).toEqual(['agent', 'd/person']);
});

describe('keep-outside across dropped checkpoints', () => {
  test('keeps and names what changed in the gap, and what the next checkpoint changed', async () => {
    const { w, savepoint } = await personThenAgent();
    await savepoint.drop(['cp_2']);
    const { plan } = await savepoint.restore('cp_1', { mode: 'keep-outside' });
    expect(plan.kept).toEqual(
      expect.arrayContaining([
        { path: 'person', why: DROPPED },
        { path: 'agent', why: 'the state before it is no longer in the store' },
      ]),
    );
    expect([w.read('person'), w.read('agent')]).toEqual(['p\nmine\n', 'l1\nl2\n']);
  });

  test('keeps all changes of others if the record of the agents was dropped', async () => {
    const { w, savepoint } = await personThenAgent();
    w.write('later', 'x\n');
    await savepoint.checkpoint();
    await savepoint.drop(['cp_3', 'cp_4']);
    const { plan } = await savepoint.restore('cp_1', { mode: 'keep-outside' });
    expect(plan.kept).toContainEqual({ path: 'agent', why: DROPPED });
    expect([w.read('person'), w.read('agent'), existsSync(w.at('later'))]).toEqual(['p\nmine\n', 'l1\nl2\nl3\n', true]);
  });
});

describe('a session that goes back across dropped checkpoints', () => {
  async function conversation(): Promise<World & { readonly session: ReturnType<Savepoint['session']> }> {
    const { w, savepoint } = await worldWith({ person: 'p\n', agent: 'l1\n' });
    const session = savepoint.session({ agent: 'one', id: 's-one' });
    await session.message('m-1'); // cp_2
    w.write('person', 'p\nmine\n');
    await savepoint.checkpoint(); // cp_3
    await session.message('m-2'); // cp_4
    await session.call(SHELL, () => w.write('agent', 'l1\nl2\n'));
    await savepoint.drop(['cp_3']);
    return { w, savepoint, session };
  }

  test('it is a conflict, and keep-outside reverts only its own work', async () => {
    const { w, savepoint, session } = await conversation();
    const ids = (await savepoint.list()).checkpoints.map(({ id }) => id);
    expect(ids).not.toContain('cp_3');
    expect(await failure(session.rollbackTo('m-1', { before: true, what: 'files' }))).toMatchObject({
      code: 'CONFLICT',
      data: { paths: [{ path: 'person', why: expect.stringContaining('the record of who changed it was dropped') }] },
    });
    expect([w.read('person'), w.read('agent')]).toEqual(['p\nmine\n', 'l1\nl2\n']);
    await session.rollbackTo('m-1', { before: true, what: 'files', mode: 'keep-outside' });
    expect([w.read('person'), w.read('agent')]).toEqual(['p\nmine\n', 'l1\n']);
  });
});

test('a conflict names nobody if the record of one of the authors was dropped', async () => {
  const { w, savepoint } = await worldWith({ a: linesOf(9) });
  const session = savepoint.session({ agent: 'one', id: 's-one' });
  await session.call(SHELL, () => w.write('a', linesOf(9, { 3: 'agent' }))); // cp_2
  w.write('a', linesOf(9, { 3: 'mine' }));
  await savepoint.checkpoint(); // cp_3
  w.write('a', linesOf(9).replace('line 3\n', ''));
  await savepoint.checkpoint(); // cp_4
  const reason = async (): Promise<string> => {
    const { plan } = await savepoint.previewRollback({ session: 's-one' }, { least: 'likely' });
    return plan.conflicts.map(({ why }) => why).join();
  };
  expect(await reason()).toMatch(/cp_4.*cp_3/);
  await savepoint.drop(['cp_3']);
  expect(await reason()).toMatch(/^(?!.*cp_4).+/);
});
