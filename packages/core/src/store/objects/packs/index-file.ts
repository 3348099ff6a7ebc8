/** An index that stays on disk: only a bounded part of it is in memory. */
import { readEntireFile } from '../../../io/durable-write.ts';
import { type Fd, type Fs, FsError, kindOf, type Stat } from '../../../io/fs.ts';
import type { DiskPath } from '../../../model/names.ts';
import { FormatProblem } from '../damage.ts';
import { type FileHandleCache, readFully } from '../file-handle-cache.ts';
import { type IndexBytes, type IndexPart, MAX_FIELD_BYTES, PackIndex } from './pack-index.ts';

/** Larger indexes stay on disk. Savepoint's own packs have smaller ones. */
const IN_MEMORY_BYTES = 4 * 1024 * 1024;
/** Small, because ids are looked up in no order. */
const PAGE_BYTES = 4 * 1024;
/** A page may be in one slot only. With 1024 of them, an index needs 4 MiB of memory at most. */
const SLOTS = 1024;
/** A field may extend into the next page. */
const SLOT_BYTES = PAGE_BYTES + MAX_FIELD_BYTES;
const PIECE_BYTES = 256 * 1024;
/** Shared by all indexes, because reads are synchronous. */
const scratch = Buffer.allocUnsafeSlow(PIECE_BYTES);

/**
 * Opens an index, and verifies its own checksum.
 * @param maxBytes a longer file is refused
 * @param size bytes of the file, if known
 * @throws FormatProblem
 * @throws FsError EFBIG if it is longer, EINVAL if it is not a regular file
 */
export function openPackIndex(
  fs: Fs,
  handles: FileHandleCache,
  path: DiskPath,
  maxBytes: number,
  size = fs.lstat(path)?.size ?? 0,
): PackIndex {
  if (size <= IN_MEMORY_BYTES) return new PackIndex(readEntireFile(fs, path, maxBytes));
  return new PackIndex(new IndexFile(fs, handles, path, maxBytes));
}

class IndexFile implements IndexBytes {
  readonly length: number;
  readonly isPaged = true;
  readonly #stat: Stat;
  readonly #slots = Buffer.allocUnsafeSlow(SLOTS * SLOT_BYTES);
  /** The number of the page in each slot; -1 for none. */
  readonly #pages = new Int32Array(SLOTS).fill(-1);

  constructor(
    private readonly fs: Fs,
    private readonly handles: FileHandleCache,
    private readonly path: DiskPath,
    maxBytes: number,
  ) {
    handles.close(path);
    this.#stat = fs.fstat(handles.get(path));
    if (kindOf(this.#stat) !== 'file') throw new FsError('EINVAL', 'openRead', path);
    if (this.#stat.size > maxBytes) throw new FsError('EFBIG', 'read', path);
    this.length = this.#stat.size;
  }

  part(position: number, isSequential: boolean): IndexPart {
    if (isSequential) return this.#read(position, scratch);
    const page = Math.floor(position / PAGE_BYTES);
    const start = page * PAGE_BYTES;
    const slot = page % SLOTS;
    const bytes = this.#slots.subarray(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES);
    if (this.#pages[slot] === page) return { start, bytes: bytes.subarray(0, this.length - start) };
    this.#pages[slot] = -1;
    const part = this.#read(start, bytes);
    this.#pages[slot] = page;
    return part;
  }

  *pieces(): Generator<Buffer> {
    const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
    for (let at = 0; at < this.length; at += PIECE_BYTES) yield this.#read(at, buffer).bytes;
  }

  /** If it is another file, the one whose checksum was verified is gone, and so is its pack. */
  readonly #assertSame = (fd: Fd): void => {
    const { dev, ino, size } = this.fs.fstat(fd);
    if (dev !== this.#stat.dev || ino !== this.#stat.ino || size !== this.length)
      throw new FsError('ENOENT', 'openRead', this.path);
  };

  #read(start: number, into: Buffer): IndexPart {
    const bytes = into.subarray(0, this.length - start);
    const fd = this.handles.get(this.path, this.#assertSame);
    if (readFully(this.fs, fd, bytes, bytes.length, start) < bytes.length) throw new FormatProblem('is cut off');
    return { start, bytes };
  }
}
