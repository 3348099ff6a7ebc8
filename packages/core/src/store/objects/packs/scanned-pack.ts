/**
 * Finds the objects of a pack without its index: by reading it from its beginning, and after a damaged place from the
 * next one where an entry inflates to the size in its header. No claim of the pack is trusted: an object is known by
 * the id that its bytes have.
 */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Fd, type Fs, isFsError, kindOf } from '../../../io/fs.ts';
import type { Pace } from '../../../io/pace.ts';
import type { ObjectId } from '../../../model/ids.ts';
import type { DiskPath } from '../../../model/names.ts';
import { FormatProblem } from '../damage.ts';
import { readFully } from '../file-handle-cache.ts';
import { DELTA_DEPTH, MAX_READ_BYTES, PIECE_BYTES } from '../limits.ts';
import { hashObject, keyOf } from '../object-hash.ts';
import type { StoredObject } from '../object-reader.ts';
import { BaseCache } from './base-cache.ts';
import { applyDelta } from './delta.ts';
import { EntryReader } from './entry-reader.ts';
import { decodePackHeader, type EntryHeader, PACK_HEADER_BYTES, PACK_TRAILER_BYTES } from './pack-format.ts';
import { encodePackIndex, PackIndex } from './pack-index.ts';

export interface ScannedPack {
  /** Where each object begins. */
  readonly offsets: ReadonlyMap<ObjectId, number>;
  /** The index that belongs to the pack; null unless every byte of it is sound. */
  readonly index: PackIndex | null;
  /** What is wrong with the pack itself. */
  readonly problems: readonly string[];
  /** @throws FormatProblem if the file has changed since, or the object is too large to read into memory */
  read(id: ObjectId): StoredObject;
  close(): void;
}

interface FoundEntry {
  readonly header: EntryHeader;
  readonly offset: number;
  readonly end: number;
}

/** Of a disk: one that cannot be read costs only the entries in it. */
const SECTOR_BYTES = 4096;
/** The first and the last entry of a damaged range are what helps to find the cause. */
const MAX_PROBLEMS = 10;

/** @throws FsError, but not for bytes that cannot be read: they count as damaged */
export async function scanPack(fs: Fs, path: DiskPath, pace: Pace): Promise<ScannedPack> {
  const opened = openPack(fs, path);
  if (typeof opened === 'string') return unreadable(opened);
  const { fd, size } = opened;
  try {
    const scan = new PackScan(fs, fd, size, pace);
    await scan.run();
    return scan;
  } catch (error) {
    fs.close(fd);
    throw error;
  }
}

class PackScan implements ScannedPack {
  readonly offsets = new Map<ObjectId, number>();
  readonly problems: string[] = [];
  index: PackIndex | null = null;
  readonly #reader: EntryReader;
  readonly #found = new Map<number, FoundEntry>();
  readonly #bases = new BaseCache();
  #isOpen = true;

  constructor(
    private readonly fs: Fs,
    private readonly fd: Fd,
    private readonly size: number,
    private readonly pace: Pace,
  ) {
    // A pack that was cut off may end with an entry, so its last bytes are not known to be a checksum.
    this.#reader = new EntryReader((into, length, at) => readWithZeros(fs, fd, into, length, at), size);
  }

  async run(): Promise<void> {
    const count = this.#checkHeader();
    const checksum = await this.#checkChecksum();
    const end = checksum === null ? this.size : this.size - PACK_TRAILER_BYTES;
    const crcs = new Map<number, number>();
    for (let at = PACK_HEADER_BYTES; at < end; ) {
      // Only the checksum is left, and it is wrong.
      if (at === this.size - PACK_TRAILER_BYTES && this.#found.size === count) break;
      await this.#step();
      const entry = this.#entryAt(at);
      if (typeof entry === 'string') {
        this.#note(`${entry}, at byte ${at}`);
        at = await this.#nextEntry(at + 1, end);
        continue;
      }
      this.#found.set(at, entry);
      if (checksum !== null) crcs.set(at, this.#crcOf(entry));
      at = entry.end;
    }
    await this.#resolveDeltas();
    if (checksum === null || this.problems.length > 0) return;
    if (count !== this.offsets.size) this.#note(`has ${this.offsets.size} objects, and its header says ${count}`);
    else {
      const entries = [...this.offsets].map(([id, offset]) => ({ key: keyOf(id), crc: crcs.get(offset) ?? 0, offset }));
      this.index = new PackIndex(encodePackIndex(entries, checksum));
    }
  }

  read(id: ObjectId): StoredObject {
    const offset = this.offsets.get(id);
    if (offset === undefined) throw new FormatProblem(`does not have ${id}`);
    const object = this.#resolve(offset);
    if (hashObject(object.type, object.data) !== id) throw new FormatProblem(`does not have ${id} any more`);
    return object;
  }

  close(): void {
    if (this.#isOpen) this.fs.close(this.fd);
    this.#isOpen = false;
  }

  #checkHeader(): number | null {
    try {
      return decodePackHeader(this.#reader.bytes(0, PACK_HEADER_BYTES));
    } catch (error) {
      this.#note(reasonOf(error));
      return null;
    }
  }

  /** Returns the checksum if it is right. */
  async #checkChecksum(): Promise<Buffer | null> {
    const end = this.size - PACK_TRAILER_BYTES;
    if (end < PACK_HEADER_BYTES) {
      this.#note('is cut off');
      return null;
    }
    const hash = createHash('sha1');
    for (let at = 0; at < end; at += PIECE_BYTES) {
      await this.#step();
      hash.update(this.#reader.bytes(at, Math.min(PIECE_BYTES, end - at)));
    }
    const checksum = Buffer.from(this.#reader.bytes(end, PACK_TRAILER_BYTES));
    if (hash.digest().equals(checksum)) return checksum;
    this.#note('does not match its checksum');
    return null;
  }

  /** Returns what is wrong if no entry begins there. */
  #entryAt(offset: number): FoundEntry | string {
    try {
      const header = this.#reader.header(offset);
      const type = header.kind === 'whole' ? header.type : 'blob';
      const { id, end } = this.#reader.hash(type, offset + header.length, header.size);
      if (header.kind === 'whole') this.offsets.set(id, offset);
      return { header, offset, end };
    } catch (error) {
      return reasonOf(error);
    }
  }

  async #nextEntry(from: number, end: number): Promise<number> {
    for (let at = from; at < end; at++) {
      if (at % SECTOR_BYTES === 0) await this.#step();
      if (this.#mayBegin(at, end) && typeof this.#entryAt(at) !== 'string') return at;
    }
    return end;
  }

  /** Whether a valid header and the first bytes of a zlib stream are there. */
  #mayBegin(offset: number, end: number): boolean {
    try {
      const { length } = this.#reader.header(offset);
      if (offset + length + 2 > end) return false;
      const zlib = this.#reader.bytes(offset + length, 2).readUInt16BE(0);
      return ((zlib >> 8) & 15) === 8 && zlib >> 12 <= 7 && zlib % 31 === 0 && (zlib & 0x20) === 0;
    } catch (error) {
      reasonOf(error);
      return false;
    }
  }

  #crcOf({ offset, end }: FoundEntry): number {
    let sum = 0;
    for (let at = offset; at < end; at += PIECE_BYTES) {
      sum = crc32(this.#reader.bytes(at, Math.min(PIECE_BYTES, end - at)), sum);
    }
    return sum;
  }

  /** A base named by id may itself be a delta that comes later. */
  async #resolveDeltas(): Promise<void> {
    let open = [...this.#found.values()].filter(({ header }) => header.kind !== 'whole');
    for (let before = Number.POSITIVE_INFINITY; open.length > 0 && open.length < before; ) {
      before = open.length;
      const left: FoundEntry[] = [];
      for (const entry of open) {
        await this.#step();
        try {
          const { type, data } = this.#resolve(entry.offset);
          this.offsets.set(hashObject(type, data), entry.offset);
        } catch (error) {
          reasonOf(error);
          left.push(entry);
        }
      }
      open = left;
    }
    for (const { offset } of open) this.#note(`has a delta without its base, at byte ${offset}`);
  }

  /** Follows deltas down to an object that is not one, and then applies them. */
  #resolve(offset: number): StoredObject {
    const deltas: FoundEntry[] = [];
    let object: StoredObject | undefined;
    for (let at = offset; object === undefined; ) {
      object = this.#bases.get(0, at);
      if (object !== undefined) break;
      const entry = this.#found.get(at);
      if (entry === undefined) throw new FormatProblem('has a delta without its base');
      const { header } = entry;
      if (header.kind === 'whole') object = { type: header.type, data: this.#inflate(entry) };
      else {
        deltas.push(entry);
        if (deltas.length > DELTA_DEPTH) throw new FormatProblem('depends on too many deltas');
        at = header.kind === 'offset-delta' ? at - header.distance : this.#offsetOf(header.base);
      }
    }
    for (const delta of deltas.reverse()) {
      object = { type: object.type, data: applyDelta(object.data, this.#inflate(delta)) };
      this.#bases.put(0, delta.offset, object);
    }
    return { type: object.type, data: Buffer.from(object.data) };
  }

  #offsetOf(base: Buffer): number {
    const offset = this.offsets.get(base.toString('hex') as ObjectId);
    if (offset === undefined) throw new FormatProblem('has a delta without its base');
    return offset;
  }

  #inflate({ header, offset }: FoundEntry): Buffer {
    if (header.size > MAX_READ_BYTES) throw new FormatProblem(`has an object of ${header.size} bytes`);
    return this.#reader.inflate(offset + header.length, header.size).data;
  }

  #note(problem: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(problem);
  }

  async #step(): Promise<void> {
    if (this.pace.isDue()) await this.pace.yieldNow();
  }
}

function openPack(fs: Fs, path: DiskPath): { readonly fd: Fd; readonly size: number } | string {
  let fd: Fd;
  try {
    fd = fs.openRead(path);
  } catch (error) {
    if (isFsError(error, 'EIO', 'EACCES', 'EPERM')) return `cannot be read (${error.code})`;
    if (isFsError(error, 'EINVAL', 'ELOOP', 'EISDIR', 'ENOENT')) return 'is not a file';
    throw error;
  }
  const stat = fs.fstat(fd);
  if (kindOf(stat) === 'file') return { fd, size: stat.size };
  fs.close(fd);
  return 'is not a file';
}

function unreadable(problem: string): ScannedPack {
  return {
    offsets: new Map(),
    index: null,
    problems: [problem],
    read: (id) => {
      throw new FormatProblem(`does not have ${id}`);
    },
    close: () => undefined,
  };
}

/** Reads zeros for the sectors that cannot be read, so that they look like any other damage. */
function readWithZeros(fs: Fs, fd: Fd, into: Buffer, length: number, at: number): number {
  try {
    return readFully(fs, fd, into, length, at);
  } catch (error) {
    if (!isFsError(error, 'EIO')) throw error;
  }
  for (let done = 0; done < length; ) {
    const wanted = Math.min(length - done, SECTOR_BYTES - ((at + done) % SECTOR_BYTES));
    const sector = into.subarray(done, done + wanted);
    try {
      const got = readFully(fs, fd, sector, wanted, at + done);
      if (got < wanted) return done + got;
    } catch (error) {
      if (!isFsError(error, 'EIO')) throw error;
      sector.fill(0);
    }
    done += wanted;
  }
  return length;
}

function reasonOf(error: unknown): string {
  if (error instanceof FormatProblem) return error.message;
  throw error;
}
