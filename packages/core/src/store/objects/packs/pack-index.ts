/** The format of a pack's index (version 2): sorted ids, and where each object's entry begins. */
import { createHash } from 'node:crypto';
import type { ObjectId } from '../../../model/ids.ts';
import { FormatProblem } from '../damage.ts';
import { idAt, KEY_BYTES, sha1 } from '../object-hash.ts';

export interface PackIndexEntry {
  /** The binary id. */
  readonly key: Buffer;
  /** CRC-32 of the entry, including its header. */
  readonly crc: number;
  /** Where the entry begins in the pack. */
  readonly offset: number;
}

const MAGIC = 0xff744f63;
const VERSION = 2;
const FANOUT = 8;
const NAMES = FANOUT + 256 * 4;
const TRAILER = 2 * KEY_BYTES;
/** Flag for offsets that are in a separate table: offsets from this value on do not fit beside it. */
const WIDE = 0x80000000;

/** @param packChecksum the last 20 bytes of the pack */
export function encodePackIndex(entries: readonly PackIndexEntry[], packChecksum: Buffer): Buffer {
  const sorted = [...entries].sort((a, b) => a.key.compare(b.key));
  const wide = sorted.filter(({ offset }) => offset >= WIDE).length;
  const crcs = NAMES + sorted.length * KEY_BYTES;
  const offsets = crcs + sorted.length * 4;
  const wideOffsets = offsets + sorted.length * 4;
  const end = wideOffsets + wide * 8;
  const data = Buffer.alloc(end + TRAILER);
  data.writeUInt32BE(MAGIC, 0);
  data.writeUInt32BE(VERSION, 4);
  const counts = new Uint32Array(256);
  let wideAt = 0;
  sorted.forEach(({ key, crc, offset }, at) => {
    const first = key[0]!;
    counts[first] = counts[first]! + 1;
    key.copy(data, NAMES + at * KEY_BYTES);
    data.writeUInt32BE(crc, crcs + at * 4);
    if (offset < WIDE) {
      data.writeUInt32BE(offset, offsets + at * 4);
    } else {
      data.writeUInt32BE(WIDE + wideAt, offsets + at * 4);
      data.writeBigUInt64BE(BigInt(offset), wideOffsets + wideAt * 8);
      wideAt++;
    }
  });
  let total = 0;
  for (let first = 0; first < 256; first++) {
    total += counts[first]!;
    data.writeUInt32BE(total, FANOUT + first * 4);
  }
  packChecksum.copy(data, end);
  sha1(data.subarray(0, end + KEY_BYTES)).copy(data, end + KEY_BYTES);
  return data;
}

/** A part of an index in memory. */
export interface IndexPart {
  /** Where it begins in the index. */
  readonly start: number;
  readonly bytes: Buffer;
}

/** The bytes of an index. */
export interface IndexBytes {
  readonly length: number;
  /** Whether only some parts of it are in memory. */
  readonly isPaged: boolean;
  /**
   * Returns the part that contains the field at `position`, which has at most {@link MAX_FIELD_BYTES}.
   * It is valid until the next call.
   * @param isSequential the fields after it are wanted next, and all of them only once
   * @throws FsError ENOENT if the file is gone
   */
  part(position: number, isSequential: boolean): IndexPart;
  /** All bytes, in order. Each piece is valid until the next one. Throws like `part`. */
  pieces(): Iterable<Buffer>;
}

/** Two ids that are compared. */
export const MAX_FIELD_BYTES = 2 * KEY_BYTES;

/** Ids are evenly distributed, so a search begins with this many around the place where an id is expected. */
const LIKELY_DISTANCE = 64;

/** An index. Its own checksum is verified before anything in it is used. */
export class PackIndex {
  readonly count: number;
  /** The checksum of the pack that the index belongs to. */
  readonly packChecksum: Buffer;
  readonly #checksum: Buffer;
  readonly #source: IndexBytes;
  /** The part that was used last. */
  #bytes: Buffer;
  #start = 0;
  #end = 0;
  #isSequential = false;
  readonly #fanout = new Uint32Array(257);
  readonly #crcs: number;
  readonly #offsets: number;
  readonly #wideOffsets: number;
  #sortedOffsets: Uint32Array | Float64Array | null = null;

  /** @throws FormatProblem */
  constructor(source: Buffer | IndexBytes) {
    this.#source = Buffer.isBuffer(source) ? inMemory(source) : source;
    const { length } = this.#source;
    this.#bytes = Buffer.alloc(0);
    if (length < NAMES + TRAILER || this.#uint32(0) !== MAGIC || this.#uint32(4) !== VERSION) {
      throw new FormatProblem('is not a pack index of version 2');
    }
    const trailer = this.#verifyChecksum();
    this.packChecksum = trailer.subarray(0, KEY_BYTES);
    this.#checksum = trailer.subarray(KEY_BYTES);
    for (let first = 0; first < 256; first++) {
      this.#fanout[first + 1] = this.#uint32(FANOUT + first * 4);
      if (this.#fanout[first + 1]! < this.#fanout[first]!) {
        throw new FormatProblem('counts backwards');
      }
    }
    this.count = this.#fanout[256]!;
    this.#crcs = NAMES + this.count * KEY_BYTES;
    this.#offsets = this.#crcs + this.count * 4;
    this.#wideOffsets = this.#offsets + this.count * 4;
    const wide = (length - TRAILER - this.#wideOffsets) / 8;
    if (!Number.isInteger(wide) || wide < 0 || wide > this.count) throw new FormatProblem('has a wrong length');
  }

  /** Whether it stays on disk, and only parts of it are in memory. Then every method may throw FsError ENOENT. */
  get isPaged(): boolean {
    return this.#source.isPaged;
  }

  /** The bytes of the file, in order. Each piece is valid until the next one. */
  pieces(): Iterable<Buffer> {
    return this.#source.pieces();
  }

  /** Returns the position of `key` among the sorted ids, or -1. */
  find(key: Buffer): number {
    const first = key[0]!;
    let low = this.#fanout[first]!;
    let high = this.#fanout[first + 1]!;
    if (high - low > 2 * LIKELY_DISTANCE) {
      const likely = low + Math.floor(((high - low) * key.readUIntBE(1, 3)) / 0x1000000);
      const from = Math.max(low, likely - LIKELY_DISTANCE);
      const to = Math.min(high, likely + LIKELY_DISTANCE);
      if (this.#compare(key, from) < 0) high = from;
      else if (to < high && this.#compare(key, to) >= 0) low = to;
      else [low, high] = [from, to];
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      const difference = this.#compare(key, middle);
      if (difference === 0) return middle;
      if (difference < 0) high = middle;
      else low = middle + 1;
    }
    return -1;
  }

  /** @throws FormatProblem if binary search would not find every id */
  assertOrdered(): void {
    this.#sequentially(() => {
      for (let place = 1; place < this.count; place++) {
        const at = this.#locate(NAMES + (place - 1) * KEY_BYTES, 2 * KEY_BYTES);
        if (compareBytes(this.#bytes, at, at + KEY_BYTES) >= 0) throw new FormatProblem('is not in order');
      }
    });
    this.#sequentially(() => {
      for (let place = 0; place < this.count; place++) {
        const at = this.#locate(NAMES + place * KEY_BYTES, 1);
        const first = this.#bytes[at]!;
        if (place < this.#fanout[first]! || place >= this.#fanout[first + 1]!) {
          throw new FormatProblem('has a wrong table of contents');
        }
      }
    });
  }

  /** Adopts what an equal index has already computed. */
  shareOrder(other: PackIndex): void {
    if (other.#checksum.equals(this.#checksum)) this.#sortedOffsets = other.#sortedOffsets;
  }

  isAt(place: number, key: Buffer): boolean {
    return this.#compare(key, place) === 0;
  }

  /** Returns the binary id. */
  keyAt(place: number): Buffer {
    const at = this.#locate(NAMES + place * KEY_BYTES, KEY_BYTES);
    const key = this.#bytes.subarray(at, at + KEY_BYTES);
    return this.isPaged ? Buffer.from(key) : key;
  }

  /** Returns the first four bytes of the id as a number. */
  prefixAt(place: number): number {
    return this.#uint32(NAMES + place * KEY_BYTES);
  }

  idAt(place: number): ObjectId {
    const at = this.#locate(NAMES + place * KEY_BYTES, KEY_BYTES);
    return idAt(this.#bytes, at);
  }

  crcAt(place: number): number {
    return this.#uint32(this.#crcs + place * 4);
  }

  /** @throws FormatProblem */
  offsetAt(place: number): number {
    const offset = this.#uint32(this.#offsets + place * 4);
    if (offset < WIDE) return offset;
    const position = this.#wideOffsets + (offset - WIDE) * 8;
    if (position + 8 > this.#source.length - TRAILER)
      throw new FormatProblem('refers to an offset that its table does not have');
    const at = this.#locate(position, 8);
    const wide = Number(this.#bytes.readBigUInt64BE(at));
    if (!Number.isSafeInteger(wide)) throw new FormatProblem('has an invalid offset');
    return wide;
  }

  /**
   * Returns where the entry that begins at `offset` ends, or -1 if none begins there.
   * @param end where the last entry ends
   */
  endOf(offset: number, end: number): number {
    const offsets = this.offsetsInPackOrder();
    let low = 0;
    let high = offsets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (offsets[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    return offsets[low] === offset ? (offsets[low + 1] ?? end) : -1;
  }

  /** Sorts positions in the order of the entries in the pack. */
  inPackOrder(places: Uint32Array): Uint32Array {
    const offsets = Float64Array.from(places, (place) => this.offsetAt(place));
    const order = Uint32Array.from(places.keys()).sort((a, b) => offsets[a]! - offsets[b]!);
    return order.map((at) => places[at]!);
  }

  /** Returns all positions, in the order of the entries in the pack. */
  positionsInPackOrder(): Uint32Array {
    return this.inPackOrder(Uint32Array.from({ length: this.count }, (_, place) => place));
  }

  /** Returns the start of every entry, ascending. Entries are contiguous, so each ends where the next begins. */
  offsetsInPackOrder(): Uint32Array | Float64Array {
    if (this.#sortedOffsets === null) {
      const isNarrow = this.#source.length === this.#wideOffsets + TRAILER;
      const offsets = isNarrow ? new Uint32Array(this.count) : new Float64Array(this.count);
      this.#sequentially(() => {
        for (let place = 0; place < this.count; place++) offsets[place] = this.offsetAt(place);
      });
      this.#sortedOffsets = offsets.sort();
    }
    return this.#sortedOffsets;
  }

  #compare(key: Buffer, place: number): number {
    const at = this.#locate(NAMES + place * KEY_BYTES, KEY_BYTES);
    return compareAt(key, this.#bytes, at);
  }

  #uint32(position: number): number {
    const at = this.#locate(position, 4);
    return this.#bytes.readUInt32BE(at);
  }

  /** Returns where in `#bytes` the field at `position` begins. */
  #locate(position: number, length: number): number {
    if (position < this.#start || position + length > this.#end) {
      const { start, bytes } = this.#source.part(position, this.#isSequential);
      this.#bytes = bytes;
      this.#start = start;
      this.#end = start + bytes.length;
      if (position + length > this.#end) throw new FormatProblem('is cut off');
    }
    return position - this.#start;
  }

  #sequentially(work: () => void): void {
    this.#isSequential = true;
    try {
      work();
    } finally {
      this.#isSequential = false;
      this.#end = this.#start;
    }
  }

  /** Returns the end of the index: the checksum of the pack, and its own. */
  #verifyChecksum(): Buffer {
    const hash = createHash('sha1');
    let left = this.#source.length - KEY_BYTES;
    let end: Buffer = Buffer.alloc(0);
    for (const piece of this.#source.pieces()) {
      hash.update(left < piece.length ? piece.subarray(0, Math.max(0, left)) : piece);
      left -= piece.length;
      end = Buffer.concat([end, piece.subarray(-TRAILER)]).subarray(-TRAILER);
    }
    if (hash.digest().compare(end, KEY_BYTES) !== 0) throw new FormatProblem('does not match its checksum');
    return Buffer.from(end);
  }
}

function inMemory(bytes: Buffer): IndexBytes {
  const part: IndexPart = { start: 0, bytes };
  return { length: bytes.length, isPaged: false, part: () => part, pieces: () => [bytes] };
}

/** Compares byte by byte: a call of `Buffer.compare` costs more, because only few bytes are compared. */
function compareAt(key: Buffer, data: Buffer, at: number): number {
  for (let i = 0; i < KEY_BYTES; i++) {
    const difference = key[i]! - data[at + i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareBytes(data: Buffer, one: number, other: number): number {
  for (let i = 0; i < KEY_BYTES; i++) {
    const difference = data[one + i]! - data[other + i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}
