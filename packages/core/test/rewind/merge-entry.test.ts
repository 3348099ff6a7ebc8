import { SimDisk, simPorts } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import type { MergeSide } from '../../src/content/three-way.ts';
import { type Entry, type FileEntry, sameEntry } from '../../src/model/entries.ts';
import type { DiskPath } from '../../src/model/names.ts';
import { mergeFiles, revertEntry } from '../../src/rewind/merge-entry.ts';
import type { ObjectBatch } from '../../src/store/objects/object-reader.ts';
import { ObjectStore } from '../../src/store/objects/object-store.ts';
import { readBlob } from '../../src/store/snapshot/snapshot.ts';

const objects: ObjectBatch = ObjectStore.create(simPorts(new SimDisk()), '/objects.git' as DiskPath).batch();

const file = (content: string, mode = 0o644): FileEntry => ({
  kind: 'file',
  id: objects.add('blob', Buffer.from(content)),
  mode,
});
const link = (target: string): Entry => ({ kind: 'link', id: objects.add('blob', Buffer.from(target)) });
const folder = (mode: number): Entry => ({ kind: 'folder', mode });
const textOf = (entry: Entry | null): string | null =>
  entry === null || entry.kind === 'folder' ? null : readBlob(objects, entry.id).toString();

const LINES = 'one\ntwo\nthree\nfour\nfive\n';
const [FIRST, LAST, BOTH] = [
  LINES.replace('one', '1'),
  LINES.replace('five', '5'),
  LINES.replace('one', '1').replace('five', '5'),
];

/** Every kind of state of a path, twice where content or permissions can differ. */
const STATES: readonly (Entry | null)[] = [
  null,
  file(LINES),
  file(FIRST),
  file(LAST),
  file(LINES, 0o755),
  file(FIRST, 0o755),
  file('\0binary'),
  link('one'),
  link('two'),
  folder(0o755),
  folder(0o700),
];
const TRIPLES = STATES.flatMap((left) => STATES.flatMap((found) => STATES.map((today) => ({ left, found, today }))));

describe('reverting one change of one path', () => {
  test('a path that did not change since gets its state from before the change', () => {
    for (const left of STATES) {
      for (const found of STATES) {
        if (sameEntry(left, found)) continue;
        expect(revertEntry(objects, left, found, left, null)).toEqual({ outcome: 'done', entry: found, merged: false });
      }
    }
  });

  test('the current state is replaced only if the change left it or both merge, unless requested', () => {
    for (const { left, found, today } of TRIPLES) {
      const taken = revertEntry(objects, left, found, today, null);
      if (taken.outcome === 'conflict') {
        expect(taken.sides).toMatchObject({ base: left, ours: today, theirs: found });
        continue;
      }
      if (sameEntry(taken.entry, today)) continue;
      expect(taken.outcome).toBe('done');
      if (sameEntry(today, left)) continue;
      // Later edits are in the result: content, permissions, or both.
      if (today?.kind === 'file' && left?.kind === 'file') {
        if (taken.entry === null) {
          expect(today.id).toBe(left.id);
          continue;
        }
        const to = taken.entry as FileEntry;
        if (today.mode !== left.mode) expect(to.mode).toBe(today.mode);
        if (today.id !== left.id && found?.kind === 'file' && today.id !== found.id && left.id !== found.id) {
          expect(taken).toMatchObject({ merged: true });
        }
        continue;
      }
      // An empty folder of which only the permissions changed may be removed, or get its earlier permissions.
      expect([today?.kind, left?.kind ?? found?.kind]).toEqual(['folder', 'folder']);
    }
  });

  test('with a preferred side there is no conflict, and the result is one of the two sides', () => {
    for (const prefer of ['ours', 'theirs'] as const) {
      for (const { left, found, today } of TRIPLES) {
        const taken = revertEntry(objects, left, found, today, prefer);
        expect(taken.outcome).not.toBe('conflict');
        const free = revertEntry(objects, left, found, today, null);
        // A preference only affects conflicts.
        if (free.outcome !== 'conflict') expect(taken).toEqual(free);
      }
    }
  });

  test('content and permissions are reverted separately', () => {
    const taken = revertEntry(objects, file(FIRST, 0o755), file(LINES, 0o644), file(FIRST, 0o600), null);
    expect(taken).toMatchObject({ outcome: 'done', entry: file(LINES, 0o600) });
    const kept = revertEntry(objects, file(FIRST, 0o755), file(FIRST, 0o644), file(BOTH, 0o755), null);
    expect(kept).toMatchObject({ outcome: 'done', entry: file(BOTH, 0o644) });
  });

  test('a file that the change created is removed even if its permissions changed since', () => {
    const removed = { outcome: 'done', entry: null, merged: false };
    expect(revertEntry(objects, file(LINES, 0o644), null, file(LINES, 0o755), null)).toEqual(removed);
    expect(revertEntry(objects, folder(0o755), null, folder(0o700), null)).toEqual(removed);
  });

  test.each<{ name: string; left: Entry | null; found: Entry | null; today: Entry | null; why: string }>([
    {
      name: 'put back by hand',
      left: file(FIRST),
      found: file(LINES),
      today: file(LINES),
      why: 'already in that state',
    },
    { name: 'removed', left: file(FIRST), found: file(LINES), today: null, why: 'it was deleted since' },
    { name: 'a new file that is gone', left: file(LINES), found: null, today: null, why: 'already in that state' },
    {
      name: 'no change',
      left: file(LINES),
      found: file(LINES),
      today: file(LAST),
      why: 'the changes cancel each other out',
    },
    {
      name: 'permissions of a folder',
      left: folder(0o700),
      found: folder(0o755),
      today: folder(0o711),
      why: 'its permissions were changed since',
    },
  ])('nothing is done to a path: $name', ({ left, found, today, why }) => {
    expect(revertEntry(objects, left, found, today, null)).toEqual({ outcome: 'nothing', entry: today, why });
  });

  test.each<{ name: string; left: Entry | null; found: Entry | null; today: Entry | null; why: string }>([
    { name: 'a new file, edited', left: file(LINES), found: null, today: file(FIRST), why: 'it was changed since' },
    {
      name: 'a name taken',
      left: null,
      found: file(LINES),
      today: file(FIRST),
      why: 'another file was created there since',
    },
    {
      name: 'a link in its place',
      left: file(LINES),
      found: file(FIRST),
      today: link('one'),
      why: 'it was changed since',
    },
    {
      name: 'the same line',
      left: file(FIRST),
      found: file(LINES),
      today: file(FIRST.replace('1', '11')),
      why: 'the same lines were changed since',
    },
    {
      name: 'no text',
      left: file('\0a'),
      found: file('\0b'),
      today: file('\0c'),
      why: 'it was changed since and cannot be merged by line',
    },
  ])('a conflict: $name', ({ left, found, today, why }) => {
    expect(revertEntry(objects, left, found, today, null)).toMatchObject({ outcome: 'conflict', why });
  });
});

describe('three states of a file', () => {
  const merged = (base: string, ours: string, theirs: string, prefer: MergeSide | null = null) =>
    mergeFiles(objects, { base: file(base), ours: file(ours), theirs: file(theirs) }, prefer);

  test('lines of both sides', () => {
    const { entry, ...rest } = merged(LINES, FIRST, LAST);
    expect(textOf(entry)).toBe(BOTH);
    expect(rest).toEqual({ merged: true, sides: null });
  });

  test('both sides equal: theirs, without a merge', () => {
    expect(merged(LINES, FIRST, FIRST)).toEqual({ entry: file(FIRST), merged: false, sides: null });
  });

  test('only one side changed content that does not merge by line: that side', () => {
    expect(textOf(merged('\0a', '\0b', '\0a').entry)).toBe('\0b');
    expect(textOf(merged('\0a', '\0a', '\0b').entry)).toBe('\0b');
  });

  test('contents that do not merge by line: the entire preferred side', () => {
    expect(textOf(merged('\0a', '\0b', '\0c', 'ours').entry)).toBe('\0b');
    expect(textOf(merged('\0a', '\0b', '\0c', 'theirs').entry)).toBe('\0c');
  });

  test('a conflict shows the lines of all three states, each with a line ending', () => {
    const { entry, sides } = merged('one\ntwo', 'one\n2', 'one\nTWO');
    expect(entry).toBeNull();
    expect(sides?.text?.toString().split('\n')).toEqual([
      '@@ line 2 @@',
      '<<<<<<< ours (the current lines)',
      '2',
      '||||||| base (the lines that both started from)',
      'two',
      '=======',
      'TWO',
      '>>>>>>> theirs (the lines to bring back)',
      '',
    ]);
    expect(sides?.cut).toBe(false);
  });

  test('a long conflict is truncated at 200 lines or 16 KiB, and says so', () => {
    const lines = (letter: string): string => Array.from({ length: 300 }, (_, i) => `${letter} ${i}\n`).join('');
    const { sides } = merged(lines('a'), lines('b'), lines('c'));
    expect(sides?.cut).toBe(true);
    expect(sides?.text?.toString().trimEnd().split('\n')).toHaveLength(200);
    const wide = merged('a\n', `${'b'.repeat(20_000)}\n`, 'c\n').sides;
    expect(wide).toMatchObject({ cut: true, text: { length: 16 * 1024 } });
  });
});
