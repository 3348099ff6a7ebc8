import { SimDisk, simPorts } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { statesOverDisk } from '../../../src/check/types/states-over-disk.ts';
import type { FileEntry, LinkEntry, Snapshot } from '../../../src/model/entries.ts';
import { EMPTY_TREE } from '../../../src/model/ids.ts';
import type { DiskPath, Name } from '../../../src/model/names.ts';
import { ObjectStore } from '../../../src/store/objects/object-store.ts';
import { PLAIN_NOTE } from '../../../src/store/snapshot/side.ts';
import { type FolderRef, writeFolder } from '../../../src/store/snapshot/snapshot.ts';

test('a state that is not on disk is described by what compilers read of it', () => {
  const objects = ObjectStore.create(simPorts(new SimDisk()), '/objects.git' as DiskPath).batch();
  const blob = (text: string) => objects.add('blob', Buffer.from(text));
  const file = (text: string) => ({ kind: 'file', id: blob(text), mode: 0o644 }) as const;
  const folder = (entries: Readonly<Record<string, FileEntry | LinkEntry | FolderRef>>): FolderRef =>
    writeFolder(objects, {
      note: PLAIN_NOTE,
      entries: new Map(Object.entries(entries).map(([name, entry]) => [name as Name, entry])),
    });
  const state = (src: Readonly<Record<string, FileEntry | LinkEntry | FolderRef>>): Snapshot => {
    const { files, side } = folder({ 'tsconfig.json': file('{}'), src: folder(src) });
    return { files, side: side ?? EMPTY_TREE };
  };
  const same = file('same');
  const base = state({ 'a.ts': file('a'), 'same.ts': same, 'gone.mts': file('gone'), 'x.png': file('1') });
  const proposed = state({
    'a.ts': file('b'),
    'same.ts': same,
    'x.png': file('2'),
    deep: folder({ 'n.tsx': file('n') }),
  });
  const disk = state({ 'a.ts': file('b'), 'same.ts': file('other'), 'link.ts': { kind: 'link', id: blob('a.ts') } });
  const texts = (files: ReadonlyMap<string, Uint8Array | null> | undefined) =>
    Object.fromEntries(
      [...(files ?? [])].map(([path, bytes]) => [path, bytes === null ? null : Buffer.from(bytes).toString()]),
    );
  const states = statesOverDisk(objects, { disk, base, proposed });
  expect(texts(states?.base)).toEqual({
    'src/a.ts': 'a',
    'src/gone.mts': 'gone',
    'src/link.ts': null,
    'src/same.ts': 'same',
  });
  expect(texts(states?.proposed)).toEqual({ 'src/deep/n.tsx': 'n', 'src/link.ts': null, 'src/same.ts': 'same' });
  expect(states?.changed).toEqual(['src/a.ts', 'src/deep/n.tsx', 'src/gone.mts']);
  const swapped = statesOverDisk(objects, { disk: base, base: proposed, proposed: base });
  expect(texts(swapped?.base)).toEqual({ 'src/a.ts': 'b', 'src/deep/n.tsx': 'n', 'src/gone.mts': null });
  const large = state({ 'large.ts': file('x'.repeat(65 * 1024 * 1024)) });
  expect(statesOverDisk(objects, { disk: base, base, proposed: large })).toBe(null);
});
