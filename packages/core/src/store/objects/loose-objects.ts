/** Loose objects in git's format. Savepoint reads them and moves them into packs, but never writes any. */

import { type Fd, type Fs, isFsError, kindOf } from '../../io/fs.ts';
import { isObjectId, type ObjectId } from '../../model/ids.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import { damaged, FormatProblem } from './damage.ts';
import { readFully } from './file-handle-cache.ts';
import { Inflater } from './inflate.ts';
import { MAX_READ_BYTES, PIECE_BYTES } from './limits.ts';
import { startObjectHash } from './object-hash.ts';
import type { ObjectInfo, ObjectType, StoredObject } from './object-reader.ts';
import type { ObjectSource } from './pieces.ts';

export interface LooseFile {
  readonly path: DiskPath;
  readonly id: ObjectId;
  /** Bytes on disk. */
  readonly size: number;
}

const FOLDER = /^[0-9a-f]{2}$/;
const HEADER = /^(blob|tree|commit|tag) (0|[1-9]\d{0,15})\0/;
const MAX_HEADER_BYTES = 32;
const SMALL_BYTES = 16 * 1024;

export class LooseObjects {
  /** The folders found by the last `reload`; a store of ours usually has none. */
  #folders: ReadonlySet<string> = new Set();

  constructor(
    private readonly fs: Fs,
    /** `objects` of the repository. */
    private readonly folder: DiskPath,
  ) {}

  reload(): void {
    try {
      this.#folders = new Set(this.fs.list(this.folder).filter((name) => FOLDER.test(name)));
    } catch (error) {
      if (!isFsError(error, 'ENOENT', 'ENOTDIR')) throw error;
      throw damaged('The objects folder no longer exists', { file: this.folder }, error);
    }
  }

  pathOf(id: ObjectId): DiskPath {
    return diskChild(this.folder, `${id.slice(0, 2)}/${id.slice(2)}`);
  }

  has(id: ObjectId): boolean {
    return this.#folders.has(id.slice(0, 2)) && this.fs.lstat(this.pathOf(id)) !== null;
  }

  /** Yields every file whose name is an object id, sorted. */
  *list(): Generator<LooseFile> {
    for (const folder of [...this.#folders].sort()) {
      for (const name of this.#listFolder(folder)) {
        const id = `${folder}${name}`;
        if (!isObjectId(id)) continue;
        const stat = this.fs.lstat(this.pathOf(id));
        if (stat !== null) yield { path: this.pathOf(id), id, size: stat.size };
      }
    }
  }

  /** Yields the folders found by the last `reload`, with their current contents; for clean-up. */
  *folders(): Generator<{ readonly path: DiskPath; readonly names: readonly string[] }> {
    for (const folder of [...this.#folders].sort()) {
      yield { path: diskChild(this.folder, folder), names: this.#listFolder(folder) };
    }
  }

  /** Returns null if the file does not exist. @throws SavepointError STORE_DAMAGED */
  read(id: ObjectId): StoredObject | null {
    const source = this.open(id);
    if (source === null) return null;
    try {
      if (source.size > MAX_READ_BYTES)
        throw damaged(`is too large to read into memory (${source.size} bytes)`, { object: id });
      const pieces: Buffer[] = [];
      for (let piece = source.next(); piece !== null; piece = source.next()) pieces.push(piece);
      return { type: source.type, data: Buffer.concat(pieces) };
    } finally {
      source.close();
    }
  }

  /** Returns what the header states; null if the file does not exist. @throws SavepointError STORE_DAMAGED */
  info(id: ObjectId): ObjectInfo | null {
    const source = this.open(id);
    if (source === null) return null;
    source.close();
    return { type: source.type, size: source.size };
  }

  /**
   * Reads the object piece by piece, verified at the end; null if the file does not exist.
   * @throws SavepointError STORE_DAMAGED
   */
  open(id: ObjectId): ObjectSource | null {
    const path = this.pathOf(id);
    let fd: Fd;
    try {
      fd = this.fs.openRead(path);
    } catch (error) {
      if (isFsError(error, 'ENOENT', 'ENOTDIR')) return null;
      if (isFsError(error, 'ELOOP')) throw damaged('is a link', { object: id, file: path }, error);
      throw error;
    }
    let open = true;
    const close = (): void => {
      if (open) this.fs.close(fd);
      open = false;
    };
    const guarded = <T>(action: () => T): T => {
      try {
        return action();
      } catch (error) {
        close();
        if (error instanceof FormatProblem) throw damaged(error.message, { object: id, file: path }, error);
        throw error;
      }
    };
    return guarded(() => {
      if (kindOf(this.fs.fstat(fd)) !== 'file') throw new FormatProblem('is not a file');
      const inflater = this.#inflater(fd);
      const { type, size, first } = readObjectHeader(inflater);
      const hash = startObjectHash(type, size);
      let left = size;
      let pending: Buffer | null = first;
      const next = (): Buffer | null => {
        const piece = pending ?? inflater.next();
        pending = null;
        left -= piece?.length ?? 0;
        if (piece !== null && left >= 0) {
          hash.update(piece);
          return piece;
        }
        if (left !== 0 || hash.digest('hex') !== id) throw new FormatProblem('does not match its id');
        return null;
      };
      return { type, size, next: () => guarded(next), close };
    });
  }

  #inflater(fd: Fd): Inflater {
    const size = this.fs.fstat(fd).size;
    const buffer = Buffer.allocUnsafe(size <= SMALL_BYTES ? Math.max(1, size) : PIECE_BYTES);
    let at = 0;
    return new Inflater(() => {
      const length = readFully(this.fs, fd, buffer, buffer.length, at);
      at += length;
      return buffer.subarray(0, length);
    });
  }

  #listFolder(folder: string): string[] {
    try {
      return this.fs.list(diskChild(this.folder, folder)).sort();
    } catch (error) {
      if (isFsError(error, 'ENOENT', 'ENOTDIR')) return [];
      throw error;
    }
  }
}

/** Reads type and size, and the bytes of the content that were inflated with them. */
function readObjectHeader(inflater: Inflater): ObjectInfo & { readonly first: Buffer } {
  const bytes = inflater.next() ?? Buffer.alloc(0);
  const header = HEADER.exec(bytes.toString('latin1', 0, MAX_HEADER_BYTES));
  const size = Number(header?.[2]);
  if (header === null || !Number.isSafeInteger(size)) throw new FormatProblem('does not start like an object');
  return { type: header[1] as ObjectType, size, first: bytes.subarray(header[0].length) };
}
