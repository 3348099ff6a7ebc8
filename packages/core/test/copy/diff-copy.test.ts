/** What was changed in a copy, as a list and as a patch for git. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { bytesFromText, exactName, nameToJson, type TreePath } from '@savepoint/core';
import { expect, test } from 'vitest';
import { Place } from '../place.ts';

const absolute = (path: string) => exactName(bytesFromText(path) as TreePath);

/** Every file with its executable bit and its content. */
function treeOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => {
      const { mode } = statSync(join(folder, name));
      return `${name} ${mode & 0o100 ? 'x' : '-'} ${readFileSync(join(folder, name)).toString('base64')}`;
    })
    .sort();
}

test('a saved patch turns the base into the copy: git applies renames, deletions, binary files and modes', async () => {
  const p = new Place();
  p.write('a.txt', 'a\n');
  p.write('moved.txt', 'the same words in another place\n'.repeat(20));
  p.write('gone.bin', Buffer.from([0, 1, 2, 255]));
  p.write('tool.sh', 'echo\n');
  const savepoint = p.open();
  const made = await savepoint.openCopy({ purpose: 'try', rungs: ['copy'] });
  const { files } = made.copy;
  writeFileSync(join(files, 'a.txt'), 'b\n');
  renameSync(join(files, 'moved.txt'), join(files, 'elsewhere.txt'));
  unlinkSync(join(files, 'gone.bin'));
  writeFileSync(join(files, 'new.bin'), Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * at) % 251)));
  chmodSync(join(files, 'tool.sh'), 0o755);
  mkdirSync(join(files, 'empty'));
  const file = join(dirname(p.at('')), 'changes.patch');
  const saved = await savepoint.saveCopyPatch(made, absolute(file));
  expect(saved.changes.map(({ path, operation }) => [path, operation])).toEqual([
    ['a.txt', 'write'],
    ['elsewhere.txt', 'rename'],
    ['empty', 'create'],
    ['gone.bin', 'delete'],
    ['new.bin', 'create'],
    ['tool.sh', 'mode'],
  ]);
  expect(saved.unknownToGit.map(({ path }) => path)).toEqual(['empty']);
  expect(saved.uncaptured).toEqual([]);
  execFileSync('git', ['apply', file], {
    cwd: p.at(''),
    env: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(file) },
  });
  expect(treeOf(p.at(''))).toEqual(treeOf(files));
  await expect(savepoint.saveCopyPatch(made, absolute(file))).rejects.toMatchObject({ code: 'CONFLICT' });
  await expect(savepoint.saveCopyPatch(made, absolute(p.at('.git/x')))).rejects.toMatchObject({ code: 'PATH_REFUSED' });
  await made.copy.drop();
});

test('the difference is that to the base, whatever happens in the workspace, and names what was not captured', async () => {
  const p = new Place();
  p.write('a.txt', 'a\n');
  const savepoint = p.open({ rules: { maxFileBytes: 1000, maxIgnoredBytes: 1000 } });
  const made = await savepoint.openCopy({ purpose: 'try', rungs: ['copy'] });
  p.write('mine.txt', 'mine\n');
  writeFileSync(join(made.copy.files, 'a.txt'), 'a\nb\n');
  writeFileSync(join(made.copy.files, 'large.txt'), 'x'.repeat(2000));
  const { changes, totals, uncaptured, patch } = await savepoint.diffCopy(made, { patch: true });
  expect(changes.map(({ path }) => path)).toEqual(['a.txt', 'large.txt']);
  expect(totals).toMatchObject({ files: 2, added: 1, removed: 0 });
  expect(uncaptured.map(({ path }) => path)).toEqual(['large.txt']);
  expect(patch?.text.toString()).toMatch(/^diff --git a\/a.txt b\/a.txt\n/);
  const only = await savepoint.diffCopy(made, { paths: [nameToJson('large.txt')] });
  expect(only.changes.map(({ path }) => path)).toEqual(['large.txt']);
  await made.copy.drop();
});
