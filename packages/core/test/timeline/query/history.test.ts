import { writeFileSync } from 'node:fs';
import type { HistoryPage, Savepoint, TreePath } from '@savepoint/core';
import type { HistoryFilter } from '@savepoint/core/ports';
import { describe, expect, test } from 'vitest';
import { linesOf, TimelineWorld, tree } from './timeline-world.ts';

/** Two agents, a person and an operation of Savepoint in one folder. */
async function severalHands(w: TimelineWorld): Promise<Savepoint> {
  const savepoint = w.open();
  w.write('a.ts', linesOf(5));
  w.write('src/b.ts', linesOf(5));
  const one = savepoint.session({ agent: 'one', id: 's-one' });
  const two = savepoint.session({ agent: { kind: 'agent', name: 'two', id: 'helper' }, id: 's-two' });
  await one.start(); // cp_1
  w.pass(100);
  await one.call({ tool: 'Edit', kind: 'edit', paths: tree('a.ts'), id: 'c-1' }, () =>
    w.write('a.ts', linesOf(5, { 2: 'by one' })),
  ); // cp_2
  w.pass(100);
  await two.call({ tool: 'Bash', kind: 'shell', args: { command: 'make' }, id: 'c-2' }, () => {
    w.write('src/b.ts', linesOf(6));
    w.write('src/c.ts', 'new\n');
  }); // cp_3
  w.pass(100);
  w.write('mine.txt', 'mine\n');
  await one.call({ tool: 'Bash', kind: 'shell', args: { command: 'rm a.ts' }, id: 'c-3' }, () => w.delete('a.ts')); // cp_4, cp_5
  w.pass(100);
  await savepoint.edit([
    { given: 'src/c.ts', path: 'src/c.ts' as TreePath, edits: [{ op: 'delete' }], expectedHash: null, force: false },
  ]); // cp_6
  return savepoint;
}

const lines = ({ entries }: HistoryPage): readonly string[] =>
  entries.map(({ change, checkpoint }) => {
    const who = change.by.authors.map(({ actor, session }) => `${actor.name}${session === null ? '' : ` ${session}`}`);
    return `${change.id} ${change.operation} ${change.path} +${change.added} -${change.removed} ${who.join(', ')} ${checkpoint.trigger}`;
  });

describe('history', () => {
  test('lists changes newest first, each with its author', async () => {
    const savepoint = await severalHands(new TimelineWorld());
    const page = await savepoint.history({ limit: 100 });
    expect(lines(page)).toEqual([
      'cp_6.1 delete src/c.ts +0 -1 user edit',
      'cp_5.1 delete a.ts +0 -5 one s-one call',
      'cp_4.1 create mine.txt +1 -0 outside before',
      'cp_3.2 create src/c.ts +1 -0 two s-two call',
      'cp_3.1 write src/b.ts +1 -0 two s-two call',
      'cp_2.1 patch a.ts +1 -1 one s-one call',
    ]);
    expect(page).toMatchObject({ more: false, damaged: [], unlisted: [{ id: 'cp_1', why: 'first', files: 2 }] });
  });

  test('filters by session, agent, sub-agent, tool, operation, file, folder and time, and by several of them', async () => {
    const w = new TimelineWorld();
    const began = w.now;
    const savepoint = await severalHands(w);
    const ids = async (filter: HistoryFilter): Promise<readonly string[]> =>
      (await savepoint.history({ limit: 100, ...filter })).entries.map(({ change }) => change.id.slice(3));
    expect(await ids({ session: 's-one' })).toEqual(['5.1', '2.1']);
    expect(await ids({ agent: 'two' })).toEqual(['3.2', '3.1']);
    expect(await ids({ agent: 'two/helper' })).toEqual(['3.2', '3.1']);
    expect(await ids({ agent: 'outside' })).toEqual(['4.1']);
    expect(await ids({ agent: 'user' })).toEqual(['6.1']);
    expect(await ids({ tool: 'Bash' })).toEqual(['5.1', '3.2', '3.1']);
    expect(await ids({ tool: 'edit' })).toEqual(['6.1']);
    expect(await ids({ path: 'a.ts' as TreePath })).toEqual(['5.1', '2.1']);
    expect(await ids({ path: 'src' as TreePath })).toEqual(['6.1', '3.2', '3.1']);
    expect(await ids({ since: began + 300_000 })).toEqual(['6.1', '5.1', '4.1']);
    expect(await ids({ until: began + 100_000 })).toEqual(['2.1']);
    expect(await ids({ agent: 'one', tool: 'Bash' })).toEqual(['5.1']);
    expect(await ids({ session: 's-one', path: 'src' as TreePath })).toEqual([]);
  });

  test('a page continues where the previous one ended, also within a checkpoint', async () => {
    const savepoint = await severalHands(new TimelineWorld());
    const all = (await savepoint.history({ limit: 100 })).entries.map(({ change }) => change.id);
    for (const limit of [1, 2, 4, 5, 6]) {
      const seen: string[] = [];
      let page = await savepoint.history({ limit });
      const named = page.unlisted.map(({ id }) => id);
      for (;;) {
        seen.push(...page.entries.map(({ change }) => change.id));
        const last = page.entries.at(-1);
        if (!page.more || last === undefined) break;
        page = await savepoint.history({ limit, before: last.change.id });
        named.push(...page.unlisted.map(({ id }) => id));
      }
      expect(seen).toEqual(all);
      expect(named).toEqual(['cp_1']);
    }
  });

  test('names the operation that reverted a change, and shows it in effect after a redo', async () => {
    const savepoint = await severalHands(new TimelineWorld());
    const newest = async (): Promise<unknown> =>
      (await savepoint.history({ limit: 100 })).entries.find(({ change }) => String(change.id) === 'cp_6.1')?.takenBack;
    expect(await newest()).toBeNull();
    await savepoint.undo();
    expect(await newest()).toBe('cp_7');
    await savepoint.redo();
    expect(await newest()).toBeNull();
  });

  test('a checkpoint with too many changes, and a damaged one, are listed and not omitted', async () => {
    const w = new TimelineWorld();
    const savepoint = w.open();
    for (const text of ['one', 'two', 'three', 'four']) {
      w.write('a.ts', `${text}\n`);
      await savepoint.checkpoint();
    }
    w.dropList('cp_3');
    expect(await w.open().history({ limit: 100 })).toMatchObject({
      entries: [{ change: { id: 'cp_4.1' } }, { change: { id: 'cp_2.1' } }],
      unlisted: [
        { id: 'cp_3', why: 'too-many', files: 10_001 },
        { id: 'cp_1', why: 'first', files: 1 },
      ],
      damaged: [],
    });
    // Not listed for a page that ends before it.
    expect((await w.open().history({ limit: 1 })).unlisted).toEqual([]);
    writeFileSync(`${w.onlyStore}/objects.git/refs/savepoint/cp/3`, `${'0'.repeat(39)}1\n`);
    const page = await w.open().history({ limit: 100 });
    expect(page.damaged.map(({ id, error }) => [id, error.code])).toEqual([['cp_3', 'STORE_DAMAGED']]);
    expect(page.entries.map(({ change }) => change.id)).toEqual(['cp_4.1', 'cp_2.1']);
  });
});

test('the library emits each change, also changes from outside that an operation finds', async () => {
  const w = new TimelineWorld();
  const savepoint = w.open();
  const heard: string[] = [];
  savepoint.on('checkpoint:created', ({ checkpoint }) => heard.push(checkpoint.id));
  savepoint.on('change:recorded', ({ checkpoint, change }) => heard.push(`${change.id} of ${checkpoint.id}`));
  savepoint.on('restore:completed', ({ checkpoint }) => heard.push(`restored in ${checkpoint.id}`));
  w.write('a.ts', 'one\n');
  const session = savepoint.session({ agent: 'one' });
  await session.start();
  await session.call({ tool: 'Bash', kind: 'shell' }, () => w.write('a.ts', 'two\n'));
  w.write('outside.txt', 'outside\n');
  await savepoint.restore('cp_1', { paths: tree('a.ts') });
  expect(heard).toEqual([
    'cp_1',
    'cp_2',
    'cp_2.1 of cp_2',
    'cp_3',
    'cp_3.1 of cp_3',
    'cp_4',
    'cp_4.1 of cp_4',
    'restored in cp_4',
  ]);
});
