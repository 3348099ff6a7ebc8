/** A pack in memory while objects are added to it, or the part of it that is not in a file yet. */
import { crc32 } from 'node:zlib';
import type { ObjectId } from '../../../model/ids.ts';
import { KEY_BYTES, writeKey } from '../object-hash.ts';
import type { ObjectType } from '../object-reader.ts';
import { encodeEntryHeader, encodePackHeader, PACK_HEADER_BYTES } from './pack-format.ts';
import type { PackIndexEntry } from './pack-index.ts';

export interface BufferedObject {
  readonly type: ObjectType;
  readonly size: number;
  readonly compressed: Buffer;
}

/** Reads `length` bytes of the pack that were taken out of the buffer. */
export type ReadTaken = (offset: number, length: number) => Buffer;

/** Where an object is in the pack. */
interface Place {
  readonly type: ObjectType;
  readonly size: number;
  readonly crc: number;
  /** Where the entry begins. */
  readonly offset: number;
  readonly headBytes: number;
  readonly compressedBytes: number;
}

interface Block {
  /** Where it begins in the pack. */
  readonly offset: number;
  readonly bytes: Buffer;
}

interface FullBlock extends Block {
  /** With the part that is not used. */
  readonly whole: Buffer;
}

/** A block is as large as everything before it, within these bounds: most packs have a few small objects. */
const SMALLEST_BLOCK_BYTES = 32 * 1024;
const LARGEST_BLOCK_BYTES = 1024 * 1024;

export class PackBuffer {
  /** In the order of the pack. */
  readonly #places = new Map<ObjectId, Place>();
  /** Full blocks in memory. This gives few large writes instead of many small ones. */
  #full: FullBlock[] = [];
  /** Blocks to be filled again: many large ones would wait for the garbage collector. */
  #spare: Buffer[] = [];
  /** The block that is being filled, and how many of its bytes are used. */
  #block: Block = { offset: PACK_HEADER_BYTES, bytes: Buffer.alloc(0) };
  #used = 0;
  #bytes = PACK_HEADER_BYTES;
  #bytesTaken = PACK_HEADER_BYTES;

  get count(): number {
    return this.#places.size;
  }

  /** Of the pack so far. */
  get bytes(): number {
    return this.#bytes;
  }

  get bytesInMemory(): number {
    return this.#bytes - this.#bytesTaken;
  }

  find(id: ObjectId, readTaken: ReadTaken): BufferedObject | null {
    const place = this.#places.get(id);
    if (place === undefined) return null;
    const { type, size, offset, headBytes, compressedBytes } = place;
    const start = offset + headBytes;
    return { type, size, compressed: this.#inMemory(start, compressedBytes) ?? readTaken(start, compressedBytes) };
  }

  /** Adds an object, unless the pack has it. */
  add(id: ObjectId, type: ObjectType, size: number, compressed: Uint8Array): void {
    if (this.#places.has(id)) return;
    const head = encodeEntryHeader(type, size);
    const length = head.length + compressed.length;
    if (this.#used + length > this.#block.bytes.length) this.#newBlock(length);
    const start = this.#used;
    this.#block.bytes.set(head, start);
    this.#block.bytes.set(compressed, start + head.length);
    this.#used += length;
    const crc = crc32(this.#block.bytes.subarray(start, this.#used));
    const lengths = { headBytes: head.length, compressedBytes: compressed.length };
    this.#places.set(id, { type, size, crc, offset: this.#bytes, ...lengths });
    this.#bytes += length;
  }

  /** The pack's header, for the objects that it has now. */
  header(): Buffer {
    return encodePackHeader(this.count);
  }

  /**
   * Hands over all bytes in memory, in order; they are valid until the next `add`. From now on, they are read with
   * `ReadTaken`.
   */
  takeBlocks(): readonly Buffer[] {
    const blocks = [...this.#full.map(({ bytes }) => bytes), this.#block.bytes.subarray(0, this.#used)];
    this.#spare = [...this.#full.map(({ whole }) => whole), this.#block.bytes].filter(isReusable);
    this.#full = [];
    this.#block = { offset: this.#bytes, bytes: Buffer.alloc(0) };
    this.#used = 0;
    this.#bytesTaken = this.#bytes;
    return blocks;
  }

  /** All keys share one buffer: small separate buffers would each keep a block of node's pool alive. */
  entries(): readonly PackIndexEntry[] {
    const keys = Buffer.allocUnsafeSlow(KEY_BYTES * this.count);
    return Array.from(this.#places, ([id, { crc, offset }], place) => {
      const key = writeKey(keys.subarray(place * KEY_BYTES, (place + 1) * KEY_BYTES), id);
      return { key, crc, offset };
    });
  }

  #inMemory(start: number, length: number): Buffer | null {
    const holds = ({ offset, bytes }: Block) => offset <= start && start < offset + bytes.length;
    const block = [this.#block, ...this.#full].find(holds);
    return block?.bytes.subarray(start - block.offset, start - block.offset + length) ?? null;
  }

  #newBlock(atLeast: number): void {
    const { offset, bytes } = this.#block;
    if (this.#used > 0) this.#full.push({ offset, bytes: bytes.subarray(0, this.#used), whole: bytes });
    const usual = Math.min(LARGEST_BLOCK_BYTES, Math.max(SMALLEST_BLOCK_BYTES, this.#bytes));
    const spare = atLeast <= LARGEST_BLOCK_BYTES ? this.#spare.pop() : undefined;
    this.#block = { offset: this.#bytes, bytes: spare ?? Buffer.allocUnsafe(Math.max(usual, atLeast)) };
    this.#used = 0;
  }
}

function isReusable({ length }: Buffer): boolean {
  return length === LARGEST_BLOCK_BYTES;
}
