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
import { allocateRecord, type RecordSpace, spaceOf } from './record-space.ts';

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
  #space: RecordSpace;
  /** Where the record begins in the space. */
  #start: number;
  /** Decoded on first use, because a folder may have thousands. */
  #skips: ReadonlyMap<number, Skip> | null = null;

  private constructor(
    space: RecordSpace,
    start: number,
    readonly path: TreePath,
  ) {
    this.#space = space;
    this.#start = start;
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
    const length = (kinds + count + texts.length + 7) & ~7;
    const { space, start } = allocateRecord(length);
    const { data, numbers } = space;
    space.words.set(
      [
        length,
        count,
        folder.path.length,
        folder.rules.length,
        names.length,
        skips.length,
        folder.mode,
        folder.ref === null ? 0 : folder.ref.side === null ? 1 : 2,
      ],
      start / 4,
    );
    if (folder.ref !== null) data.write(folder.ref.files, start + FILES_ID, 'hex');
    if (folder.ref?.side) data.write(folder.ref.side, start + SIDE_ID, 'hex');
    let at = (start + NUMBERS_AT) / 8;
    for (const [position, { stat, id, flags }] of folder.names.entries()) {
      if (stat !== null) numbers.set([stat.size, stat.ino, stat.mode, stat.mtimeMs, stat.ctimeMs], at);
      if (id !== null) data.write(id, start + ids + position * ID_BYTES, 'hex');
      data[start + kinds + position] = flags;
      at += NUMBERS;
    }
    data.write(texts, start + kinds + count, 'latin1');
    return new KnownFolder(space, start, folder.path);
  }

  /** Reads consecutive records. @param at start of the first record, a multiple of 8 */
  static *in(data: Buffer, at: number, end: number): Generator<KnownFolder> {
    const space = spaceOf(data);
    for (let from = at; from < end; ) {
      const length = data.readUInt32LE(from);
      if (length < NUMBERS_AT || length % 8 !== 0 || from + length > end)
        throw new RangeError('a record without an end');
      yield KnownFolder.#at(space, from);
      from += length;
    }
  }

  static #at(space: RecordSpace, start: number): KnownFolder {
    const { data, words } = space;
    const path = start + NUMBERS_AT + words[start / 4 + 1]! * (NUMBERS * 8 + ID_BYTES + 1);
    const end = path + words[start / 4 + 2]!;
    return new KnownFolder(space, start, data.toString('latin1', path, end) as TreePath);
  }

  get count(): number {
    return this.#word(1);
  }

  get mode(): number {
    return this.#word(6);
  }

  /** Key of the rules under which the folder was scanned. */
  get rules(): string {
    const end = this.#textsAt();
    return this.#space.data.toString('latin1', end - this.#word(3), end);
  }

  /** Length of the record in bytes. */
  get length(): number {
    return this.#word(0);
  }

  /** Copies the record to another place, a multiple of 8, and uses it there from now on. */
  moveTo(space: RecordSpace, start: number): void {
    this.#bytes().copy(space.data, start);
    this.#space = space;
    this.#start = start;
  }

  /** Whether the record determines the trees. */
  get hasTrees(): boolean {
    return this.#word(REF / 4) !== 0;
  }

  get ref(): FolderRef | null {
    const kind = this.#word(REF / 4);
    if (kind === 0) return null;
    return { kind: 'folder', files: this.#hex(FILES_ID), side: kind === 1 ? null : this.#hex(SIDE_ID) };
  }

  names(): readonly Name[] {
    if (this.count === 0) return [];
    const at = this.#textsAt();
    return this.#space.data.toString('latin1', at, at + this.#word(4)).split('\0') as Name[];
  }

  /** @returns {@link NameFlags} of the name */
  what(position: number): number {
    return this.#space.data[this.#flagsAt() + position]!;
  }

  id(position: number): ObjectId {
    return this.#hex(NUMBERS_AT + this.count * NUMBERS * 8 + position * ID_BYTES);
  }

  skip(position: number): Skip | null {
    this.#skips ??= this.#decodedSkips();
    return this.#skips.get(position) ?? null;
  }

  /** Whether a stat proves that the file is unchanged. See {@link NameFlags.provable}. */
  proves(position: number, stat: RecordedStat): boolean {
    const at = this.#numbersAt(position);
    const { numbers } = this.#space;
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
    const at = this.#numbersAt(position);
    const { numbers } = this.#space;
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
    const { count } = this;
    for (let position = 0; position < count; position++) {
      const inode = this.#space.numbers[this.#numbersAt(position) + 1]!;
      if (inodes.has(inode) && !exceptions.has(inode)) return true;
    }
    return false;
  }

  /** Decodes one entry. */
  at(position: number, name: Name): ScannedName {
    const from = this.#numbersAt(position);
    const [size, ino, mode, mtimeMs, ctimeMs] = this.#space.numbers.subarray(
      from,
      from + NUMBERS,
    ) as unknown as number[];
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

  /** Returns a copy without tree ids, for a folder that no longer matches its trees. @param names no longer provable */
  without(names: ReadonlySet<Name> | null): KnownFolder {
    return this.#withoutProofs(names === null ? null : (name) => names.has(name));
  }

  /** Returns a copy without tree ids, in which only files and links with these ids are provable. */
  withOnly(isKept: (name: Name, id: ObjectId) => boolean): KnownFolder {
    return this.#withoutProofs((name, position) => !isKept(name, this.id(position)));
  }

  /** @param isDropped null: every name stays provable */
  #withoutProofs(isDropped: ((name: Name, position: number) => boolean) | null): KnownFolder {
    const { space, start } = allocateRecord(this.length);
    this.#bytes().copy(space.data, start);
    space.words[(start + REF) / 4] = 0;
    const copy = new KnownFolder(space, start, this.path);
    if (isDropped === null) return copy;
    const flags = copy.#flagsAt();
    for (const [position, name] of this.names().entries()) {
      const what = this.what(position);
      if ((what & NameFlags.provable) !== 0 && isDropped(name, position))
        space.data[flags + position] = what & ~NameFlags.provable;
    }
    return copy;
  }

  #decodedSkips(): ReadonlyMap<number, Skip> {
    const at = this.#textsAt() + this.#word(4);
    return new Map(JSON.parse(this.#space.data.toString('latin1', at, at + this.#word(5))) as [number, Skip][]);
  }

  #bytes(): Buffer {
    return this.#space.data.subarray(this.#start, this.#start + this.length);
  }

  /** Returns a number of the record's head. */
  #word(index: number): number {
    return this.#space.words[this.#start / 4 + index]!;
  }

  #numbersAt(position: number): number {
    return (this.#start + NUMBERS_AT) / 8 + position * NUMBERS;
  }

  #flagsAt(): number {
    return this.#start + NUMBERS_AT + this.count * (NUMBERS * 8 + ID_BYTES);
  }

  #textsAt(): number {
    return this.#flagsAt() + this.count + this.#word(2) + this.#word(3);
  }

  #hex(at: number): ObjectId {
    return this.#space.data.toString('hex', this.#start + at, this.#start + at + ID_BYTES) as ObjectId;
  }
}
