/**
 * Inflates piece by piece. Node can do that only asynchronously, in its thread pool. But the engine is synchronous, and
 * must read and check objects larger than memory. For data that fits in memory, zlib itself is used (zlib-data.ts).
 */
import { ADLER_START, adler32 } from './adler32.ts';
import { FormatProblem } from './damage.ts';

const WINDOW = 32 * 1024;
const PIECE = 128 * 1024;
const MAX_MATCH_LENGTH = 258;
const FAST_BITS = 10;
const MAX_CODE_LENGTH = 15;
const END_OF_BLOCK = 256;
const MAX_LITERALS = 286;
const MAX_DISTANCES = 30;

const LENGTH_BASE = Uint16Array.of(
  ...[
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
  ],
);
const LENGTH_EXTRA = Uint8Array.of(
  ...[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0],
);
const DISTANCE_BASE = Uint16Array.from({ length: MAX_DISTANCES }, (_, code) =>
  code < 4 ? code + 1 : ((2 + (code & 1)) << ((code >> 1) - 1)) + 1,
);
const DISTANCE_EXTRA = Uint8Array.from({ length: MAX_DISTANCES }, (_, code) => (code < 4 ? 0 : (code >> 1) - 1));
const CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15] as const;

/** A canonical Huffman code. `fast` maps the next 10 bits to `symbol << 4 | length`, or to 0 if the code is longer. */
interface Huffman {
  readonly fast: Uint16Array;
  /** Number of codes of each length. */
  readonly count: Uint16Array;
  /** Symbols ordered by code. */
  readonly symbol: Uint16Array;
}

/** Decodes a zlib stream (RFC 1950) piece by piece. Every failure is a {@link FormatProblem}. */
export class Inflater {
  #input: Uint8Array = new Uint8Array(0);
  #at = 0;
  #taken = 0;
  #hold = 0;
  #bits = 0;
  #state: 'header' | 'block' | 'stored' | 'codes' | 'trailer' | 'done' = 'header';
  #lastBlock = false;
  #storedLeft = 0;
  #literals: Huffman = FIXED_LITERALS;
  #distances: Huffman = FIXED_DISTANCES;
  readonly #out = Buffer.allocUnsafeSlow(WINDOW + PIECE + MAX_MATCH_LENGTH);
  #to = 0;
  #adler = ADLER_START;

  /** @param pull returns the next compressed bytes, empty at the end; they are consumed before the next call */
  constructor(private readonly pull: () => Uint8Array) {}

  /** Compressed bytes consumed so far. After `next` has returned null, the length of the whole stream. */
  get consumed(): number {
    return this.#taken + this.#at - (this.#bits >>> 3);
  }

  /** Returns the next bytes (at most about 128 KiB; they belong to the caller), or null at the verified end. */
  next(): Buffer | null {
    if (this.#to > WINDOW) {
      this.#out.copyWithin(0, this.#to - WINDOW, this.#to);
      this.#to = WINDOW;
    }
    const from = this.#to;
    const until = from + PIECE;
    while (this.#to < until && this.#state !== 'done') {
      switch (this.#state) {
        case 'header':
          this.#readHeader();
          break;
        case 'block':
          this.#readBlockHead();
          break;
        case 'stored':
          this.#copyStored(until);
          break;
        case 'codes':
          this.#decode(until);
          break;
        case 'trailer':
          this.#adler = adler32(this.#out.subarray(from, this.#to), this.#adler);
          this.#readTrailer();
          return this.#to === from ? null : Buffer.from(this.#out.subarray(from, this.#to));
      }
    }
    if (this.#to === from) return null;
    const piece = Buffer.from(this.#out.subarray(from, this.#to));
    this.#adler = adler32(piece, this.#adler);
    return piece;
  }

  #readHeader(): void {
    const method = this.#take(8);
    const flags = this.#take(8);
    if ((method & 15) !== 8 || method >> 4 > 7 || ((method << 8) | flags) % 31 !== 0) {
      throw new FormatProblem('is not a zlib stream');
    }
    if ((flags & 0x20) !== 0) throw new FormatProblem('needs a dictionary');
    this.#state = 'block';
  }

  #readBlockHead(): void {
    if (this.#lastBlock) {
      this.#take(this.#bits & 7);
      this.#state = 'trailer';
      return;
    }
    this.#lastBlock = this.#take(1) === 1;
    switch (this.#take(2)) {
      case 0: {
        this.#take(this.#bits & 7);
        const length = this.#take(16);
        if (this.#take(16) !== (length ^ 0xffff)) throw new FormatProblem('has a malformed stored block');
        this.#storedLeft = length;
        this.#state = 'stored';
        return;
      }
      case 1:
        this.#literals = FIXED_LITERALS;
        this.#distances = FIXED_DISTANCES;
        this.#state = 'codes';
        return;
      case 2:
        this.#readCodes();
        this.#state = 'codes';
        return;
      default:
        throw new FormatProblem('has a block of unknown type');
    }
  }

  #copyStored(until: number): void {
    while (this.#storedLeft > 0 && this.#to < until && this.#bits > 0) {
      this.#out[this.#to++] = this.#take(8);
      this.#storedLeft--;
    }
    while (this.#storedLeft > 0 && this.#to < until) {
      if (this.#at === this.#input.length) this.#refill();
      const length = Math.min(this.#storedLeft, until - this.#to, this.#input.length - this.#at);
      this.#out.set(this.#input.subarray(this.#at, this.#at + length), this.#to);
      this.#at += length;
      this.#to += length;
      this.#storedLeft -= length;
    }
    if (this.#storedLeft === 0) this.#state = 'block';
  }

  #readCodes(): void {
    const literals = this.#take(5) + 257;
    const distances = this.#take(5) + 1;
    const lengthCodes = this.#take(4) + 4;
    if (literals > MAX_LITERALS || distances > MAX_DISTANCES) throw new FormatProblem('has too many codes');
    const lengths = new Uint8Array(MAX_LITERALS + MAX_DISTANCES);
    for (let i = 0; i < lengthCodes; i++) lengths[CODE_LENGTH_ORDER[i]!] = this.#take(3);
    const lengthCode = huffman(lengths.subarray(0, 19), 'lengths');
    lengths.fill(0);
    for (let i = 0; i < literals + distances; ) {
      const symbol = this.#symbol(lengthCode);
      if (symbol < 16) {
        lengths[i++] = symbol;
        continue;
      }
      if (symbol === 16 && i === 0) throw new FormatProblem('repeats a length before the first');
      const value = symbol === 16 ? lengths[i - 1]! : 0;
      const times = symbol === 16 ? 3 + this.#take(2) : symbol === 17 ? 3 + this.#take(3) : 11 + this.#take(7);
      if (i + times > literals + distances) throw new FormatProblem('repeats a length too often');
      lengths.fill(value, i, i + times);
      i += times;
    }
    if (lengths[END_OF_BLOCK] === 0) throw new FormatProblem('has a block without an end');
    this.#literals = huffman(lengths.subarray(0, literals), 'symbols');
    this.#distances = huffman(lengths.subarray(literals, literals + distances), 'symbols');
  }

  /** The hot loop: it accesses only local variables. */
  #decode(until: number): void {
    const out = this.#out;
    const literals = this.#literals;
    const distances = this.#distances;
    let hold = this.#hold;
    let bits = this.#bits;
    let at = this.#at;
    let input = this.#input;
    let to = this.#to;
    // Reading up to 22 bits ahead is safe: the stream ends with a 32-bit checksum.
    const more = (): void => {
      this.#at = at;
      this.#refill();
      at = this.#at;
      input = this.#input;
    };
    while (to < until) {
      while (bits < MAX_CODE_LENGTH) {
        if (at === input.length) more();
        hold |= input[at++]! << bits;
        bits += 8;
      }
      let code = literals.fast[hold & ((1 << FAST_BITS) - 1)]! || longCode(literals, hold);
      hold >>>= code & 15;
      bits -= code & 15;
      const symbol = code >>> 4;
      if (symbol < END_OF_BLOCK) {
        out[to++] = symbol;
        continue;
      }
      if (symbol === END_OF_BLOCK) {
        this.#state = 'block';
        break;
      }
      if (symbol > 285) throw new FormatProblem('has an invalid length');
      let extra = LENGTH_EXTRA[symbol - 257]!;
      while (bits < extra + MAX_CODE_LENGTH) {
        if (at === input.length) more();
        hold |= input[at++]! << bits;
        bits += 8;
      }
      const length = LENGTH_BASE[symbol - 257]! + (hold & ((1 << extra) - 1));
      hold >>>= extra;
      bits -= extra;
      code = distances.fast[hold & ((1 << FAST_BITS) - 1)]! || longCode(distances, hold);
      hold >>>= code & 15;
      bits -= code & 15;
      if (code >>> 4 >= MAX_DISTANCES) throw new FormatProblem('has an invalid distance');
      extra = DISTANCE_EXTRA[code >>> 4]!;
      while (bits < extra) {
        if (at === input.length) more();
        hold |= input[at++]! << bits;
        bits += 8;
      }
      const distance = DISTANCE_BASE[code >>> 4]! + (hold & ((1 << extra) - 1));
      hold >>>= extra;
      bits -= extra;
      if (distance > to) throw new FormatProblem('refers to data before its start');
      for (const end = to + length; to < end; to++) out[to] = out[to - distance]!;
    }
    this.#hold = hold;
    this.#bits = bits;
    this.#at = at;
    this.#to = to;
  }

  #readTrailer(): void {
    let expected = 0;
    for (let i = 0; i < 4; i++) expected = ((expected << 8) | this.#take(8)) >>> 0;
    if (expected !== this.#adler) throw new FormatProblem('does not match its checksum');
    this.#state = 'done';
  }

  /** Reads the next symbol of a code for lengths. The code has at most 7 bits and is complete, so all bits decode. */
  #symbol(code: Huffman): number {
    // Near the end there may be fewer bits than the longest code has; missing bits read as zero.
    for (;;) {
      const found = code.fast[this.#hold & ((1 << FAST_BITS) - 1)]!;
      if ((found & 15) <= this.#bits) {
        this.#hold >>>= found & 15;
        this.#bits -= found & 15;
        return found >>> 4;
      }
      this.#byte();
    }
  }

  /** Reads the next `count` bits, at most 16. */
  #take(count: number): number {
    while (this.#bits < count) this.#byte();
    const value = this.#hold & ((1 << count) - 1);
    this.#hold >>>= count;
    this.#bits -= count;
    return value;
  }

  #byte(): void {
    if (this.#at === this.#input.length) this.#refill();
    this.#hold |= this.#input[this.#at++]! << this.#bits;
    this.#bits += 8;
  }

  #refill(): void {
    this.#taken += this.#input.length;
    this.#at = 0;
    this.#input = this.pull();
    if (this.#input.length === 0) throw new FormatProblem('ends too early');
  }
}

function longCode(code: Huffman, hold: number): number {
  let value = 0;
  let first = 0;
  let index = 0;
  for (let length = 1; length <= MAX_CODE_LENGTH; length++) {
    value |= (hold >>> (length - 1)) & 1;
    const count = code.count[length]!;
    if (value - count < first) return (code.symbol[index + value - first]! << 4) | length;
    index += count;
    first = (first + count) << 1;
    value <<= 1;
  }
  throw new FormatProblem('has an undefined code');
}

/** Like zlib, accepts a complete set of codes, a single one-bit code, or (for unused distances) an empty set. */
function huffman(lengths: Uint8Array, what: 'lengths' | 'symbols'): Huffman {
  const count = new Uint16Array(MAX_CODE_LENGTH + 1);
  for (const length of lengths) count[length] = count[length]! + 1;
  const used = lengths.length - count[0]!;
  count[0] = 0;
  let left = 1;
  let longest = 0;
  for (let length = 1; length <= MAX_CODE_LENGTH; length++) {
    left = (left << 1) - count[length]!;
    if (left < 0) throw new FormatProblem('has more codes than fit');
    if (count[length] !== 0) longest = length;
  }
  if (left > 0 && used > 0 && (what === 'lengths' || longest !== 1)) throw new FormatProblem('lacks codes');
  if (used === 0 && what === 'lengths') throw new FormatProblem('lacks codes');

  const offsets = new Uint16Array(MAX_CODE_LENGTH + 2);
  for (let length = 1; length <= MAX_CODE_LENGTH; length++) {
    offsets[length + 1] = offsets[length]! + count[length]!;
  }
  const symbol = new Uint16Array(lengths.length);
  for (let value = 0; value < lengths.length; value++) {
    const length = lengths[value]!;
    if (length === 0) continue;
    symbol[offsets[length]!] = value;
    offsets[length] = offsets[length]! + 1;
  }
  const fast = new Uint16Array(1 << FAST_BITS);
  let code = 0;
  let index = 0;
  for (let length = 1; length <= FAST_BITS; length++) {
    for (let n = count[length]!; n > 0; n--, code++, index++) {
      const entry = (symbol[index]! << 4) | length;
      for (let slot = reversed(code, length); slot < fast.length; slot += 1 << length) fast[slot] = entry;
    }
    code <<= 1;
  }
  return { fast, count, symbol };
}

/** Huffman codes are packed starting with their highest bit, everything else with the lowest. */
function reversed(code: number, length: number): number {
  let result = 0;
  for (let i = 0; i < length; i++) result |= ((code >>> i) & 1) << (length - 1 - i);
  return result;
}

const FIXED_LITERALS = huffman(
  Uint8Array.from({ length: 288 }, (_, symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8)),
  'symbols',
);
const FIXED_DISTANCES = huffman(new Uint8Array(32).fill(5), 'symbols');
