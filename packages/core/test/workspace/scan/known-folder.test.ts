/** The record of a folder says the same wherever it is in memory. */
import { expect, test } from 'vitest';
import type { ObjectId } from '../../../src/model/ids.ts';
import { nameOf, type TreePath } from '../../../src/model/names.ts';
import { KnownFolder, NameFlags, type ScannedFolder } from '../../../src/workspace/scan/known-folder.ts';
import { spaceOf } from '../../../src/workspace/scan/record-space.ts';

const STAT = {
  size: 12,
  ino: 2 ** 40 + 1,
  mode: 0o100644,
  mtimeMs: 1_700_000_000_000.25,
  ctimeMs: 1_700_000_000_001.5,
};

test('records next to each other, moved, and read from bytes that are not aligned', () => {
  const folders = Array.from({ length: 100 }, (_, nth) => folder(`folder ${nth}`, 1 + (nth % 7)));
  const expected = folders.map(contents);
  const records = folders.map((one) => KnownFolder.of(one));
  expect(records.map(contentsOf)).toEqual(expected);
  const bytes = records.reduce((sum, { length }) => sum + length, 0);
  // Behind one byte of something else, as in a buffer that is part of another.
  const data = Buffer.alloc(bytes + 1).subarray(1);
  const space = spaceOf(Buffer.from(new ArrayBuffer(bytes)));
  let at = 0;
  for (const record of records) {
    record.moveTo(space, at);
    at += record.length;
  }
  expect(records.map(contentsOf)).toEqual(expected);
  space.data.copy(data);
  expect([...KnownFolder.in(data, 0, bytes)].map(contentsOf)).toEqual(expected);
});

test('names that are no longer provable, and the others', () => {
  const known = KnownFolder.of(folder('folder', 5));
  const copy = known.without(new Set([nameOf('file 1'), nameOf('file 3'), nameOf('other')]));
  expect([0, 1, 2, 3, 4].map((position) => copy.proves(position, STAT))).toEqual([true, false, true, false, true]);
  expect([0, 1, 2, 3, 4].every((position) => known.proves(position, STAT))).toBe(true);
  expect(copy.ref).toBeNull();
  expect(copy.names()).toEqual(known.names());
});

function folder(path: string, files: number): ScannedFolder {
  const names = Array.from({ length: files }, (_, nth) => ({
    name: nameOf(`file ${nth}`),
    flags: NameFlags.file | NameFlags.plain | NameFlags.provable,
    stat: STAT,
    id: `${nth}`.repeat(40).slice(0, 40) as ObjectId,
    skip: null,
  }));
  const ref = { kind: 'folder', files: 'f'.repeat(40) as ObjectId, side: 'e'.repeat(40) as ObjectId } as const;
  return { path: path as TreePath, rules: 'the rules', mode: 0o755, ref, names };
}

function contents({ path, rules, mode, ref, names }: ScannedFolder): unknown {
  return { path, rules, mode, ref, names };
}

function contentsOf(known: KnownFolder): unknown {
  const { path, rules, mode, ref } = known;
  return { path, rules, mode, ref, names: known.names().map((name, position) => known.at(position, name)) };
}
