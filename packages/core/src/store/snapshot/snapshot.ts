/** Reads and writes the two trees of a snapshot, folder by folder. */
import type { FileEntry, LinkEntry, Snapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { EMPTY_TREE, type ObjectId } from '../../model/ids.ts';
import { type Name, pathComponents, type TreePath } from '../../model/names.ts';
import type { ObjectBatch, ObjectReader } from '../objects/object-reader.ts';
import { decodeTree, encodeTree, type TreeEntry } from '../objects/tree.ts';
import {
  decodeNote,
  encodeNote,
  type FolderNote,
  isExecutable,
  NOTE_NAME,
  nameFromSide,
  PLAIN_NOTE,
  sideName,
} from './side.ts';

/** A folder of a snapshot, as its two trees. `side` is null if there is no note in it or below it. */
export interface FolderRef {
  readonly kind: 'folder';
  readonly files: ObjectId;
  readonly side: ObjectId | null;
}

/** A folder's contents, one level deep. */
export interface FolderContents {
  readonly note: FolderNote;
  readonly entries: ReadonlyMap<Name, FileEntry | LinkEntry | FolderRef>;
}

const FILE = 0o100644;
const EXECUTABLE = 0o100755;
const LINK = 0o120000;
const FOLDER = 0o040000;

export function rootOf(snapshot: Snapshot): FolderRef {
  return { kind: 'folder', files: snapshot.files, side: snapshot.side === EMPTY_TREE ? null : snapshot.side };
}

export function snapshotOf(root: FolderRef): Snapshot {
  return { files: root.files, side: root.side ?? EMPTY_TREE };
}

export function readFolder(reader: ObjectReader, folder: FolderRef): FolderContents {
  const sides = new Map<Name, ObjectId>();
  let note = PLAIN_NOTE;
  if (folder.side !== null) {
    for (const entry of readTree(reader, folder.side)) {
      if (entry.name === NOTE_NAME) note = decodeNote(readBlob(reader, entry.id));
      else sides.set(nameFromSide(entry.name), entry.id);
    }
  }
  const entries = new Map<Name, FileEntry | LinkEntry | FolderRef>();
  for (const { name, mode, id } of readTree(reader, folder.files)) {
    if (mode === FOLDER) entries.set(name, { kind: 'folder', files: id, side: sides.get(name) ?? null });
    else if (mode === LINK) entries.set(name, { kind: 'link', id });
    else {
      const common = mode === EXECUTABLE ? note.executableMode : note.fileMode;
      entries.set(name, { kind: 'file', id, mode: note.otherModes.get(name) ?? common });
    }
  }
  return { note, entries };
}

export type FolderReader = (folder: FolderRef) => FolderContents;

/**
 * Returns a reader that reads each folder once: the content of an id never changes. It caches every folder, so use it
 * only for one operation.
 */
export function cachedFolderReader(reader: ObjectReader): FolderReader {
  const read = new Map<string, FolderContents>();
  return (folder) => {
    const key = `${folder.files} ${folder.side}`;
    let contents = read.get(key);
    if (contents === undefined) {
      contents = readFolder(reader, folder);
      read.set(key, contents);
    }
    return contents;
  };
}

export function readTree(reader: ObjectReader, id: ObjectId): readonly TreeEntry[] {
  if (id === EMPTY_TREE) return [];
  const object = reader.read(id);
  if (object.type !== 'tree') throw damaged(id, 'a tree', object.type);
  return decodeTree(object.data);
}

export function readBlob(reader: ObjectReader, id: ObjectId): Buffer {
  const object = reader.read(id);
  if (object.type !== 'blob') throw damaged(id, 'a blob', object.type);
  return object.data;
}

/** Returns the folder at a path; null if the snapshot has none. */
export function folderAt(reader: ObjectReader, snapshot: Snapshot, path: TreePath): FolderRef | null {
  let folder = rootOf(snapshot);
  for (const name of pathComponents(path)) {
    const next = readFolder(reader, folder).entries.get(name);
    if (next?.kind !== 'folder') return null;
    folder = next;
  }
  return folder;
}

/** Writes a folder whose subfolders have already been written. */
export function writeFolder(batch: ObjectBatch, contents: FolderContents): FolderRef {
  const files: TreeEntry[] = [];
  const sides: TreeEntry[] = [];
  const modes = new Map<Name, number>();
  for (const [name, entry] of contents.entries) {
    if (entry.kind === 'folder') {
      files.push({ name, mode: FOLDER, id: entry.files });
      if (entry.side !== null) sides.push({ name: sideName(name), mode: FOLDER, id: entry.side });
    } else if (entry.kind === 'link') {
      files.push({ name, mode: LINK, id: entry.id });
    } else {
      modes.set(name, entry.mode);
      files.push({ name, mode: isExecutable(entry.mode) ? EXECUTABLE : FILE, id: entry.id });
    }
  }
  const note = encodeNote(contents.note, modes);
  if (note !== null) sides.push({ name: NOTE_NAME, mode: FILE, id: batch.add('blob', note) });
  return {
    kind: 'folder',
    files: batch.add('tree', encodeTree(files)),
    side: sides.length === 0 ? null : batch.add('tree', encodeTree(sides)),
  };
}

function damaged(id: ObjectId, wanted: string, found: string): SavepointError {
  return new SavepointError('STORE_DAMAGED', `Object ${id} of the store is a ${found}, but should be ${wanted}.`, {
    object: id,
  });
}
