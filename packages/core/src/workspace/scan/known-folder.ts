/**
 * The record of one scanned folder, as bytes. The format is the same in memory and in the stat cache's file, so an
 * unchanged folder is neither decoded into objects nor encoded again.
 *
 * A record is aligned to a multiple of 8. Numbers are little-endian (node supports nothing else):
 *
 *     0   u32  bytes of the record, padding included
 *     4   u32  number of names
 *     8   u32  bytes of the path
 *     12  u32  bytes of the rules' key
 *     16  u32  bytes of the names
 *     20  u32  bytes of the skips
 *     24  u32  permissions of the folder
 *     28  u32  0: the record does not determine the trees, 1: a `files/` tree, 2: also a `side/` tree
 *     32       ids of the two trees, 20 bytes each
 *     72       for each name five doubles: size, inode, mode, mtime, ctime (milliseconds)
 *              for each name an id of 20 bytes
 *              for each name a byte of flags
 *              path, rules' key, names (separated by NUL), skips (JSON: [position, skip])
 */

import { LISTED_FIELD, type ListedStat } from '../../io/fs.ts';
import type { Skip } from '../../model/entries.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { Name, TreePath } from '../../model/names.ts';
import type { FolderRef } from '../../store/snapshot/snapshot.ts';

/** Flags of a name: one of the kinds, and further bits. */
export const NameFlags = {
  file: 1,
  link: 2,
  folder: 3,
  skip: 4,
  kind: 7,
  /** Its stat data proves its id: it was not too recent when it was recorded. */
  provable: 8,
  /** The entry depends on the rules and the stat data alone. */
  plain: 16,
  /** An ignore rule covers it. */
  covered: 32,
  /** Recorded as ignored. */
  ignored: 64,
} as const;

/** The stat fields that prove that a file is unchanged. */
export type RecordedStat = Pick<ListedStat, 'size' | 'ino' | 'mode' | 'mtimeMs' | 'ctimeMs'>;

export interface ScannedName {
  readonly name: Name;
  /** See {@link NameFlags}. */
  readonly flags: number;
  /** Only for files and links. */
  readonly stat: RecordedStat | null;
  readonly id: ObjectId | null;
  readonly skip: Skip | null;
}

export interface ScannedFolder {
  readonly path: TreePath;
  /** Key of the rules under which the folder was scanned. */
  readonly rules: string;
  readonly mode: number;
  /** The written trees. Null if the record does not determine them. */
  readonly ref: FolderRef | null;
  /** Sorted. */
  readonly names: readonly ScannedName[];
}

const NUMBERS = 5;
const ID_BYTES = 20;
const NUMBERS_AT = 72;
const REF = 28;
const FILES_ID = 32;
const SIDE_ID = 52;

export class KnownFolder {
  readonly path: TreePath;
  readonly rules: string;
  readonly count: number;
  readonly mode: number;
  readonly #data: Buffer;
  readonly #head: Uint32Array;
  readonly #numbers: Float64Array;
  readonly #ids: number;
  readonly #flags: number;
  /** Decoded on first use, because a folder may have thousands. */
  #skips: ReadonlyMap<number, Skip> | null = null;

  private constructor(data: Buffer) {
    this.#data = data;
    this.#head = new Uint32Array(data.buffer, data.byteOffset, NUMBERS_AT / 4);
    this.count = this.#head[1]!;
    this.mode = this.#head[6]!;
    this.#numbers = new Float64Array(data.buffer, data.byteOffset + NUMBERS_AT, this.count * NUMBERS);
    this.#ids = NUMBERS_AT + this.count * NUMBERS * 8;
    this.#flags = this.#ids + this.count * ID_BYTES;
    const path = this.#flags + this.count;
    const rules = path + this.#head[2]!;
    this.path = data.toString('latin1', path, rules) as TreePath;
    this.rules = data.toString('latin1', rules, rules + this.#head[3]!);
  }

  static of(folder: ScannedFolder): KnownFolder {
    const names = folder.names.map(({ name }) => name).join('\0');
    const skips = JSON.stringify(
      folder.names.flatMap(({ skip }, position) => (skip === null ? [] : [[position, skip] as const])),
    );
    const { length: count } = folder.names;
    const texts = folder.path + folder.rules + names + skips;
    const ids = NUMBERS_AT + count * NUMBERS * 8;
    const kinds = ids + count * ID_BYTES;
    const bytes = (kinds + count + texts.length + 7) & ~7;
    const data = Buffer.from(new ArrayBuffer(bytes));
    new Uint32Array(data.buffer).set([
      bytes,
      count,
      folder.path.length,
      folder.rules.length,
      names.length,
      skips.length,
      folder.mode,
      folder.ref === null ? 0 : folder.ref.side === null ? 1 : 2,
    ]);
    if (folder.ref !== null) data.write(folder.ref.files, FILES_ID, 'hex');
    if (folder.ref?.side) data.write(folder.ref.side, SIDE_ID, 'hex');
    const numbers = new Float64Array(data.buffer, NUMBERS_AT, count * NUMBERS);
    for (const [position, { stat, id, flags }] of folder.names.entries()) {
      if (stat !== null) numbers.set([stat.size, stat.ino, stat.mode, stat.mtimeMs, stat.ctimeMs], position * NUMBERS);
      if (id !== null) data.write(id, ids + position * ID_BYTES, 'hex');
      data[kinds + position] = flags;
    }
    data.write(texts, kinds + count, 'latin1');
    return new KnownFolder(data);
  }

  /** Reads consecutive records. @param at start of the first record, a multiple of 8 */
  static *in(data: Buffer, at: number, end: number): Generator<KnownFolder> {
    for (let from = at; from < end; ) {
      const bytes = data.readUInt32LE(from);
      if (bytes < NUMBERS_AT || bytes % 8 !== 0 || from + bytes > end) throw new RangeError('a record without an end');
      yield new KnownFolder(data.subarray(from, from + bytes));
      from += bytes;
    }
  }

  get bytes(): Buffer {
    return this.#data;
  }

  get ref(): FolderRef | null {
    const kind = this.#head[REF / 4]!;
    if (kind === 0) return null;
    return { kind: 'folder', files: this.#hex(FILES_ID), side: kind === 1 ? null : this.#hex(SIDE_ID) };
  }

  names(): readonly Name[] {
    if (this.count === 0) return [];
    const at = this.#textsAt();
    return this.#data.toString('latin1', at, at + this.#head[4]!).split('\0') as Name[];
  }

  /** @returns {@link NameFlags} of the name */
  what(position: number): number {
    return this.#data[this.#flags + position]!;
  }

  id(position: number): ObjectId {
    return this.#hex(this.#ids + position * ID_BYTES);
  }

  skip(position: number): Skip | null {
    this.#skips ??= this.#decodedSkips();
    return this.#skips.get(position) ?? null;
  }

  /** Whether a stat proves that the file is unchanged. See {@link NameFlags.provable}. */
  proves(position: number, stat: RecordedStat): boolean {
    const at = position * NUMBERS;
    const numbers = this.#numbers;
    return (
      (this.what(position) & NameFlags.provable) !== 0 &&
      numbers[at] === stat.size &&
      numbers[at + 1] === stat.ino &&
      numbers[at + 2] === stat.mode &&
      numbers[at + 3] === stat.mtimeMs &&
      numbers[at + 4] === stat.ctimeMs
    );
  }

  /**
   * The same for a name of a listing, without creating an object for its numbers.
   * @param listed the listing's numbers @param from start of the name's numbers
   */
  provesListed(position: number, listed: Float64Array, from: number): boolean {
    const at = position * NUMBERS;
    const numbers = this.#numbers;
    return (
      (this.what(position) & NameFlags.provable) !== 0 &&
      numbers[at] === listed[from + LISTED_FIELD.size] &&
      numbers[at + 1] === listed[from + LISTED_FIELD.ino] &&
      numbers[at + 2] === listed[from + LISTED_FIELD.mode] &&
      numbers[at + 3] === listed[from + LISTED_FIELD.mtimeMs] &&
      numbers[at + 4] === listed[from + LISTED_FIELD.ctimeMs]
    );
  }

  /** Whether a file in the folder has one of the inodes that is not among the exceptions. */
  holdsAny(inodes: ReadonlySet<number>, exceptions: ReadonlySet<number>): boolean {
    for (let at = 1; at < this.#numbers.length; at += NUMBERS) {
      const inode = this.#numbers[at]!;
      if (inodes.has(inode) && !exceptions.has(inode)) return true;
    }
    return false;
  }

  /** Decodes one entry. */
  at(position: number, name: Name): ScannedName {
    const [size, ino, mode, mtimeMs, ctimeMs] = this.#numbers.subarray(position * NUMBERS) as unknown as number[];
    const what = this.what(position);
    const kind = what & NameFlags.kind;
    const isLeaf = kind === NameFlags.file || kind === NameFlags.link;
    return {
      name,
      flags: what,
      stat: isLeaf ? ({ size, ino, mode, mtimeMs, ctimeMs } as RecordedStat) : null,
      id: isLeaf ? this.id(position) : null,
      skip: kind === NameFlags.skip ? this.skip(position) : null,
    };
  }

  /**
   * Returns a copy without tree ids, for a folder that no longer matches its trees. @param name is no longer provable
   */
  without(name: Name | null): KnownFolder {
    const data = Buffer.from(new ArrayBuffer(this.#data.length));
    this.#data.copy(data);
    data.writeUInt32LE(0, REF);
    const position = name === null ? -1 : this.names().indexOf(name);
    if (position >= 0) data[this.#flags + position] = this.what(position) & ~NameFlags.provable;
    return new KnownFolder(data);
  }

  #decodedSkips(): ReadonlyMap<number, Skip> {
    const at = this.#textsAt() + this.#head[4]!;
    return new Map(JSON.parse(this.#data.toString('latin1', at, at + this.#head[5]!)) as [number, Skip][]);
  }

  #textsAt(): number {
    return this.#flags + this.count + this.path.length + this.rules.length;
  }

  #hex(at: number): ObjectId {
    return this.#data.toString('hex', at, at + ID_BYTES) as ObjectId;
  }
}
