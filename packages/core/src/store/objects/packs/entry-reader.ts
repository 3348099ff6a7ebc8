/** Reads the entries of a pack by their offsets, without an index. Where an entry ends is known once it is inflated. */

import type { ObjectId } from '../../../model/ids.ts';
import { FormatProblem } from '../damage.ts';
import { Inflater } from '../inflate.ts';
import { canInflateTo, PIECE_BYTES, STREAM_BYTES } from '../limits.ts';
import { hashObject, idFrom, startObjectHash } from '../object-hash.ts';
import type { ObjectType } from '../object-reader.ts';
import { inflate } from '../zlib-data.ts';
import { decodeEntryHeader, type EntryHeader, MAX_ENTRY_HEADER_BYTES, PACK_TRAILER_BYTES } from './pack-format.ts';

/** Generous bound for the constant part of zlib's overhead, in bytes. */
const SLACK_BYTES = 1024;

export class EntryReader {
  readonly #window = Buffer.allocUnsafe(PIECE_BYTES);
  #windowAt = 0;
  #windowLength = 0;

  constructor(
    /** Reads bytes of the pack, fewer only at its end. */
    private readonly read: (into: Buffer, length: number, at: number) => number,
    /** Where the last entry ends at the latest. */
    private readonly end: number,
  ) {}

  /** @throws FormatProblem, as all methods */
  header(offset: number): EntryHeader {
    return decodeEntryHeader(this.bytes(offset, Math.min(MAX_ENTRY_HEADER_BYTES, this.end - offset)));
  }

  /**
   * @param begin where the compressed bytes begin
   * @param size of the inflated bytes
   */
  inflate(begin: number, size: number): { readonly data: Buffer; readonly end: number } {
    this.#assertFits(begin, size);
    const most = Math.min(this.end - begin, size + (size >>> 8) + SLACK_BYTES);
    try {
      const { data, consumed } = inflate(this.bytes(begin, most), size);
      return { data, end: begin + consumed };
    } catch (error) {
      if (!(error instanceof FormatProblem)) throw error;
    }
    // The stream is damaged or longer than zlib would write it. Inflating in pieces finds out which.
    const data = Buffer.allocUnsafe(size);
    let done = 0;
    const end = this.#inflateInPieces(begin, size, (piece) => {
      done += piece.copy(data, done);
    });
    return { data, end };
  }

  /** Returns the id of an object that is not a delta. */
  hash(type: ObjectType, begin: number, size: number): { readonly id: ObjectId; readonly end: number } {
    this.#assertFits(begin, size);
    if (size <= STREAM_BYTES) {
      const { data, end } = this.inflate(begin, size);
      return { id: hashObject(type, data), end };
    }
    const hash = startObjectHash(type, size);
    const end = this.#inflateInPieces(begin, size, (piece) => hash.update(piece));
    return { id: idFrom(hash), end };
  }

  /** Returns bytes of the pack; they are valid until the next call. */
  bytes(at: number, length: number): Buffer {
    if (at < 0 || at + length > this.end + PACK_TRAILER_BYTES) throw new FormatProblem('ends too early');
    if (at < this.#windowAt || at + length > this.#windowAt + this.#windowLength) {
      if (length > this.#window.length) {
        const large = Buffer.allocUnsafe(length);
        if (this.read(large, length, at) < length) throw new FormatProblem('ends too early');
        return large;
      }
      this.#windowLength = this.read(this.#window, this.#window.length, at);
      this.#windowAt = at;
      if (this.#windowLength < length) throw new FormatProblem('ends too early');
    }
    return this.#window.subarray(at - this.#windowAt, at - this.#windowAt + length);
  }

  #assertFits(begin: number, size: number): void {
    if (!canInflateTo(size, this.end - begin)) throw new FormatProblem(`cannot hold ${size} bytes there`);
  }

  #inflateInPieces(begin: number, size: number, take: (piece: Buffer) => void): number {
    let at = begin;
    const inflater = new Inflater(() => {
      const length = Math.min(PIECE_BYTES, this.end - at);
      const bytes = length === 0 ? Buffer.alloc(0) : Buffer.from(this.bytes(at, length));
      at += length;
      return bytes;
    });
    let done = 0;
    for (let piece = inflater.next(); piece !== null; piece = inflater.next()) {
      done += piece.length;
      if (done > size) throw new FormatProblem(`has an object that inflates to more than its ${size} bytes`);
      take(piece);
    }
    if (done < size) throw new FormatProblem(`has an object that inflates to ${done} bytes instead of ${size}`);
    return begin + inflater.consumed;
  }
}
