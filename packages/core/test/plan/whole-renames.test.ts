/** A rename of which one half conflicts is skipped as a whole: by plans, forks and copies. */

import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { workingFiles } from '@savepoint/testkit/command';
import { expect, test } from 'vitest';
import { folderOf } from '../fork/folder-of.ts';
import { Place } from '../place.ts';

const E = 'one\ntwo\nthree\nfour\n';
const OLD = 'alpha\nbeta\ngamma\ndelta\n';
const SKIP = { skipConflicts: true };

const place = (): Place => Place.with({ 'e.txt': E, 'old/x.txt': OLD, 'other.txt': 'other\n' });

/** A person changes the file under the old name of one rename, and makes one at the new name of the other. */
function changeSince(p: Place): void {
  p.write('e.txt', `${E}five, by a person\n`);
  p.write('y.txt', 'by a person\n');
}

/** Both renames; one makes a folder, the other leaves one empty. */
function renameIn(folder: string): void {
  mkdirSync(join(folder, 'new'));
  renameSync(join(folder, 'e.txt'), join(folder, 'new/f.txt'));
  renameSync(join(folder, 'old/x.txt'), join(folder, 'y.txt'));
  renameSync(join(folder, 'old'), join(folder, 'empty'));
}

async function expectWhole(p: Place, apply: () => Promise<unknown>): Promise<void> {
  changeSince(p);
  const before = workingFiles(p.at(''));
  await apply();
  expect(existsSync(p.at('new'))).toBe(false);
  expect(p.read('old/x.txt')).toBe(OLD);
  const names = (files: object): readonly string[] => Object.keys(files).filter((path) => path !== 'empty');
  expect(names(workingFiles(p.at('')))).toEqual(names(before));
}

test('a plan', async () => {
  const p = place();
  const savepoint = p.open();
  const edit = (path: string, edits: readonly object[]) =>
    ({ given: path, path, edits, expectedHash: null, force: false }) as never;
  const { plan, fingerprint } = await savepoint.proposeEdits(
    [
      edit('e.txt', [{ op: 'delete' }]),
      edit('new/f.txt', [{ op: 'create', content: E, mode: null }]),
      edit('old/x.txt', [{ op: 'delete' }]),
      edit('y.txt', [{ op: 'create', content: OLD, mode: null }]),
      edit('other.txt', [{ op: 'replace', old: 'other', new: 'changed', replaceAll: false, tolerant: false }]),
    ],
    { intent: 'Rename them' },
  );
  await savepoint.approvePlan(plan.id, fingerprint);
  await expectWhole(p, async () => {
    const { plan: preview } = await savepoint.previewPlan(plan.id, { rebase: true, ...SKIP });
    expect(preview.paths.map(({ path }) => path)).toEqual(['other.txt']);
    const half = preview.kept.find(({ path }) => path === 'new/f.txt');
    expect(half?.why).toBe('skipped: it is one rename with e.txt');
    return savepoint.applyPlan(plan.id, { rebase: true, ...SKIP });
  });
  expect(p.read('other.txt')).toBe('changed\n');
});

test('a fork, of which both halves can be merged later', async () => {
  const p = place();
  const savepoint = p.open();
  await savepoint.createForks(['f'], { rungs: ['copy'] });
  renameIn(await folderOf(savepoint, 'f'));
  await expectWhole(p, () => savepoint.mergeFork('f', SKIP));
  p.write('e.txt', E);
  await savepoint.mergeFork('f', SKIP);
  expect([existsSync(p.at('e.txt')), p.read('new/f.txt')]).toEqual([false, E]);
});

test('a copy', async () => {
  const p = place();
  const savepoint = p.open();
  const copy = await savepoint.openCopy({ purpose: 'try', rungs: ['copy'], proposal: { description: 'it' } });
  renameIn(copy.copy.files);
  await expectWhole(p, () => savepoint.applyCopy(copy, { description: 'applied', ...SKIP }));
});
