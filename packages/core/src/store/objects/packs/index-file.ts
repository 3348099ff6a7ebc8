/** An index that stays on disk: only a bounded part of it is in memory. */
import { readEntireFile } from '../../../io/durable-write.ts';
import { type Fs, FsError, kindOf, type Stat } from '../../../io/fs.ts';
import type { DiskPath } from '../../../model/names.ts';
import { FormatProblem } from '../damage.ts';
import { type FileHandleCache, readFully } from '../file-handle-cache.ts';
import { type IndexBytes, type IndexPart, MAX_FIELD_BYTES, PackIndex } from './pack-index.ts';

/** Larger indexes stay on disk. Savepoint's own packs have smaller ones. */
const IN_MEMORY_BYTES = 4 * 1024 * 1024;
const PAGE_BYTES = 8 * 1024;
/** Pages in memory for each index: 16 MiB. */
const MAX_PAGES = 2048;
const PIECE_BYTES = 256 * 1024;

/**
 * Opens an index, and verifies its own checksum.
 * @param maxBytes a longer file is refused
 * @throws FormatProblem
 * @throws FsError EFBIG if it is longer, EINVAL if it is not a regular file
 */
export function openPackIndex(fs: Fs, handles: FileHandleCache, path: DiskPath, maxBytes: number): PackIndex {
  const size = fs.lstat(path)?.size ?? 0;
  if (size <= IN_MEMORY_BYTES) return new PackIndex(readEntireFile(fs, path, maxBytes));
  return new PackIndex(new IndexFile(fs, handles, path, maxBytes));
}

class IndexFile implements IndexBytes {
  readonly length: number;
  readonly isPaged = true;
  readonly #stat: Stat;
  /** Oldest first. */
  readonly #pages = new Map<number, IndexPart>();

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

  part(position: number): IndexPart {
    const number = Math.floor(position / PAGE_BYTES);
    let page = this.#pages.get(number);
    if (page === undefined) {
      // A field may extend into the next page.
      page = this.#read(number * PAGE_BYTES, PAGE_BYTES + MAX_FIELD_BYTES);
      this.#pages.set(number, page);
      for (const oldest of this.#pages.keys()) {
        if (this.#pages.size <= MAX_PAGES) break;
        this.#pages.delete(oldest);
      }
    }
    return page;
  }

  *pieces(): Generator<Buffer> {
    for (let at = 0; at < this.length; at += PIECE_BYTES) yield this.#read(at, PIECE_BYTES).bytes;
  }

  #read(start: number, length: number): IndexPart {
    const bytes = Buffer.allocUnsafeSlow(Math.min(length, this.length - start));
    const fd = this.handles.get(this.path);
    const { dev, ino, size } = this.fs.fstat(fd);
    if (dev !== this.#stat.dev || ino !== this.#stat.ino || size !== this.length) {
      // The file whose checksum was verified is gone, and so is its pack.
      this.handles.close(this.path);
      throw new FsError('ENOENT', 'openRead', this.path);
    }
    if (readFully(this.fs, fd, bytes, bytes.length, start) < bytes.length) throw new FormatProblem('is cut off');
    return { start, bytes };
  }
}
