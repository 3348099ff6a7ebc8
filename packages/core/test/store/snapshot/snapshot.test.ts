import { SimDisk, simPorts } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { EMPTY_TREE } from '../../../src/model/ids.ts';
import type { DiskPath, Name } from '../../../src/model/names.ts';
import { ObjectStore } from '../../../src/store/objects/object-store.ts';
import { encodeTree } from '../../../src/store/objects/tree.ts';
import { OverlayBatch } from '../../../src/store/snapshot/overlay.ts';
import { PLAIN_NOTE } from '../../../src/store/snapshot/side.ts';
import { readBlob, readFolder, readTree, writeFolder } from '../../../src/store/snapshot/snapshot.ts';

function emptyStore(): ObjectStore {
  return ObjectStore.create(simPorts(new SimDisk()), '/objects.git' as DiskPath);
}

test('an object of the wrong type is damage', () => {
  const batch = emptyStore().batch();
  const blob = batch.add('blob', Buffer.alloc(0));
  const tree = batch.add('tree', encodeTree([{ mode: 0o100644, name: 'a' as Name, id: blob }]));
  expect(readTree(batch, tree)).toHaveLength(1);
  expect(readBlob(batch, blob)).toHaveLength(0);
  expect(readTree(batch, EMPTY_TREE)).toEqual([]);
  // An empty blob would be a valid empty tree, and a tree has bytes that could be a file's.
  expect(() => readTree(batch, blob)).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
  expect(() => readBlob(batch, tree)).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
});

test('a read-only scan marks contents that it did not store', () => {
  const look = new OverlayBatch(emptyStore());
  const content = Buffer.from('large');
  const id = look.addBlobFrom(content.length, (into, at) => content.copy(into, 0, at));
  expect(look.has(id)).toBe(true);
  expect(look.info(id)).toEqual({ type: 'blob', size: content.length });
  expect(() => look.read(id)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
});

test('a read-only scan keeps the notes of folders, however much content it found', () => {
  const look = new OverlayBatch(emptyStore(), 0);
  const id = look.add('blob', Buffer.from('content'));
  const names = (...given: readonly string[]) => new Set(given as Name[]);
  const notes = [
    { ...PLAIN_NOTE, mode: 0o700 },
    { ...PLAIN_NOTE, skips: new Map([['big' as Name, { reason: 'too-large' as const, size: 9 }]]) },
    { ...PLAIN_NOTE, ignored: names('i') },
    { ...PLAIN_NOTE, unsettled: names('u') },
    { ...PLAIN_NOTE, absent: names('a') },
  ];
  for (const note of notes) {
    const entry = { kind: 'file', id, mode: 0o644 } as const;
    const folder = writeFolder(look, { note, entries: new Map([['f' as Name, entry]]) });
    expect(readFolder(look, folder).note).toMatchObject(note);
  }
  expect(() => look.read(id)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
});
