/** Tree objects: `<octal mode> <name>\0<20 bytes>` for each entry, in git's order. */

import { SavepointError } from '../../model/errors.ts';
import { isObjectId, type ObjectId } from '../../model/ids.ts';
import type { Name } from '../../model/names.ts';
import { damaged } from './damage.ts';
import { idAt, KEY_BYTES } from './object-hash.ts';

export type TreeMode = 0o100644 | 0o100755 | 0o120000 | 0o40000;

export interface TreeEntry {
  readonly mode: TreeMode;
  readonly name: Name;
  readonly id: ObjectId;
}

/** An entry of a foreign tree, which may also contain group-writable files (0o100664) and submodules (0o160000). */
export interface ForeignTreeEntry {
  readonly mode: number;
  readonly name: Name;
  readonly id: ObjectId;
}

const FOLDER = 0o40000;
const MODE_TEXTS: ReadonlyMap<number, string> = new Map([
  [0o100644, '100644 '],
  [0o100755, '100755 '],
  [0o120000, '120000 '],
  [FOLDER, '40000 '],
]);
const SPACE = 0x20;
const MAX_MODE_DIGITS = 6;

/**
 * @param entries in any order
 * @throws SavepointError INTERNAL for a name that is duplicate or that a tree cannot contain
 */
export function encodeTree(entries: readonly TreeEntry[]): Buffer {
  const names = new Set<string>();
  let size = 0;
  for (const { mode, name, id } of entries) {
    if (!isTreeName(name) || names.has(name) || !isObjectId(id)) {
      const message = `A tree cannot hold ${JSON.stringify(name)} (${names.has(name) ? 'there twice' : id}).`;
      throw new SavepointError('INTERNAL', message, { message });
    }
    names.add(name);
    size += modeText(mode).length + name.length + 1 + KEY_BYTES;
  }
  const data = Buffer.allocUnsafe(size);
  let at = 0;
  for (const { mode, name, id } of inOrder(entries)) {
    at += data.write(modeText(mode), at, 'latin1');
    at += data.write(name, at, 'latin1');
    data[at++] = 0;
    at += data.write(id, at, KEY_BYTES, 'hex');
  }
  return data;
}

/**
 * Decodes a tree. Strict: rejects what git's own check of a tree reports (order, duplicate names, modes, padding).
 * @param options.foreign accepts modes that Savepoint does not write
 * @param options.id the tree's id, for the error
 * @throws SavepointError STORE_DAMAGED
 */
export function decodeTree(data: Buffer, options?: { readonly foreign?: false; readonly id?: ObjectId }): TreeEntry[];
export function decodeTree(
  data: Buffer,
  options: { readonly foreign: true; readonly id?: ObjectId },
): ForeignTreeEntry[];
export function decodeTree(
  data: Buffer,
  options: { readonly foreign?: boolean; readonly id?: ObjectId } = {},
): ForeignTreeEntry[] {
  const entries: ForeignTreeEntry[] = [];
  const wrong = (what: string): never => {
    throw damaged(`a tree that ${what}`, options.id === undefined ? {} : { object: options.id });
  };
  // A file `a` and a folder `a` need not be adjacent (`a.b` sorts between them), so finding duplicates requires a set.
  const names = new Set<string>();
  let previous = '';
  let at = 0;
  while (at < data.length) {
    let mode = 0;
    const start = at;
    for (;;) {
      const byte = data[at] ?? wrong('ends in the middle of a mode');
      if (byte === SPACE) break;
      if (byte < 0x30 || byte > 0x37 || (byte === 0x30 && at === start) || at - start === MAX_MODE_DIGITS) {
        wrong('holds a malformed mode');
      }
      mode = mode * 8 + (byte - 0x30);
      at++;
    }
    if (options.foreign !== true && !MODE_TEXTS.has(mode)) wrong(`holds the mode ${mode.toString(8)}`);
    const end = data.indexOf(0, at + 1);
    if (end < 0 || end + 1 + KEY_BYTES > data.length) wrong('ends in the middle of an entry');
    const name = data.toString('latin1', at + 1, end) as Name;
    if (!isTreeName(name)) wrong('holds a name that no file can have');
    if (names.has(name)) wrong('holds a name twice');
    names.add(name);
    const key = mode === FOLDER ? `${name}/` : name;
    if (previous >= key && entries.length > 0) wrong('is not in order');
    previous = key;
    entries.push({ mode, name, id: idAt(data, end + 1) });
    at = end + 1 + KEY_BYTES;
  }
  return entries;
}

/** Sorts bytewise, with `/` appended to the names of folders. */
function inOrder(entries: readonly TreeEntry[]): readonly TreeEntry[] {
  const keys = entries.map((entry) => (entry.mode === FOLDER ? `${entry.name}/` : entry.name));
  if (keys.every((key, at) => at === 0 || keys[at - 1]! < key)) return entries;
  return entries
    .map((entry, at) => ({ entry, key: keys[at]! }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ entry }) => entry);
}

function isTreeName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\0]|[^\0-\xff]/.test(name);
}

function modeText(mode: number): string {
  const text = MODE_TEXTS.get(mode);
  if (text !== undefined) return text;
  const message = `A tree cannot hold the mode ${mode.toString(8)}.`;
  throw new SavepointError('INTERNAL', message, { message });
}
