import { existsSync, readFileSync } from 'node:fs';
import type { ChangeId, DiskPath, Savepoint, TreePath } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { linesOf, TimelineWorld, tree } from '../query/timeline-world.ts';
import { type AgentSession, changes, EXACT, KEEP, takenBack, writes } from './agents.ts';

async function offered(savepoint: Savepoint): Promise<readonly string[]> {
  const { details } = await savepoint.previewRollback({}, { least: 'likely' });
  return details.chosen.map(({ change }) => change.id);
}

/** cp_1: a.txt and b.txt; cp_2: one's line in a.txt; cp_3: two's in b.txt; cp_4: two's in a.txt. */
async function twoAgents(w: TimelineWorld): Promise<Savepoint> {
  const savepoint = w.open();
  w.write('a.txt', linesOf(5));
  w.write('b.txt', 'b\n');
  await savepoint.checkpoint();
  const [one, two] = ['one', 'two'].map((agent) => savepoint.session({ agent, id: `s-${agent}` })) as [
    AgentSession,
    AgentSession,
  ];
  await writes(w, one, 'a.txt', `one\n${linesOf(5)}`);
  await writes(w, two, 'b.txt', 'b\ntwo\n');
  await writes(w, two, 'a.txt', `one\n${linesOf(5)}two\n`);
  return savepoint;
}

test('a restore that brings back what was rolled back: in effect for history, stats and rollback', async () => {
  const w = new TimelineWorld();
  const savepoint = w.open();
  w.write('a.txt', 'a\n');
  await savepoint.checkpoint();
  await writes(w, savepoint.session({ agent: 'one', id: 's-one' }), 'a.txt', 'a\none\n'); // cp_2
  await savepoint.rollback(changes('cp_2.1')); // cp_3
  expect(await takenBack(savepoint)).toEqual({ 'cp_2.1': 'cp_3' });
  expect(await offered(savepoint)).toEqual([]);
  await savepoint.restore('cp_2', EXACT); // cp_4
  expect(w.read('a.txt')).toBe('a\none\n');
  expect(await takenBack(savepoint)).toEqual({ 'cp_3.1': 'cp_4' });
  expect((await savepoint.stats()).changes).toEqual({ all: 1, standing: 1, success: 1 });
  expect(await offered(savepoint)).toEqual(['cp_2.1']);
  await savepoint.rollback(changes('cp_2.1')); // cp_5
  expect(w.read('a.txt')).toBe('a\n');
  expect(await takenBack(savepoint)).toMatchObject({ 'cp_2.1': 'cp_5' });
});

test('a restore to before all work: nothing is in effect, and stats counts the work as reverted by people', async () => {
  const w = new TimelineWorld();
  const savepoint = await twoAgents(w);
  expect((await savepoint.stats()).changes).toEqual({ all: 3, standing: 3, success: 1 });
  await savepoint.restore('cp_1', EXACT); // cp_5
  expect(await takenBack(savepoint)).toEqual({ 'cp_2.1': 'cp_5', 'cp_3.1': 'cp_5', 'cp_4.1': 'cp_5' });
  expect(await savepoint.stats()).toMatchObject({
    changes: { all: 3, standing: 0, success: 0 },
    steps: { all: 3, takenBack: 3, rollBackRate: 1 },
  });
  expect(await offered(savepoint)).toEqual([]);
  const { details } = await savepoint.previewRollback(changes('cp_2.1'));
  expect(details.skipped[0]?.why).toBe('it was already reverted by cp_5 (a restore)');
});

describe('operations that revert changes', () => {
  test('a restore of one path affects that path, not after its undo, and again after the redo', async () => {
    const w = new TimelineWorld();
    const savepoint = await twoAgents(w);
    await savepoint.restore('cp_2', { ...EXACT, paths: tree('a.txt') }); // cp_5
    expect(await takenBack(savepoint)).toEqual({ 'cp_4.1': 'cp_5' });
    await savepoint.undo(); // cp_6
    expect(await takenBack(savepoint)).toEqual({ 'cp_5.1': 'cp_6' });
    await savepoint.redo(); // cp_7
    expect(await takenBack(savepoint)).toEqual({ 'cp_4.1': 'cp_5', 'cp_6.1': 'cp_7' });
  });

  test('a restore to a checkpoint between two others leaves what was in effect then', async () => {
    const w = new TimelineWorld();
    const savepoint = await twoAgents(w);
    await savepoint.rollback(changes('cp_3.1')); // cp_5
    await savepoint.restore('cp_1', EXACT); // cp_6
    await savepoint.restore('cp_5', EXACT); // cp_7
    expect(w.read('b.txt')).toBe('b\n');
    expect(await takenBack(savepoint)).toEqual({ 'cp_3.1': 'cp_5', 'cp_6.1': 'cp_7' });
  });

  test('a restore that keeps the work of others reverts only the work of agents', async () => {
    const w = new TimelineWorld();
    const savepoint = await twoAgents(w);
    w.write('a.txt', `one\n${linesOf(5, { 3: 'me' })}two\n`);
    await savepoint.checkpoint(); // cp_5
    await savepoint.restore('cp_2', { ...KEEP, paths: tree('a.txt') }); // cp_6
    expect(w.read('a.txt')).toBe(`one\n${linesOf(5, { 3: 'me' })}`);
    expect(await takenBack(savepoint)).toEqual({ 'cp_4.1': 'cp_6' });
    expect((await savepoint.show('last')).rolledBack).toEqual(['cp_4.1']);
  });

  test('without work of agents it keeps what changed since the last checkpoint', async () => {
    const w = new TimelineWorld();
    const savepoint = w.open();
    const texts = ['a\n\n\n\n', 'a\n\n\n\nx\n'];
    for (const text of texts) {
      w.write('a.txt', text);
      await savepoint.checkpoint();
    }
    w.write('a.txt', 'mine\na\n\n\n\nx\n'); // cp_3
    await savepoint.restore('cp_1', KEEP); // cp_4
    expect(w.read('a.txt')).toBe('mine\na\n\n\n\n');
    expect(await takenBack(savepoint)).toEqual({ 'cp_2.1': 'cp_4' });
    await savepoint.restore('cp_1', EXACT); // cp_5
    expect(await takenBack(savepoint)).toEqual({ 'cp_2.1': 'cp_5', 'cp_3.1': 'cp_5', 'cp_4.1': 'cp_5' });
  });

  test('hunk by hunk: the change is reverted with the last hunk', async () => {
    const w = new TimelineWorld();
    const savepoint = w.open();
    w.write('a.txt', '1\n2\n3\n4\n5\n6\n7\n8\n9\n');
    await savepoint.checkpoint();
    await writes(w, savepoint.session({ agent: 'one' }), 'a.txt', '0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n'); // cp_2
    const change = 'cp_2.1' as ChangeId;
    await savepoint.rollback({ hunks: [{ change, hunk: 1 }] }); // cp_3
    expect(await takenBack(savepoint)).toEqual({});
    expect((await savepoint.stats()).changes.standing).toBe(1);
    await savepoint.rollback({ hunks: [{ change, hunk: 2 }] }); // cp_4
    expect(w.read('a.txt')).toBe('1\n2\n3\n4\n5\n6\n7\n8\n9\n');
    expect(Object.keys(await takenBack(savepoint))).toEqual(['cp_2.1']);
    expect((await savepoint.stats()).changes.standing).toBe(0);
    await savepoint.undo();
    expect((await savepoint.stats()).changes.standing).toBe(1);
  });

  test('reverting the changes of an undo or a restore', async () => {
    const w = new TimelineWorld();
    const savepoint = await twoAgents(w);
    await savepoint.restore('cp_1', EXACT); // cp_5: a.txt, b.txt
    await savepoint.rollback(changes('cp_5.2')); // cp_6: b.txt is again as before the restore
    expect(w.read('b.txt')).toBe('b\ntwo\n');
    expect(await takenBack(savepoint)).toEqual({ 'cp_2.1': 'cp_5', 'cp_4.1': 'cp_5', 'cp_5.2': 'cp_6' });
  });

  test('a moved file keeps its changes, also if the old path is restored as well', async () => {
    const w = new TimelineWorld();
    const savepoint = await twoAgents(w);
    const session = savepoint.session({ agent: 'one' });
    await session.call({ tool: 'Bash', kind: 'shell' }, () => w.shell('mv a.txt c.txt')); // cp_5
    await savepoint.restore('cp_2', { ...EXACT, paths: tree('a.txt') }); // cp_6
    expect(await takenBack(savepoint)).toEqual({});
    await savepoint.restore('cp_1', { ...EXACT, paths: tree('c.txt') }); // cp_7
    expect(await takenBack(savepoint)).toEqual({ 'cp_4.1': 'cp_7', 'cp_5.1': 'cp_7' });
    await savepoint.restore('cp_1', { ...EXACT, paths: tree('a.txt') }); // cp_8
    expect(await takenBack(savepoint)).toMatchObject({ 'cp_2.1': 'cp_7', 'cp_4.1': 'cp_7', 'cp_6.1': 'cp_8' });
  });

  test('a rollback that moves one file away and restores another one in its place', async () => {
    const w = new TimelineWorld();
    const savepoint = await twoAgents(w);
    const session = savepoint.session({ agent: 'three', id: 's-three' });
    await session.call({ tool: 'Bash', kind: 'shell' }, () => w.delete('b.txt')); // cp_5
    await session.call({ tool: 'Bash', kind: 'shell' }, () => w.shell('mv a.txt b.txt')); // cp_6
    w.write('b.txt', `mine\n${w.read('b.txt')}`);
    await savepoint.checkpoint(); // cp_7
    await savepoint.rollback({ session: 's-three' }, { least: 'likely' }); // cp_8
    expect([w.read('a.txt').slice(0, 5), w.read('b.txt')]).toEqual(['mine\n', 'b\ntwo\n']);
    expect(await takenBack(savepoint)).toEqual({ 'cp_5.1': 'cp_8', 'cp_6.1': 'cp_8' });
    w.write('c.txt', 'c\n');
    await savepoint.checkpoint(); // cp_9
    await savepoint.restore('cp_4', { ...EXACT, paths: tree('a.txt') }); // cp_10
    expect(await takenBack(savepoint)).toMatchObject({ 'cp_5.1': 'cp_8', 'cp_7.1': 'cp_10' });
  });

  test('a change of a frozen path by a shell is reverted', async () => {
    const w = new TimelineWorld();
    const savepoint = await twoAgents(w);
    await savepoint.freeze(tree('b.txt'));
    const session = savepoint.session({ agent: 'one' });
    await session.call({ tool: 'Bash', kind: 'shell' }, () => w.shell('echo x >> a.txt; echo x >> b.txt')); // cp_5
    expect(w.read('b.txt')).toBe('b\ntwo\n');
    expect(await takenBack(savepoint)).toEqual({ 'cp_5.2': 'cp_6' });
    // Reverting a frozen path is not an agent's work: it is neither counted nor rolled back.
    expect((await savepoint.stats()).changes).toMatchObject({ all: 5, standing: 4 });
    const { sessions } = await savepoint.sessions();
    expect(sessions.find(({ actor }) => actor.name === 'one')?.changes).toBe(2);
    const { details } = await savepoint.previewRollback({ agent: 'one' }, { least: 'likely' });
    expect(details.chosen.map(({ change }) => change.id)).not.toContain('cp_6.1');
  });
});

describe('a rollback finds the file of a change that is in effect', () => {
  test('after it was moved and removed, and restored under its first name', async () => {
    const w = new TimelineWorld();
    const savepoint = await twoAgents(w);
    const session = savepoint.session({ agent: 'three' });
    await session.call({ tool: 'Bash', kind: 'shell' }, () => w.shell('mv b.txt g.txt')); // cp_5
    await session.call({ tool: 'Bash', kind: 'shell' }, () => w.shell('rm g.txt')); // cp_6
    await savepoint.restore('cp_4', EXACT);
    await savepoint.rollback(changes('cp_3.1'));
    expect(w.read('b.txt')).toBe('b\n');
    await savepoint.undo();
    await savepoint.undo();
    await savepoint.redo();
    await savepoint.rollback(changes('cp_3.1'));
    expect(w.read('b.txt')).toBe('b\n');
  });

  test('after the checkpoint in which it was removed was dropped', async () => {
    const w = new TimelineWorld();
    const savepoint = await twoAgents(w);
    await savepoint
      .session({ agent: 'three', id: 's-three' })
      .call({ tool: 'Bash', kind: 'shell' }, () => w.shell('rm b.txt')); // cp_5
    w.write('c.txt', 'c\n');
    await savepoint.checkpoint();
    await savepoint.forgetSession('s-three');
    await savepoint.restore('cp_4', EXACT);
    await savepoint.rollback(changes('cp_3.1'));
    expect(w.read('b.txt')).toBe('b\n');
  });

  test('after the rollback that removed it was rolled back', async () => {
    const w = new TimelineWorld();
    const savepoint = w.open();
    await savepoint.checkpoint();
    const session = savepoint.session({ agent: 'one', id: 's-one' });
    await session.call({ tool: 'Bash', kind: 'shell' }, () => w.write('n.txt', 'n\n')); // cp_2
    await savepoint.rollback({ session: 's-one' }, { least: 'likely' }); // cp_3
    await savepoint.rollback(changes('cp_3.1')); // cp_4
    expect(w.read('n.txt')).toBe('n\n');
    await savepoint.rollback({ session: 's-one' }, { least: 'likely' });
    expect(existsSync(w.at('n.txt'))).toBe(false);
  });

  test('after a restore replaced another file with it', async () => {
    const w = new TimelineWorld();
    const savepoint = await twoAgents(w);
    w.shell('mv a.txt c.txt && mv b.txt a.txt');
    await savepoint.checkpoint(); // cp_5
    await savepoint.restore('cp_4', EXACT);
    await savepoint.rollback({ agent: 'two' }, { least: 'likely' });
    expect([w.read('a.txt'), w.read('b.txt')]).toEqual([`one\n${linesOf(5)}`, 'b\n']);
  });
});

test("keep-outside keeps a person's work if all work of the agents is already reverted", async () => {
  const w = new TimelineWorld();
  const savepoint = w.open();
  w.write('f.txt', linesOf(60));
  await savepoint.checkpoint();
  const session = savepoint.session({ agent: 'one', id: 's-one' });
  await session.call({ tool: 'Bash', kind: 'shell' }, () => w.write('f.txt', linesOf(60, { 10: 'agent' }))); // cp_2
  await savepoint.rollback({ session: 's-one' }, { least: 'likely' });
  w.write('f.txt', linesOf(60, { 50: 'mine' }));
  w.write('mine.txt', 'mine\n');
  await savepoint.checkpoint();
  await savepoint.restore('cp_1', KEEP);
  expect([w.read('f.txt'), w.read('mine.txt')]).toEqual([linesOf(60, { 50: 'mine' }), 'mine\n']);
  await savepoint.restore('cp_1', { ...KEEP, paths: tree('mine.txt') });
  expect(w.read('mine.txt')).toBe('mine\n');
});

test('a change from outside that happens to restore old bytes reverts nothing', async () => {
  const w = new TimelineWorld();
  const savepoint = await twoAgents(w);
  w.write('b.txt', 'b\n');
  await savepoint.checkpoint();
  expect(await takenBack(savepoint)).toEqual({});
});

test('an export says which changes are not in effect', async () => {
  const w = new TimelineWorld();
  const savepoint = await twoAgents(w);
  await savepoint.restore('cp_3', EXACT); // cp_5
  const folder = w.at('../export');
  await savepoint.exportSession('s-two', folder as DiskPath);
  const reported = (id: string): unknown =>
    JSON.parse(readFileSync(`${folder}/snapshots/${id}.json`, 'utf8')).savepoint;
  expect(reported('cp_3.1')).toMatchObject({ takenBack: null });
  expect(reported('cp_4.1')).toMatchObject({ takenBack: 'cp_5' });
});

test('a restore whose target was dropped counts as one to the newest remaining checkpoint before it', async () => {
  const w = new TimelineWorld();
  const savepoint = await twoAgents(w);
  await savepoint.checkpoint({ message: 'pinned' }); // cp_5
  const three = savepoint.session({ agent: 'three', id: 's-three' });
  await writes(w, three, 'c.txt', 'c\n'); // cp_6
  await writes(w, savepoint.session({ agent: 'one', id: 's-one' }), 'b.txt', 'b\ntwo\nmore\n'); // cp_7
  await savepoint.restore('cp_6', EXACT); // cp_8
  await savepoint.forgetSession('s-three');
  expect(await takenBack(savepoint)).toEqual({ 'cp_7.1': 'cp_8' });
});

test('a restore that was dropped itself is inferred from the paths after it', async () => {
  const w = new TimelineWorld();
  const savepoint = await twoAgents(w);
  const three = savepoint.session({ agent: 'three', id: 's-three' });
  await three.prompt('Go on.', 'm-1'); // cp_5
  const one = savepoint.session({ agent: 'one', id: 's-one' });
  await writes(w, one, 'b.txt', 'b\ntwo\nmore\n'); // cp_6
  await three.rollbackTo('m-1', { ...EXACT, before: true, what: 'files' }); // cp_7
  await writes(w, one, 'c.txt', 'c\n'); // cp_8
  await savepoint.forgetSession('s-three');
  expect((await savepoint.list()).checkpoints.map(({ id }) => id)).not.toContain('cp_7');
  expect(await takenBack(savepoint)).toEqual({ 'cp_6.1': 'cp_7' });
});

describe('nothing is inferred from a dropped checkpoint', () => {
  async function dropped(w: TimelineWorld, command: string): Promise<Savepoint> {
    const savepoint = await twoAgents(w);
    const one = savepoint.session({ agent: 'one', id: 's-one' });
    await writes(w, one, 'b.txt', 'x\n'); // cp_5
    await writes(w, one, 'b.txt', 'b\ntwo\n'); // cp_6
    const three = savepoint.session({ agent: 'three', id: 's-three' });
    await three.call({ tool: 'Bash', kind: 'shell' }, () => w.shell(command)); // cp_7
    await writes(w, one, 'b.txt', 'z\n'); // cp_8
    await savepoint.forgetSession('s-three');
    return savepoint;
  }

  test('about a path that was the same before and after it', async () => {
    expect(await takenBack(await dropped(new TimelineWorld(), 'touch c.txt'))).toEqual({});
  });

  test('about a file that was removed or moved', async () => {
    const w = new TimelineWorld();
    const savepoint = await twoAgents(w);
    await writes(w, savepoint.session({ agent: 'one', id: 's-one' }), 'c.txt', linesOf(5)); // cp_5
    const three = savepoint.session({ agent: 'three', id: 's-three' });
    await three.call({ tool: 'Bash', kind: 'shell' }, () => w.shell('mv c.txt d.txt')); // cp_6
    await writes(w, savepoint.session({ agent: 'one', id: 's-one' }), 'b.txt', 'z\n'); // cp_7
    await savepoint.forgetSession('s-three');
    expect(await takenBack(savepoint)).toEqual({});
  });

  test('if the checkpoint after it has too many changes to list', async () => {
    const w = new TimelineWorld();
    await dropped(w, 'echo b > b.txt');
    expect(Object.values(await takenBack(w.open()))).toContain('cp_7');
    w.dropList('cp_8');
    expect(await takenBack(w.open())).toEqual({});
  });
});

test('operations with too many changes to list are compared by their trees', async () => {
  const w = new TimelineWorld();
  let savepoint = await twoAgents(w);
  // An existing process may use its cache, because no other process wrote to the store while it held the lock.
  const without = (list: string): Savepoint => {
    w.dropList(list);
    return w.open();
  };
  const unlisted = async (): Promise<readonly string[]> =>
    (await savepoint.history({ limit: 9 })).unlisted.map(({ id }) => id);
  await savepoint.restore('cp_2', { ...EXACT, paths: tree('a.txt') }); // cp_5
  savepoint = without('cp_5');
  expect(await unlisted()).toEqual(['cp_5', 'cp_1']);
  expect(await takenBack(savepoint)).toEqual({ 'cp_4.1': 'cp_5' });
  await savepoint.rollback(changes('cp_2.1')); // cp_6
  savepoint = without('cp_6');
  expect(await takenBack(savepoint)).toEqual({ 'cp_2.1': 'cp_6', 'cp_4.1': 'cp_5' });
  await savepoint.restore('cp_1', EXACT); // cp_7
  savepoint = without('cp_7');
  expect(await unlisted()).toEqual(['cp_7', 'cp_6', 'cp_5', 'cp_1']);
  expect(await takenBack(savepoint)).toEqual({ 'cp_2.1': 'cp_7', 'cp_3.1': 'cp_7', 'cp_4.1': 'cp_7' });
});

test('a session whose history was deleted is no longer listed, even if others name it', async () => {
  const w = new TimelineWorld();
  const savepoint = w.open();
  await savepoint.checkpoint();
  const one = savepoint.session({ agent: 'one', id: 's-one' });
  await one.call({ tool: 'Bash', kind: 'shell' }, () => w.write('a.txt', 'a\n')); // cp_2
  await one.begin({ tool: 'Bash', kind: 'shell', id: 'open' });
  w.write('a.txt', 'a\nb\n');
  await savepoint.checkpoint(); // cp_3 records the session
  await one.end('open');
  await savepoint.edit([
    {
      given: 'c',
      path: 'c' as TreePath,
      edits: [{ op: 'create', content: 'c\n', mode: null }],
      expectedHash: null,
      force: false,
    },
  ]);
  const ids = async (): Promise<readonly string[]> => (await savepoint.sessions()).sessions.map(({ id }) => id);
  expect(await ids()).toEqual(['s-one']);
  await savepoint.forgetSession('s-one');
  expect(await ids()).toEqual([]);
  expect(await w.open().sessions()).toMatchObject({ sessions: [] });
  // After this, its changes are a new history.
  await writes(w, savepoint.session({ agent: 'one', id: 's-one' }), 'a.txt', 'again\n');
  expect((await savepoint.sessions()).sessions).toMatchObject([{ id: 's-one', changes: 1 }]);
});
