import { existsSync } from 'node:fs';
import type { ChangeId, Savepoint, TreePath } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { failure } from '../failure.ts';
import { linesOf, TimelineWorld, tree, worldWith } from '../timeline/query/timeline-world.ts';

/** What a rollback does to each file, and what it says about it. A person changes files with `w`, an agent with `bash`. */

/** Runs a call of the agent; each one that changes something makes a checkpoint. */
async function bash(w: TimelineWorld, savepoint: Savepoint, command: string | (() => void)): Promise<void> {
  const session = savepoint.session({ agent: 'one', id: 's-one' });
  const run = typeof command === 'string' ? () => w.shell(command) : command;
  await session.call({ tool: 'Bash', kind: 'shell' }, run);
}

const prefer = (path: string, side: 'ours' | 'theirs') => ({ prefer: new Map([[path as TreePath, side]]) });

/** Expects that the rollback is refused as a conflict, and returns `path: reason` of each conflict. */
async function conflicts(rollback: Promise<unknown>): Promise<readonly string[]> {
  const error = await failure(rollback);
  expect(error.code).toBe('CONFLICT');
  const { paths } = error.data as { readonly paths: readonly { readonly path: string; readonly why: string }[] };
  return paths.map(({ path, why }) => `${path}: ${why}`);
}

describe('changes of one file', () => {
  test('that cancel each other out do not conflict with later lines', async () => {
    const { w, savepoint } = await worldWith({ a: linesOf(5) });
    await bash(w, savepoint, () => w.write('a', linesOf(5, { 3: 'agent' })));
    await bash(w, savepoint, () => w.write('a', linesOf(5)));
    w.write('a', linesOf(5, { 3: 'mine' }));
    const { details } = await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    expect(w.read('a')).toBe(linesOf(5, { 3: 'mine' }));
    expect(details.results).toMatchObject([{ result: 'skipped', why: 'the changes cancel each other out' }]);
  });

  test('that another author moved are reverted under its new name, without a remark', async () => {
    const { w, savepoint } = await worldWith({ a: linesOf(5) });
    await bash(w, savepoint, () => w.write('a', linesOf(5, { 3: 'agent' })));
    w.shell('mv a moved');
    const { details } = await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    expect(w.read('moved')).toBe(linesOf(5));
    expect(details.results).toMatchObject([{ path: 'moved', result: 'restored', why: null }]);
  });

  test('are not overwritten if something that cannot be backed up is at its path', async () => {
    if (process.platform === 'win32') return;
    const { w, savepoint } = await worldWith({ a: 'a\n' });
    await bash(w, savepoint, 'rm a');
    w.shell('mkfifo a');
    const refused = savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    await expect(refused).rejects.toMatchObject({ code: 'PATH_REFUSED' });
    w.shell('test -p a');
  });
});

describe('a file that the agent moved', () => {
  test('stays where another author moved it since', async () => {
    const { w, savepoint } = await worldWith({ a: linesOf(5) });
    await bash(w, savepoint, 'mv a b');
    w.shell('mv b c');
    const { details } = await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    expect(w.read('c')).toBe(linesOf(5));
    expect(details.results).toMatchObject([
      { path: 'c', result: 'skipped', why: 'it was moved since, and stays there' },
    ]);
  });

  test('and another author deleted since counts as nothing to roll back', async () => {
    const { w, savepoint } = await worldWith({ a: linesOf(5) });
    await bash(w, savepoint, 'mv a b');
    w.delete('b');
    const { details, checkpoint } = await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    expect(checkpoint).toBeNull();
    expect(details).toMatchObject({ rolledBack: [], results: [{ result: 'skipped' }] });
  });

  test('returns to its path, from which a file of the agent goes away', async () => {
    const { w, savepoint } = await worldWith({ a: linesOf(5) });
    await bash(w, savepoint, 'mv a b');
    await bash(w, savepoint, 'echo other > a');
    await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    expect(w.read('a')).toBe(linesOf(5));
    expect(existsSync(w.at('b'))).toBe(false);
  });

  test('and replaced with the same bytes: only the new path changes', async () => {
    const { w, savepoint } = await worldWith({ a: linesOf(5) });
    await bash(w, savepoint, 'mv a b');
    await bash(w, savepoint, 'cp b a');
    const { plan } = await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    expect(plan.paths.map(({ path }) => path)).toEqual(['b']);
    expect(w.read('a')).toBe(linesOf(5));
  });

  test('and created itself is removed; a file of another author at its first path stays', async () => {
    const { w, savepoint } = await worldWith({ other: 'other\n' });
    await bash(w, savepoint, 'echo new > a');
    await bash(w, savepoint, 'mv a b');
    w.write('a', 'mine\n');
    await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    expect([w.read('a'), existsSync(w.at('b'))]).toEqual(['mine\n', false]);
  });

  test('is recorded as moved back, even if its content was rewritten', async () => {
    const { w, savepoint } = await worldWith({ a: linesOf(5) });
    await bash(w, savepoint, 'mv a b');
    await bash(w, savepoint, () => w.write('b', 'rewritten\n'));
    const { checkpoint } = await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    expect(checkpoint?.changes).toMatchObject([{ operation: 'rename', from: 'b', path: 'a' }]);
  });
});

describe('another file at the path', () => {
  test('is kept or replaced, as requested', async () => {
    for (const side of ['ours', 'theirs'] as const) {
      const { w, savepoint } = await worldWith({ a: 'a\n' });
      await bash(w, savepoint, 'rm a');
      w.write('a', 'mine\n');
      expect(await conflicts(savepoint.rollback({ agent: 'one' }, { least: 'likely' }))).toEqual([
        'a: another file was created there since',
      ]);
      const { details } = await savepoint.rollback({ agent: 'one' }, { least: 'likely', ...prefer('a', side) });
      expect(w.read('a')).toBe(side === 'ours' ? 'mine\n' : 'a\n');
      expect(details.results).toMatchObject([
        side === 'ours'
          ? { result: 'skipped', why: 'another file is at its path and is kept, as requested' }
          : { result: 'restored' },
      ]);
    }
  });

  test('is replaced as requested, also if the agent had changed it and nothing of that is left', async () => {
    const { w, savepoint } = await worldWith({ a: linesOf(5), b: 'b\n' });
    await bash(w, savepoint, 'echo more >> b');
    w.write('b', 'b\n');
    await bash(w, savepoint, 'mv a moved');
    w.shell('mv b a');
    await savepoint.rollback({ agent: 'one' }, { least: 'likely', ...prefer('a', 'theirs') });
    expect([w.read('a'), existsSync(w.at('moved'))]).toEqual([linesOf(5), false]);
  });

  test('is a conflict where a folder is needed', async () => {
    const { w, savepoint } = await worldWith({ 'd/f': 'f\n' });
    await bash(w, savepoint, 'rm -r d');
    await bash(w, savepoint, 'echo file > d');
    expect(await conflicts(savepoint.rollback({ agent: 'one' }, { least: 'likely' }))).toEqual([
      'd: a folder is needed there',
    ]);
    expect(w.read('d')).toBe('file\n');
  });
});

describe('a folder that the agent created', () => {
  test('stays if another author removed its file', async () => {
    const { w, savepoint } = await worldWith({ a: 'a\n' });
    await bash(w, savepoint, 'mkdir d; echo new > d/new');
    w.delete('d/new');
    await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    w.shell('test -d d');
  });

  test('stays if another author moved its file away', async () => {
    const { w, savepoint } = await worldWith({ a: 'a\n' });
    await bash(w, savepoint, () => w.write('d/new', linesOf(5)));
    w.shell('mkdir e; mv d/new e/new');
    await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    w.shell('test -d d && test -d e && test ! -e e/new');
  });

  test('stays if it now contains a file of another author, and the result says so', async () => {
    const { w, savepoint } = await worldWith({ a: 'a\n' });
    await bash(w, savepoint, 'mkdir d');
    w.write('d/mine', 'mine\n');
    const { details } = await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    expect(w.read('d/mine')).toBe('mine\n');
    expect(details).toMatchObject({
      rolledBack: [],
      results: [{ path: 'd', result: 'skipped', why: 'it contains paths that are kept' }],
    });
  });
});

describe('open calls', () => {
  test('do not block a rollback that has nothing to do', async () => {
    const { savepoint } = await worldWith({ a: 'a\n' });
    await savepoint.session({ agent: 'one' }).begin({ tool: 'Bash', kind: 'shell' });
    const { details } = await savepoint.rollback({ agent: 'one' });
    expect(details).toMatchObject({ rolledBack: [], openCalls: [] });
  });

  test("do not block a rollback by the agent's call of Savepoint's own tool", async () => {
    const { w, savepoint } = await worldWith({ a: 'a\n' });
    await bash(w, savepoint, 'echo more >> a');
    const session = savepoint.session({ agent: 'one', id: 's-one' });
    await session.begin({ tool: 'checkpoint_rollback', own: true });
    await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    expect(w.read('a')).toBe('a\n');
  });
});

describe('a preview', () => {
  test('lists hunks only if single changes are chosen', async () => {
    const { w, savepoint } = await worldWith({ a: linesOf(5) });
    await bash(w, savepoint, () => w.write('a', linesOf(5, { 3: 'agent' })));
    const hunks = async (selection: Parameters<Savepoint['rollback']>[0]): Promise<readonly string[]> => [
      ...(await savepoint.previewRollback(selection, { least: 'likely' })).details.hunks.keys(),
    ];
    expect(await hunks({ agent: 'one' })).toEqual([]);
    expect(await hunks({ changes: ['cp_2.1' as ChangeId] })).toEqual(['cp_2.1']);
  });

  test('is empty in a store without checkpoints', async () => {
    const w = new TimelineWorld();
    const savepoint = w.open();
    await savepoint.freeze(tree('a'));
    expect((await savepoint.previewRollback({ agent: 'agent' })).details).toMatchObject({ chosen: [], results: [] });
  });
});
