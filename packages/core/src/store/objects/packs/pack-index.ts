/** The format of a pack's index (version 2): sorted ids, and where each object's entry begins. */
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

/** A whole index in memory. Its own checksum is verified before anything in it is used. */
export class PackIndex {
  readonly count: number;
  readonly #fanout = new Uint32Array(257);
  readonly #crcs: number;
  readonly #offsets: number;
  readonly #wideOffsets: number;
  #sortedOffsets: Float64Array | null = null;

  /** @throws FormatProblem */
  constructor(private readonly data: Buffer) {
    if (data.length < NAMES + TRAILER || data.readUInt32BE(0) !== MAGIC || data.readUInt32BE(4) !== VERSION) {
      throw new FormatProblem('is not a pack index of version 2');
    }
    if (sha1(data.subarray(0, -KEY_BYTES)).compare(data, data.length - KEY_BYTES) !== 0) {
      throw new FormatProblem('does not match its checksum');
    }
    for (let first = 0; first < 256; first++) {
      this.#fanout[first + 1] = data.readUInt32BE(FANOUT + first * 4);
      if (this.#fanout[first + 1]! < this.#fanout[first]!) {
        throw new FormatProblem('counts backwards');
      }
    }
    this.count = this.#fanout[256]!;
    this.#crcs = NAMES + this.count * KEY_BYTES;
    this.#offsets = this.#crcs + this.count * 4;
    this.#wideOffsets = this.#offsets + this.count * 4;
    const wide = (data.length - TRAILER - this.#wideOffsets) / 8;
    if (!Number.isInteger(wide) || wide < 0 || wide > this.count) throw new FormatProblem('has a wrong length');
  }

  /** The whole file. */
  get bytes(): Buffer {
    return this.data;
  }

  /** The checksum of the pack that the index belongs to. */
  get packChecksum(): Buffer {
    return this.data.subarray(-TRAILER, -KEY_BYTES);
  }

  /** Returns the position of `key` among the sorted ids, or -1. */
  find(key: Buffer): number {
    const { data } = this;
    const first = key[0]!;
    let low = this.#fanout[first]!;
    let high = this.#fanout[first + 1]!;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const difference = compareAt(key, data, NAMES + middle * KEY_BYTES);
      if (difference === 0) return middle;
      if (difference < 0) high = middle;
      else low = middle + 1;
    }
    return -1;
  }

  /** Whether the table of contents leads to this position. If all ids are in order, `find` then finds it. */
  isReachable(place: number): boolean {
    const first = this.data[NAMES + place * KEY_BYTES]!;
    return place >= this.#fanout[first]! && place < this.#fanout[first + 1]!;
  }

  isAt(place: number, key: Buffer): boolean {
    return compareAt(key, this.data, NAMES + place * KEY_BYTES) === 0;
  }

  /** Returns a view of the binary id. */
  keyAt(place: number): Buffer {
    return this.data.subarray(NAMES + place * KEY_BYTES, NAMES + (place + 1) * KEY_BYTES);
  }

  /** Returns the first four bytes of the id as a number. */
  prefixAt(place: number): number {
    return this.data.readUInt32BE(NAMES + place * KEY_BYTES);
  }

  idAt(place: number): ObjectId {
    return idAt(this.data, NAMES + place * KEY_BYTES);
  }

  crcAt(place: number): number {
    return this.data.readUInt32BE(this.#crcs + place * 4);
  }

  /** @throws FormatProblem */
  offsetAt(place: number): number {
    const offset = this.data.readUInt32BE(this.#offsets + place * 4);
    if (offset < WIDE) return offset;
    const at = this.#wideOffsets + (offset - WIDE) * 8;
    if (at + 8 > this.data.length - TRAILER)
      throw new FormatProblem('refers to an offset that its table does not have');
    const wide = Number(this.data.readBigUInt64BE(at));
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

  /** Returns all positions, in the order of the entries in the pack. */
  positionsInPackOrder(): Uint32Array {
    const offsets = Float64Array.from({ length: this.count }, (_, place) => this.offsetAt(place));
    return Uint32Array.from(offsets.keys()).sort((a, b) => offsets[a]! - offsets[b]!);
  }

  /** Returns the start of every entry, ascending. Entries are contiguous, so each ends where the next begins. */
  offsetsInPackOrder(): Float64Array {
    if (this.#sortedOffsets === null) {
      const offsets = new Float64Array(this.count);
      for (let place = 0; place < this.count; place++) offsets[place] = this.offsetAt(place);
      this.#sortedOffsets = offsets.sort();
    }
    return this.#sortedOffsets;
  }
}

/** Compares byte by byte: a call of `Buffer.compare` costs more, because only few bytes are compared. */
function compareAt(key: Buffer, data: Buffer, at: number): number {
  for (let i = 0; i < KEY_BYTES; i++) {
    const difference = key[i]! - data[at + i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}
