import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { DiskPath, Savepoint, TreePath } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { TimelineWorld, tree } from './timeline-world.ts';

/** Two sessions that take turns on one file. */
async function twoSessions(w: TimelineWorld): Promise<Savepoint> {
  const savepoint = w.open();
  w.write('shared.txt', 'as it was\n');
  await savepoint.checkpoint(); // cp_1
  const one = savepoint.session({ agent: 'one', id: 's-one' });
  const two = savepoint.session({ agent: 'two', id: 's-two' });
  const write = (session: typeof one, name: string, content: string, id: string): Promise<void> =>
    session.call({ tool: 'Write', kind: 'write', paths: tree(name), id }, () => w.write(name, content));
  w.pass(10);
  await one.prompt('First words.\nAnd more.', 'm-1'); // cp_2
  await write(one, 'shared.txt', 'of one\n', 'c-1'); // cp_3
  w.pass(10);
  await write(two, 'shared.txt', 'of two\n', 'c-2'); // cp_4
  await write(one, 'other.txt', 'only in the session that goes\n', 'c-3'); // cp_5
  await one.prompt('Second words.'); // cp_6
  await one.call({ tool: 'Bash', kind: 'shell', id: 'c-4' }, () => w.delete('other.txt')); // cp_7
  w.pass(10);
  await savepoint.checkpoint(); // cp_8
  return savepoint;
}

const EDIT = {
  given: 'a.txt' as TreePath,
  path: 'a.txt' as TreePath,
  edits: [{ op: 'write', content: 'edited\n', exact: true }] as const,
  expectedHash: null,
  force: false,
};

test('sessions: actor, time, first message, and number of changes', async () => {
  const w = new TimelineWorld();
  const began = w.now;
  const { sessions, damaged } = await (await twoSessions(w)).sessions();
  expect(damaged).toEqual([]);
  expect(sessions).toEqual([
    {
      id: 's-one',
      actor: { kind: 'agent', name: 'one' },
      first: began + 10_000,
      last: began + 20_000,
      title: 'First words.\nAnd more.',
      prompts: 2,
      calls: 3,
      changes: 3,
      unsure: 0,
      added: 2,
      removed: 2,
      counted: 3,
      checkpoints: ['cp_7', 'cp_6', 'cp_5', 'cp_3', 'cp_2'],
    },
    {
      id: 's-two',
      actor: { kind: 'agent', name: 'two' },
      first: began + 20_000,
      last: began + 20_000,
      title: null,
      prompts: 0,
      calls: 1,
      changes: 1,
      unsure: 0,
      added: 1,
      removed: 1,
      counted: 1,
      checkpoints: ['cp_4'],
    },
  ]);
});

test('a change by one of two authors counts for both, as uncertain', async () => {
  const w = new TimelineWorld();
  const savepoint = w.open();
  const [one, two] = ['one', 'two'].map((id) => savepoint.session({ agent: id, id }));
  await one?.start();
  await one?.begin({ tool: 'Bash', kind: 'shell', id: 'x' });
  await two?.begin({ tool: 'Bash', kind: 'shell', id: 'y' });
  w.write('a', 'whose?\n');
  await one?.end('x');
  const { sessions } = await savepoint.sessions();
  expect(sessions.map(({ id, changes, unsure }) => [id, changes, unsure]).sort()).toEqual([
    ['one', 1, 1],
    ['two', 1, 1],
  ]);
});

test('a change by one of two calls of a session counts once', async () => {
  const w = new TimelineWorld();
  const savepoint = w.open();
  const session = savepoint.session({ agent: 'one', id: 'one' });
  await session.start();
  await session.begin({ tool: 'Bash', kind: 'shell', id: 'x' });
  await session.begin({ tool: 'Bash', kind: 'shell', id: 'y' });
  w.write('a', 'which?\n');
  await session.end('x');
  const { sessions } = await savepoint.sessions();
  expect(sessions).toMatchObject([{ changes: 1, unsure: 0, calls: 2, added: 1 }]);
});

describe('deleting a session', () => {
  test('drops its checkpoints and their contents; other checkpoints keep working, with the contents before', async () => {
    const w = new TimelineWorld();
    const savepoint = await twoSessions(w);
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['--git-dir', `${w.onlyStore}/objects.git`, ...args], { encoding: 'utf8' }).trim();
    const objectOf = (content: string): string =>
      execFileSync('git', ['hash-object', '--stdin'], { input: content, encoding: 'utf8' }).trim();
    const has = (content: string): boolean =>
      git('cat-file', '--batch-all-objects', '--batch-check').includes(objectOf(content));
    expect(has('only in the session that goes\n')).toBe(true);
    const forgotten = await savepoint.forgetSession('s-one');
    expect(forgotten).toMatchObject({ session: 's-one', stayed: [], kept: 3 });
    expect(forgotten.dropped).toEqual(['cp_2', 'cp_3', 'cp_5', 'cp_6', 'cp_7']);
    expect(has('only in the session that goes\n')).toBe(false);
    // The state that the other session found before its change came from the removed session, and is kept.
    expect(has('of one\n')).toBe(true);
    expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
    expect((await savepoint.sessions()).sessions.map(({ id }) => id)).toEqual(['s-two']);
    await savepoint.restore('cp_4');
    expect(readFileSync(w.at('shared.txt'), 'utf8')).toBe('of two\n');
    // Nothing records any more who made the changes between cp_1 and cp_4.
    await expect(savepoint.restore('cp_1')).rejects.toMatchObject({ code: 'CONFLICT' });
    await savepoint.restore('cp_1', { mode: 'exact' });
    expect(readFileSync(w.at('shared.txt'), 'utf8')).toBe('as it was\n');
    git('fsck', '--strict');
  });

  test('removes its texts from the checkpoints that are kept, and what others quote of them', async () => {
    const w = new TimelineWorld();
    const savepoint = w.open();
    w.write('a.txt', 'as it was\n');
    await savepoint.checkpoint({ message: 'of the user' }); // cp_1
    const session = savepoint.session({ agent: 'one', id: 's-one' });
    await session.prompt('tok-prompt', 'm-1'); // cp_2
    await session.call({ tool: 'Bash', kind: 'shell', id: 'c-1', args: { command: 'tok-argument' } }, () =>
      w.write('a.txt', 'of one\n'),
    ); // cp_3
    await session.begin({ tool: 'Tool', kind: 'other', id: 'c-2', own: true });
    await w
      .open({ actor: { kind: 'agent', name: 'one' } })
      .edit([EDIT], { message: 'tok-description', toolCall: 'c-2' }); // cp_4
    await session.end('c-2');
    await savepoint.undo(); // cp_5
    await savepoint.redo(); // cp_6
    for (const id of ['cp_2', 'cp_3', 'cp_4']) await savepoint.pin(id);
    const before = await Promise.all(['cp_2', 'cp_3', 'cp_4'].map((id) => savepoint.show(id)));
    expect(before.map(({ session: of }) => of)).toEqual(['s-one', 's-one', 's-one']);
    await savepoint.forgetSession('s-one');
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['--git-dir', `${w.onlyStore}/objects.git`, ...args], { encoding: 'utf8' });
    expect(git('cat-file', '--batch', '--batch-all-objects', '--unordered')).not.toContain('tok-');
    const { checkpoints } = await w.open().list();
    expect(checkpoints.map(({ id, description }) => `${id} ${description}`)).toEqual([
      'cp_6 Redid cp_5',
      'cp_5 Undid cp_4',
      'cp_4 Edited 1 file, +1 −1: a.txt',
      'cp_3 Bash (1 file)',
      'cp_2 Prompt',
      'cp_1 of the user',
    ]);
    const after = await Promise.all(['cp_2', 'cp_3', 'cp_4'].map((id) => savepoint.show(id)));
    expect(after.map(({ changes, snapshot }) => ({ changes, snapshot }))).toEqual(
      before.map(({ changes, snapshot }) => ({ changes, snapshot })),
    );
    expect([...(await savepoint.pinned())].sort()).toEqual([2, 3, 4]);
    expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
    await savepoint.undo();
    expect(readFileSync(w.at('a.txt'), 'utf8')).toBe('of one\n');
  });

  test('removes its texts from the records of its calls, which stay open', async () => {
    const w = new TimelineWorld();
    const savepoint = w.open();
    w.write('a.txt', 'as it was\n');
    const [session, other] = ['s-one', 's-two'].map((id) => savepoint.session({ agent: 'one', id }));
    await session?.start(); // cp_1
    const command = { tool: 'Bash', kind: 'shell', args: { command: 'tok-argument a.txt' } } as const;
    await session?.begin({ ...command, id: 'c-1', summary: 'tok-summary' });
    const writes = [{ path: 'a.txt', result: 'tok-content' }] as never;
    await session?.begin({ tool: 'Write', kind: 'write', id: 'c-2', paths: tree('a.txt'), writes });
    await other?.begin({ ...command, id: 'c-3' });
    const calls = `${w.onlyStore}/calls`;
    const damaged = readdirSync(calls).find((name) => readFileSync(`${calls}/${name}`, 'utf8').includes('c-2'));
    const texts = (): readonly string[] => readdirSync(calls).map((name) => readFileSync(`${calls}/${name}`, 'utf8'));
    expect(texts().filter((text) => text.includes('tok-'))).toHaveLength(3);
    await savepoint.forgetSession('s-one');
    expect(texts()).toHaveLength(3);
    expect(texts().filter((text) => text.includes('tok-'))).toEqual([expect.stringContaining('c-3')]);
    expect(await session?.openCalls()).toMatchObject([
      { id: 'c-1', tool: { name: 'Bash', summary: '', args: null } },
      { id: 'c-2', tool: { name: 'Write' }, declared: ['a.txt'] },
    ]);
    // A damaged record may have texts as well, and still says that some call may be open.
    writeFileSync(`${calls}/${damaged}`, 'tok-damaged');
    await session?.prompt('More.');
    await savepoint.forgetSession('s-one');
    expect(readFileSync(`${calls}/${damaged}`, 'utf8')).toBe('');
    w.write('a.txt', 'changed\n');
    await savepoint.checkpoint();
    const [change] = (await savepoint.history({ limit: 1 })).entries;
    expect(change?.change.by).toMatchObject({ grade: 'open' });
    await session?.end('c-1');
    expect((await session?.openCalls())?.map(({ id }) => id)).toEqual([]);
  });

  test('keeps pinned checkpoints, and says so', async () => {
    const w = new TimelineWorld();
    const savepoint = await twoSessions(w);
    await savepoint.pin('cp_3');
    const { stayed, dropped } = await savepoint.forgetSession('s-one');
    expect(stayed).toEqual([{ id: 'cp_3', why: 'pinned' }]);
    expect(dropped).toEqual(['cp_2', 'cp_5', 'cp_6', 'cp_7']);
  });

  test('keeps the newest checkpoint of the workspace, and says so', async () => {
    const w = new TimelineWorld();
    const session = w.open().session({ agent: 'one', id: 's-1' });
    await session.start();
    w.write('a', 'a\n');
    await session.prompt('More.');
    const forgotten = await w.open().forgetSession('s-1');
    expect(forgotten).toMatchObject({ dropped: ['cp_1'], stayed: [{ id: 'cp_2', why: 'newest' }], kept: 1 });
    w.delete('a');
    await w.open().restore('last');
    expect(readFileSync(w.at('a'), 'utf8')).toBe('a\n');
  });

  test('reports a folder that cannot be created for an export', async () => {
    const w = new TimelineWorld();
    const savepoint = w.open();
    await savepoint.session({ agent: 'one', id: 's-1' }).start();
    const nowhere = `${w.world.folder}/no/such/folder` as DiskPath;
    await expect(savepoint.exportSession('s-1', nowhere)).rejects.toMatchObject({ code: 'IO' });
  });

  test('keeps the state before a kept operation, so that it can still be undone', async () => {
    const w = new TimelineWorld();
    const savepoint = w.open();
    w.write('a.txt', 'old\n');
    const session = savepoint.session({ agent: 'one', id: 's-1' });
    await session.start();
    await session.call({ tool: 'Write', kind: 'write', paths: tree('a.txt') }, () => w.write('a.txt', 'new\n'));
    await savepoint.edit([
      {
        given: 'a.txt',
        path: 'a.txt' as TreePath,
        edits: [{ op: 'write', content: 'edited\n', exact: false }],
        expectedHash: null,
        force: false,
      },
    ]);
    const forgotten = await savepoint.forgetSession('s-1');
    expect(forgotten).toMatchObject({ dropped: ['cp_1'], stayed: [{ id: 'cp_2', why: 'undo' }] });
    await savepoint.undo();
    expect(readFileSync(w.at('a.txt'), 'utf8')).toBe('new\n');
  });

  test('that does not exist is an error, and nothing is deleted', async () => {
    const w = new TimelineWorld();
    const savepoint = await twoSessions(w);
    await expect(savepoint.forgetSession('s-three')).rejects.toMatchObject({
      code: 'UNKNOWN_SESSION',
      data: { session: 's-three' },
    });
    expect((await savepoint.list()).checkpoints).toHaveLength(8);
  });
});

test('clean-up keeps the contents before listed changes', async () => {
  const w = new TimelineWorld();
  const savepoint = w.open();
  for (const text of ['one', 'two', 'three']) {
    w.write('a.txt', `${text}\n`);
    await savepoint.checkpoint();
  }
  await savepoint.gc({ retention: { maxCheckpoints: 1, keepAtLeast: 1 } });
  const { entries } = await savepoint.history({ limit: 10 });
  const before = entries[0]?.change.before;
  const dir = `${w.onlyStore}/objects.git`;
  const id = before?.kind === 'file' ? before.id : '';
  expect(execFileSync('git', ['--git-dir', dir, 'cat-file', 'blob', id], { encoding: 'utf8' })).toBe('two\n');
});
