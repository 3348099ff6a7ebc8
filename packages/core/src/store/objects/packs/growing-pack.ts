/** A pack to which objects are added. Once it is large, most of it is in its file, under a temporary name. */
import { createHash } from 'node:crypto';
import type { Fd, Fs } from '../../../io/fs.ts';
import type { ObjectId } from '../../../model/ids.ts';
import type { DiskPath } from '../../../model/names.ts';
import { FormatProblem } from '../damage.ts';
import { type FileHandleCache, readFully } from '../file-handle-cache.ts';
import { PIECE_BYTES } from '../limits.ts';
import type { ObjectType } from '../object-reader.ts';
import { type BufferedObject, PackBuffer } from './pack-buffer.ts';
import { PACK_HEADER_BYTES } from './pack-format.ts';
import type { PackIndexEntry } from './pack-index.ts';

export interface GrownPack {
  /** Complete, but not synced. */
  readonly file: PackDraft;
  readonly checksum: Buffer;
  readonly entries: readonly PackIndexEntry[];
}

/** A new file, open for writing. */
export interface PackDraft {
  readonly path: DiskPath;
  readonly fd: Fd;
}

export class GrowingPack {
  readonly #buffer = new PackBuffer();
  #file: PackDraft | null = null;

  /**
   * @param create creates the file
   * @param bytesInMemory from this number on, they are written to the file
   */
  constructor(
    private readonly fs: Fs,
    private readonly handles: FileHandleCache,
    private readonly create: () => PackDraft,
    private readonly bytesInMemory: number,
  ) {}

  get count(): number {
    return this.#buffer.count;
  }

  get bytes(): number {
    return this.#buffer.bytes;
  }

  /** Null unless a part of the pack is in a file. */
  get file(): PackDraft | null {
    return this.#file;
  }

  find(id: ObjectId): BufferedObject | null {
    return this.#buffer.find(id, (offset, length) => this.#read(offset, Buffer.allocUnsafe(length)));
  }

  /** @throws FsError */
  add(id: ObjectId, type: ObjectType, size: number, compressed: Uint8Array): void {
    this.#buffer.add(id, type, size, compressed);
    if (this.#buffer.bytesInMemory >= this.bytesInMemory) this.#writeBlocks();
  }

  /** Writes what is not in the file yet. No object can be added after that. @throws FsError */
  finish(): GrownPack {
    const isWhole = this.#file === null;
    const header = this.#buffer.header();
    const hash = createHash('sha1').update(header);
    const file = this.#writeBlocks((block) => isWhole && hash.update(block));
    this.fs.write(file.fd, header, 0);
    // The count at the start is known only now, so what was written before is read again.
    if (!isWhole) for (const piece of this.#pieces()) hash.update(piece);
    const checksum = hash.digest();
    this.fs.write(file.fd, checksum, this.#buffer.bytes);
    return { file, checksum, entries: this.#buffer.entries() };
  }

  #writeBlocks(onBlock?: (block: Buffer) => void): PackDraft {
    this.#file ??= this.create();
    let at = this.#buffer.bytes - this.#buffer.bytesInMemory;
    for (const block of this.#buffer.takeBlocks()) {
      onBlock?.(block);
      this.fs.write(this.#file.fd, block, at);
      at += block.length;
    }
    return this.#file;
  }

  *#pieces(): Generator<Buffer> {
    const buffer = Buffer.allocUnsafe(PIECE_BYTES);
    const end = this.#buffer.bytes;
    for (let at = PACK_HEADER_BYTES; at < end; at += PIECE_BYTES) {
      yield this.#read(at, buffer.subarray(0, Math.min(PIECE_BYTES, end - at)));
    }
  }

  #read(offset: number, into: Buffer): Buffer {
    const fd = this.handles.get((this.#file as PackDraft).path);
    if (readFully(this.fs, fd, into, into.length, offset) < into.length) throw new FormatProblem('is cut off');
    return into;
  }
}
