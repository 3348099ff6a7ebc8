import type { Savepoint } from '@savepoint/core';
import { expect, test } from 'vitest';
import { failure } from '../failure.ts';
import { TimelineWorld, tree, worldWith } from '../timeline/query/timeline-world.ts';

/** A restore that would bring back what somebody reverted after its target says so, and asks as for other work. */

const BY_AGENT = '1\nAGENT\n3\n';
const NOTE = { path: 'a', why: 'gets back changes by one that were rolled back in cp_3' };

/** The agent changed `a` in cp_2. */
async function changed(): Promise<{
  w: TimelineWorld;
  savepoint: Savepoint;
  write(path: string, text: string): Promise<void>;
}> {
  const { w, savepoint } = await worldWith({ a: '1\n2\n3\n', b: 'b\n' });
  const session = savepoint.session({ agent: 'one', id: 's-one' });
  const write = async (path: string, text: string): Promise<void> => {
    await session.call({ tool: 'Edit', kind: 'edit', paths: tree(path) }, () => w.write(path, text));
  };
  await write('a', BY_AGENT);
  return { w, savepoint, write };
}

/** A person rolled it back in cp_3. */
async function rolledBack(): ReturnType<typeof changed> {
  const world = await changed();
  await world.savepoint.rollback({ agent: 'one' }, { least: 'likely' });
  return world;
}

test('if only the person changed files since, it is noted', async () => {
  const { w, savepoint } = await rolledBack();
  const { plan, parties } = await savepoint.previewRestore('cp_2');
  expect([plan.notes, plan.conflicts, parties]).toEqual([[NOTE], [], null]);
  expect((await savepoint.restore('cp_2')).plan.notes).toEqual([NOTE]);
  expect(w.read('a')).toBe(BY_AGENT);
});

test('if an agent changed files since as well, the caller must choose', async () => {
  const { w, savepoint, write } = await rolledBack();
  await write('b', 'agent\n');
  const { code, data } = await failure(savepoint.restore('cp_2'));
  const why = `changed, or perhaps changed, by others than agents since cp_2; it ${NOTE.why}`;
  expect([code, data]).toEqual(['CONFLICT', { paths: [{ path: 'a', why }] }]);
  expect((await savepoint.previewRestore('cp_2')).parties).toEqual({ agents: ['one'], outside: ['a'] });
  const kept = await savepoint.restore('cp_2', { mode: 'keep-outside' });
  expect([w.read('a'), w.read('b'), kept.plan.notes ?? []]).toEqual(['1\n2\n3\n', 'b\n', []]);
  await savepoint.undo();
  expect((await savepoint.restore('cp_2', { mode: 'exact' })).plan.notes).toEqual([NOTE]);
  expect([w.read('a'), w.read('b')]).toEqual([BY_AGENT, 'b\n']);
});

test('an undo or a restore by the person counts as well, a rollback that was undone does not', async () => {
  const noteOf = async (savepoint: Savepoint, name: string) => (await savepoint.previewRestore(name)).plan.notes;
  const { savepoint } = await rolledBack();
  await savepoint.undo();
  expect(await noteOf(savepoint, 'cp_3')).toEqual([
    { path: 'a', why: 'gets back changes by the user that were undone in cp_4' },
  ]);
  const again = await changed();
  await again.savepoint.restore('cp_1');
  expect(await noteOf(again.savepoint, 'cp_2')).toEqual([
    { path: 'a', why: 'gets back changes by one that were reverted by a restore in cp_3' },
  ]);
  await again.savepoint.undo();
  again.w.write('a', 'mine\n');
  expect(await noteOf(again.savepoint, 'cp_2')).toEqual([]);
});

test('a restore to a later state than an earlier restore is not asked about', async () => {
  const { w, savepoint, write } = await changed();
  await savepoint.restore('cp_1');
  await write('b', 'agent\n');
  const { plan, parties } = await savepoint.previewRestore('cp_2');
  expect([plan.notes?.length, plan.conflicts, parties]).toEqual([1, [], null]);
  await savepoint.restore('cp_2');
  expect([w.read('a'), w.read('b')]).toEqual([BY_AGENT, 'b\n']);
});

test('a session that goes back in its conversation does not bring back what a person rolled back', async () => {
  const { w, savepoint, write } = await changed();
  const session = savepoint.session({ agent: 'one', id: 's-one' });
  await session.prompt('Go on.', 'm-1'); // cp_3
  await savepoint.rollback({ agent: 'one' }, { least: 'likely' }); // cp_4
  await write('b', 'agent\n');
  const { code, data } = await failure(session.rollbackTo('m-1', { before: true, what: 'files' }));
  const why = expect.stringMatching(/; it gets back changes by one that were rolled back in cp_4$/);
  expect([code, data]).toEqual(['CONFLICT', { paths: [{ path: 'a', why }] }]);
  expect([w.read('a'), w.read('b')]).toEqual(['1\n2\n3\n', 'agent\n']);
});

test('a restore to before the change brings nothing back, even if others changed the path since', async () => {
  const { w, savepoint, write } = await rolledBack();
  await write('b', 'agent\n');
  expect((await savepoint.previewRestore('cp_1')).plan).toMatchObject({ notes: [], conflicts: [] });
  await write('a', 'agent again\n');
  expect((await savepoint.previewRestore('cp_1')).plan).toMatchObject({ notes: [], conflicts: [] });
  await savepoint.restore('cp_1');
  expect([w.read('a'), w.read('b')]).toEqual(['1\n2\n3\n', 'b\n']);
});

test('hunks that were rolled back one by one count, and many paths are not all listed', async () => {
  const { w, savepoint } = await worldWith(
    Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i + 10}`, 'x\n'])),
  );
  const session = savepoint.session({ agent: 'one', id: 's-one' });
  await session.call({ tool: 'Bash', kind: 'shell' }, () => {
    for (let i = 10; i < 40; i++) w.write(`f${i}`, `1\n${'x\n'.repeat(20)}2\n`);
  });
  await savepoint.rollback({ hunks: [{ change: 'cp_2.1', hunk: 1 } as never] }, { least: 'likely' });
  const one = (await savepoint.previewRestore('cp_2')).plan.notes ?? [];
  expect(one.map(({ path, why }) => [path, why])).toEqual([['f10', expect.stringContaining('rolled back in cp_3')]]);
  await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
  const notes = (await savepoint.previewRestore('cp_2')).plan.notes ?? [];
  expect(notes.length).toBe(21);
  expect(notes[20]?.why).toMatch(/^and \d+ more: gets back/);
});

test('a deletion by a person that was restored is not asked about, but other work of a person is', async () => {
  const w = new TimelineWorld();
  const savepoint = w.open();
  w.write('a.txt', 'a\n');
  w.write('b.txt', 'b\n');
  await savepoint.checkpoint(); // cp_1
  const one = savepoint.session({ agent: 'one', id: 's-1' });
  const write = (text: string, id: string): Promise<void> =>
    one.call({ tool: 'Write', kind: 'write', paths: tree('a.txt'), id }, () => w.write('a.txt', text));
  await write('of one\n', 'c-1'); // cp_2
  w.delete('a.txt');
  await savepoint.checkpoint(); // cp_3
  expect((await savepoint.previewRestore('cp_1')).plan.conflicts).toHaveLength(1);
  await savepoint.restore('cp_2', { mode: 'exact', paths: ['a.txt'] });
  const { parties, plan } = await savepoint.previewRestore('cp_1');
  expect([parties, plan.conflicts, plan.paths.map(({ path }) => path)]).toEqual([null, [], ['a.txt']]);
  w.write('a.txt', 'of one\nof a person\n');
  await savepoint.checkpoint();
  expect((await savepoint.previewRestore('cp_1')).parties).toEqual({ agents: ['one'], outside: ['a.txt'] });
});

test('paths of a checkpoint that has too many changes to list count as well, a folder only for itself', async () => {
  const { w, savepoint, write } = await changed();
  w.write('d/new', 'mine\n');
  w.write('old', 'mine\n');
  await savepoint.checkpoint();
  w.dropList('cp_3');
  await write('b', 'agent\n');
  const { parties } = await w.open().previewRestore('cp_2');
  expect(parties).toEqual({ agents: ['one'], outside: ['d/new', 'old'] });
});
