import { existsSync, statSync } from 'node:fs';
import type { Savepoint, SavepointError } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { failure } from '../failure.ts';
import { linesOf, TimelineWorld } from '../timeline/query/timeline-world.ts';

/** What an undo keeps of changes made since the operation. */

/** cp_1 has `first`; then they become `second`; cp_3 restores cp_1. */
async function restored(
  first: (w: TimelineWorld) => void,
  second: (w: TimelineWorld) => void,
): Promise<{ w: TimelineWorld; savepoint: Savepoint }> {
  const w = new TimelineWorld();
  w.write('other', 'other\n');
  first(w);
  const savepoint = w.open();
  await savepoint.checkpoint();
  second(w);
  await savepoint.checkpoint();
  await savepoint.restore('cp_1');
  return { w, savepoint };
}

/** The paths of the error, each with its reason. */
function reasons({ data }: SavepointError): readonly string[] {
  const { paths } = data as { readonly paths: readonly { readonly path: string; readonly why: string }[] };
  return paths.map(({ path, why }) => `${path}: ${why}`);
}

describe('a file', () => {
  test('that was reverted by hand already is no conflict', async () => {
    const { w, savepoint } = await restored(
      (at) => at.write('a', 'a\n'),
      (at) => at.shell('rm a; echo changed > other'),
    );
    w.delete('a');
    await savepoint.undo();
    expect([existsSync(w.at('a')), w.read('other')]).toEqual([false, 'changed\n']);
  });

  test('that was created since is a conflict where one would come back', async () => {
    const { w, savepoint } = await restored(
      () => undefined,
      (at) => at.write('a', 'a\n'),
    );
    w.write('a', 'mine\n');
    const error = await failure(savepoint.undo());
    expect([error.code, reasons(error)]).toEqual(['CONFLICT', ['a: it was created since']]);
    expect(w.read('a')).toBe('mine\n');
  });

  test('that was removed since is a conflict', async () => {
    const { w, savepoint } = await restored(
      (at) => at.write('a', 'first\n'),
      (at) => at.write('a', 'second\n'),
    );
    w.delete('a');
    expect(reasons(await failure(savepoint.undo()))).toEqual(['a: it was removed since']);
  });

  test('whose lines were changed since is a conflict', async () => {
    const { w, savepoint } = await restored(
      (at) => at.write('a', 'first\n'),
      (at) => at.write('a', 'second\n'),
    );
    w.write('a', 'mine\n');
    expect(reasons(await failure(savepoint.undo()))).toEqual([
      'a: the same lines were changed since from outside, after cp_3',
    ]);
    expect(w.read('a')).toBe('mine\n');
  });

  test('that is now too large to be captured is captured first, and merged', async () => {
    const { w } = await restored(
      (at) => at.write('d/a', linesOf(5)),
      (at) => at.write('d/a', linesOf(5, { 1: 'second' })),
    );
    w.write('d/a', linesOf(500));
    await w.open({ rules: { maxFileBytes: 1_000 } }).undo();
    expect(w.read('d/a')).toBe(linesOf(500, { 1: 'second' }));
  });
});

describe('a folder', () => {
  test('comes back with its files and permissions, also if it was removed since', async () => {
    if (process.platform === 'win32') return;
    const { w, savepoint } = await restored(
      (at) => at.shell('mkdir -m 750 d; echo stays > d/stays'),
      (at) => at.write('d/a', 'a\n'),
    );
    w.delete('d');
    await savepoint.undo();
    expect([w.read('d/a'), existsSync(w.at('d/stays'))]).toEqual(['a\n', false]);
    expect(statSync(w.at('d')).mode & 0o777).toBe(0o750);
  });

  test('is a conflict if a file is in its place', async () => {
    const { w, savepoint } = await restored(
      (at) => at.write('d/stays', 'stays\n'),
      (at) => at.write('d/a', 'a\n'),
    );
    w.shell('rm -r d; echo mine > d');
    const error = await failure(savepoint.undo());
    expect([error.code, reasons(error)]).toEqual(['CONFLICT', ['d: a file is now where a folder is needed']]);
    expect(w.read('d')).toBe('mine\n');
  });

  test('keeps permissions that were changed since', async () => {
    if (process.platform === 'win32') return;
    const { w, savepoint } = await restored(
      (at) => at.shell('mkdir -m 755 d'),
      (at) => at.shell('chmod 750 d; echo changed > other'),
    );
    w.shell('chmod 700 d');
    await savepoint.undo();
    expect(statSync(w.at('d')).mode & 0o777).toBe(0o700);
    expect(w.read('other')).toBe('changed\n');
  });

  test('becomes a file again only if nothing of others is in it', async () => {
    const { w, savepoint } = await restored(
      (at) => at.write('d/a', 'a\n'),
      (at) => at.shell('rm -r d; echo file > d'),
    );
    w.write('d/mine', 'mine\n');
    const error = await failure(savepoint.undo());
    expect(reasons(error)).toEqual(['d: a file belongs there, and it contains paths that are kept']);
    w.delete('d/mine');
    await savepoint.undo();
    expect(w.read('d')).toBe('file\n');
  });
});

test('an undo or redo names the operation, and is refused if there is none', async () => {
  const { savepoint } = await restored(
    () => undefined,
    (at) => at.write('a', 'a\n'),
  );
  expect((await failure(savepoint.redo())).code).toBe('NOTHING_TO_REDO');
  expect((await savepoint.undo()).checkpoint?.description).toBe('Undid cp_3 (Restored cp_1)');
  expect((await failure(savepoint.undo())).code).toBe('NOTHING_TO_UNDO');
  expect((await savepoint.redo()).checkpoint?.description).toBe('Redid cp_3 (Restored cp_1)');
  expect((await savepoint.undo()).checkpoint?.description).toBe('Undid cp_5 (Restored cp_1)');
  expect((await savepoint.redo()).checkpoint?.description).toBe('Redid cp_3 (Restored cp_1)');
  expect((await savepoint.undo()).checkpoint?.description).toBe('Undid cp_7 (Restored cp_1)');
});

test('an operation cannot be undone or redone after a clean-up dropped the checkpoint before it', async () => {
  for (const trigger of ['undo', 'redo'] as const) {
    const { w, savepoint } = await restored(
      (at) => at.write('a', 'first\n'),
      (at) => at.write('a', 'second\n'),
    );
    if (trigger === 'redo') await savepoint.undo();
    const text = w.read('a');
    await savepoint.gc({ retention: { maxStoreBytes: 1 } });
    const { code, message } = await failure(savepoint[trigger]());
    expect([code, message]).toEqual(
      trigger === 'undo'
        ? ['NOTHING_TO_UNDO', 'cp_3 cannot be undone: the checkpoint before it has been dropped.']
        : ['NOTHING_TO_REDO', 'cp_4 cannot be redone: the checkpoint before it has been dropped.'],
    );
    expect(w.read('a')).toBe(text);
  }
});
