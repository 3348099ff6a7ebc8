/** A pack in memory while objects are added to it. */
import { createHash } from 'node:crypto';
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

export interface ClosedPack {
  /** The pack's bytes in order, including the checksum at the end. */
  readonly blocks: readonly Buffer[];
  readonly entries: readonly PackIndexEntry[];
  readonly checksum: Buffer;
}

/** A block is as large as everything before it, within these bounds: most packs have a few small objects. */
const SMALLEST_BLOCK_BYTES = 32 * 1024;
const LARGEST_BLOCK_BYTES = 1024 * 1024;

export class PackBuffer {
  readonly #objects = new Map<ObjectId, BufferedObject>();
  readonly #places: { readonly id: ObjectId; readonly crc: number; readonly offset: number }[] = [];
  /** Full blocks; `#block` is being filled. This gives few large writes instead of many small ones. */
  readonly #full: Buffer[] = [];
  #block = Buffer.allocUnsafe(0);
  #used = 0;
  #bytes = PACK_HEADER_BYTES;

  get count(): number {
    return this.#places.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  find(id: ObjectId): BufferedObject | null {
    return this.#objects.get(id) ?? null;
  }

  add(id: ObjectId, type: ObjectType, size: number, compressed: Uint8Array): void {
    const head = encodeEntryHeader(type, size);
    const length = head.length + compressed.length;
    if (this.#used + length > this.#block.length) this.#newBlock(length);
    const start = this.#used;
    this.#block.set(head, start);
    this.#block.set(compressed, start + head.length);
    this.#used += length;
    const entry = this.#block.subarray(start, this.#used);
    this.#places.push({ id, crc: crc32(entry), offset: this.#bytes });
    this.#objects.set(id, { type, size, compressed: entry.subarray(head.length) });
    this.#bytes += length;
  }

  close(): ClosedPack {
    const body = [encodePackHeader(this.count), ...this.#full, this.#block.subarray(0, this.#used)];
    const hash = createHash('sha1');
    for (const block of body) hash.update(block);
    const checksum = hash.digest();
    return { blocks: [...body, checksum], entries: this.#entries(), checksum };
  }

  /** All keys share one buffer: small separate buffers would each keep a block of node's pool alive. */
  #entries(): readonly PackIndexEntry[] {
    const keys = Buffer.allocUnsafeSlow(KEY_BYTES * this.count);
    return this.#places.map(({ id, crc, offset }, place) => {
      const key = writeKey(keys.subarray(place * KEY_BYTES, (place + 1) * KEY_BYTES), id);
      return { key, crc, offset };
    });
  }

  #newBlock(atLeast: number): void {
    if (this.#used > 0) this.#full.push(this.#block.subarray(0, this.#used));
    const usual = Math.min(LARGEST_BLOCK_BYTES, Math.max(SMALLEST_BLOCK_BYTES, this.#bytes));
    this.#block = Buffer.allocUnsafe(Math.max(usual, atLeast));
    this.#used = 0;
  }
}
