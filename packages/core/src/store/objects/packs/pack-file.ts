/** One pack with its index: reads and verifies objects by their position in the index. */
import { crc32 } from 'node:zlib';
import type { Fd, Fs } from '../../../io/fs.ts';
import type { DiskPath } from '../../../model/names.ts';
import { damaged, FormatProblem } from '../damage.ts';
import { type FileHandleCache, readFully } from '../file-handle-cache.ts';
import { Inflater } from '../inflate.ts';
import { canInflateTo, DELTA_DEPTH, ENTRY_BYTES, MAX_READ_BYTES, PIECE_BYTES } from '../limits.ts';
import { hashObject, startObjectHash } from '../object-hash.ts';
import type { ObjectInfo, StoredObject } from '../object-reader.ts';
import { type ObjectSource, sourceFromObject } from '../pieces.ts';
import { inflate } from '../zlib-data.ts';
import type { BaseCache } from './base-cache.ts';
import { applyDelta, deltaSizes } from './delta.ts';
import {
  type DeltaHeader,
  decodeEntryHeader,
  type EntryHeader,
  MAX_ENTRY_HEADER_BYTES,
  PACK_HEADER_BYTES,
  PACK_TRAILER_BYTES,
} from './pack-format.ts';
import type { PackIndex } from './pack-index.ts';

/** Where an entry is in the pack, and what its header says. */
export interface PackEntry {
  readonly header: EntryHeader;
  readonly offset: number;
  readonly end: number;
}

/** What is needed to read packs. */
export interface PackReadContext {
  readonly fs: Fs;
  readonly handles: FileHandleCache;
  readonly cache: BaseCache;
}

export interface PackOnDisk {
  readonly path: DiskPath;
  readonly index: PackIndex;
  /** Bytes of the pack when its file was listed. */
  readonly size: number;
  /** Where the pack begins in the file: in a bundle, a header precedes it. Default 0. */
  readonly start?: number;
}

const SCRATCH_BYTES = 256 * 1024;
/** Shared by all packs, because reads are synchronous. Its content is valid only until the next read. */
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

let lastNumber = 0;

export class PackFile {
  readonly path: DiskPath;
  readonly index: PackIndex;
  readonly size: number;
  readonly #number = ++lastNumber;
  readonly #fs: Fs;
  readonly #handles: FileHandleCache;
  readonly #cache: BaseCache;
  readonly #start: number;

  constructor({ fs, handles, cache }: PackReadContext, { path, index, size, start = 0 }: PackOnDisk) {
    this.path = path;
    this.index = index;
    this.size = size;
    this.#fs = fs;
    this.#handles = handles;
    this.#cache = cache;
    this.#start = start;
  }

  /**
   * @param place position in the index
   * @throws SavepointError STORE_DAMAGED
   * @throws FsError ENOENT if another process has moved the pack's objects elsewhere
   */
  read(place: number): StoredObject {
    return this.#withDamageErrors(place, () => {
      const object = this.#resolve(this.index.offsetAt(place));
      if (hashObject(object.type, object.data) !== this.index.idAt(place)) {
        throw new FormatProblem('does not match its id');
      }
      return object;
    });
  }

  /** Returns what the headers state; throws like `read`. */
  info(place: number): ObjectInfo {
    return this.#withDamageErrors(place, () => {
      let entry = this.#readEntry(this.index.offsetAt(place));
      let size: number | null = null;
      for (let depth = 1; entry.header.kind !== 'whole'; depth++) {
        if (depth > DELTA_DEPTH) throw new FormatProblem('depends on too many deltas');
        size ??= this.#deltaResultSize(entry);
        entry = this.#readEntry(this.#baseOf(entry.header, entry.offset));
      }
      return { type: entry.header.type, size: size ?? entry.header.size };
    });
  }

  /** Throws like `read`. */
  entryAt(place: number): PackEntry {
    return this.#withDamageErrors(place, () => this.#readEntry(this.index.offsetAt(place)));
  }

  /**
   * Returns the zlib stream of an object that is not a delta, after verifying the object. Valid until the next read.
   */
  verifiedBytes(place: number): Buffer {
    return this.#withDamageErrors(place, () => {
      const { header, offset, end } = this.entryAt(place);
      if (header.kind !== 'whole') throw new FormatProblem('is a delta');
      const compressed = this.#readBytes(offset + header.length, end - offset - header.length);
      const { data, consumed } = inflate(compressed, header.size);
      if (hashObject(header.type, data) !== this.index.idAt(place)) throw new FormatProblem('does not match its id');
      return compressed.subarray(0, consumed);
    });
  }

  /** Like `verifiedBytes`, for an object that was verified before; checked only against the CRC in the index. */
  compressedBytes(place: number): Buffer {
    return this.#withDamageErrors(place, () => {
      const { header, offset, end } = this.entryAt(place);
      const entry = this.#readBytes(offset, end - offset);
      if (crc32(entry) !== this.index.crcAt(place)) throw new FormatProblem('does not match its checksum');
      return entry.subarray(header.length);
    });
  }

  /** Yields an entry's bytes unchanged, including its header, for an object that was verified before. */
  *filePieces(place: number): Generator<Buffer, void> {
    const { offset, end } = this.entryAt(place);
    let sum = 0;
    for (let at = offset; at < end; at += PIECE_BYTES) {
      const piece = this.#withDamageErrors(place, () =>
        Buffer.from(this.#readBytes(at, Math.min(PIECE_BYTES, end - at))),
      );
      sum = crc32(piece, sum);
      yield piece;
    }
    if (sum !== this.index.crcAt(place)) {
      throw damaged('does not match its checksum', { object: this.index.idAt(place), file: this.path });
    }
  }

  /**
   * Returns the object piece by piece, verified at the end. An object that is not a delta is inflated through its own
   * file handle; a delta is read whole. Throws like `read`.
   */
  pieces(place: number): ObjectSource {
    const { header, offset, end } = this.entryAt(place);
    if (header.kind !== 'whole') return sourceFromObject(this.read(place));
    const fd = this.#fs.openRead(this.path);
    const inflater = this.#inflater(fd, offset + header.length, end);
    const hash = startObjectHash(header.type, header.size);
    let left = header.size;
    let open = true;
    const next = (): Buffer | null => {
      const piece = inflater.next();
      left -= piece?.length ?? 0;
      if (piece !== null && left >= 0) {
        hash.update(piece);
        return piece;
      }
      if (left !== 0 || hash.digest('hex') !== this.index.idAt(place)) throw new FormatProblem('does not match its id');
      return null;
    };
    return {
      type: header.type,
      size: header.size,
      next: () => this.#withDamageErrors(place, next),
      close: () => {
        if (open) this.#fs.close(fd);
        open = false;
      },
    };
  }

  /** Reads the header of the entry that begins at `offset`. */
  #readEntry(offset: number): PackEntry {
    const end = this.index.endOf(offset, this.size - PACK_TRAILER_BYTES);
    if (offset < PACK_HEADER_BYTES || end <= offset || end > this.size - PACK_TRAILER_BYTES) {
      throw new FormatProblem('is outside of its pack');
    }
    const bytes = this.#readBytes(offset, Math.min(end - offset, MAX_ENTRY_HEADER_BYTES));
    return { header: decodeEntryHeader(bytes), offset, end };
  }

  /** Reads bytes of the file. Up to SCRATCH_BYTES, they are valid only until the next call. */
  #readBytes(offset: number, length: number): Buffer {
    const into = length <= SCRATCH_BYTES ? scratch.subarray(0, length) : Buffer.allocUnsafe(length);
    if (readFully(this.#fs, this.#handles.get(this.path), into, length, this.#start + offset) < length) {
      throw new FormatProblem('is cut off');
    }
    return into;
  }

  /** Follows deltas down to a cached object or one that is not a delta, and then applies them. */
  #resolve(offset: number): StoredObject {
    const deltas: PackEntry[] = [];
    let at = offset;
    let object = this.#cache.get(this.#number, at);
    while (object === undefined) {
      const entry = this.#readEntry(at);
      if (entry.header.kind === 'whole') {
        object = { type: entry.header.type, data: this.#inflateEntry(entry) };
        if (deltas.length === 0) return object;
        this.#cache.put(this.#number, at, object);
        break;
      }
      deltas.push(entry);
      if (deltas.length > DELTA_DEPTH) throw new FormatProblem('depends on too many deltas');
      at = this.#baseOf(entry.header, entry.offset);
      object = this.#cache.get(this.#number, at);
    }
    for (const delta of deltas.reverse()) {
      object = { type: object.type, data: applyDelta(object.data, this.#inflateEntry(delta)) };
      this.#cache.put(this.#number, delta.offset, object);
    }
    // A copy, so that the caller may modify it without changing the cache.
    return { type: object.type, data: Buffer.from(object.data) };
  }

  /** Returns where the base entry of the delta at `offset` begins. */
  #baseOf(header: DeltaHeader, offset: number): number {
    if (header.kind === 'offset-delta') return offset - header.distance;
    const place = this.index.find(header.base);
    if (place < 0)
      throw new FormatProblem(`is a delta against ${header.base.toString('hex')}, which is not in its pack`);
    return this.index.offsetAt(place);
  }

  /** Inflates the content of an entry: an object or a delta. */
  #inflateEntry({ header, offset, end }: PackEntry): Buffer {
    const start = offset + header.length;
    if (header.size > MAX_READ_BYTES)
      throw new FormatProblem(`is too large to read into memory (${header.size} bytes)`);
    if (!canInflateTo(header.size, end - start)) throw new FormatProblem(`cannot hold ${header.size} bytes`);
    if (end - start <= ENTRY_BYTES) return inflate(this.#readBytes(start, end - start), header.size).data;
    const inflater = this.#inflater(this.#handles.get(this.path), start, end);
    const data = Buffer.allocUnsafe(header.size);
    let at = 0;
    for (let piece = inflater.next(); piece !== null; piece = inflater.next()) {
      if (at + piece.length > data.length) throw new FormatProblem('is longer than its header says');
      at += piece.copy(data, at);
    }
    if (at < data.length) throw new FormatProblem('is shorter than its header says');
    return data;
  }

  #inflater(fd: Fd, start: number, end: number): Inflater {
    const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - start));
    let at = start;
    return new Inflater(() => {
      const length = Math.min(buffer.length, end - at);
      if (readFully(this.#fs, fd, buffer, length, this.#start + at) < length) throw new FormatProblem('is cut off');
      at += length;
      return buffer.subarray(0, length);
    });
  }

  #deltaResultSize(entry: PackEntry): number {
    const start = entry.offset + entry.header.length;
    if (entry.end - start <= SCRATCH_BYTES) return deltaSizes(this.#inflateEntry(entry)).result;
    return deltaSizes(this.#inflater(this.#handles.get(this.path), start, entry.end).next() ?? Buffer.alloc(0)).result;
  }

  #withDamageErrors<T>(place: number, action: () => T): T {
    try {
      return action();
    } catch (error) {
      if (!(error instanceof FormatProblem)) throw error;
      throw damaged(error.message, { object: this.index.idAt(place), file: this.path }, error);
    }
  }
}
