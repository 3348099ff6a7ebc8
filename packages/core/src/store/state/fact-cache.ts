import type { FactCache } from '../../code/cache.ts';
import { readEntireFile } from '../../io/durable-write.ts';
import { type Fs, FsError } from '../../io/fs.ts';
import { removeIfExists } from '../../io/if-exists.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import type { StoreLayout } from '../layout.ts';
import { replaceFile, writeCacheFile } from './cache-file.ts';

const HEADER = 'savepoint facts 1\n';
const LINE_END = 0x0a;
const TAB = 0x09;
/** Longer files are not read. */
const LONGEST = 256 * 1024 * 1024;
/** Records that were not used since the file was read are kept up to this many bytes. */
const KEPT_UNUSED = 64 * 1024 * 1024;

/** Facts of source files in the cache folder of a store: a line for each, `<key>\t<text>`. A damaged line is never decoded. */
export class StoredFactCache implements FactCache {
  readonly #fs: Fs;
  readonly #path: DiskPath;
  #bytes: Buffer | null = null;
  /** Where the line of each key begins and ends. */
  readonly #lines = new Map<string, readonly [start: number, end: number]>();
  readonly #used = new Set<string>();
  readonly #added = new Map<string, string>();
  /** How often the file was removed when this cache was opened. What was read before a removal is not written after it. */
  readonly #removals: number;
  readonly #layout: StoreLayout;

  constructor(fs: Fs, layout: StoreLayout) {
    this.#fs = fs;
    this.#layout = layout;
    this.#path = fileIn(layout);
    this.#removals = removalsOf(fs, layout);
  }

  get(key: string): string | null {
    const bytes = this.#read();
    const added = this.#added.get(key);
    const line = this.#lines.get(key);
    if (added !== undefined || line === undefined) return added ?? null;
    this.#used.add(key);
    return bytes.toString('utf8', line[0] + Buffer.byteLength(key) + 1, line[1]);
  }

  put(key: string, text: string): void {
    if (!/[\t\n]/.test(key)) this.#added.set(key, text);
  }

  /** Writes what was added, best effort. Does nothing if nothing was. */
  save(): void {
    if (this.#added.size === 0) return;
    const bytes = this.#read();
    const parts: Uint8Array[] = [Buffer.from(HEADER)];
    let unused = 0;
    for (const [key, [start, end]] of this.#lines) {
      if (this.#added.has(key)) continue;
      if (!this.#used.has(key)) unused += end - start;
      if (this.#used.has(key) || unused <= KEPT_UNUSED) parts.push(bytes.subarray(start, end + 1));
    }
    for (const [key, text] of this.#added) parts.push(Buffer.from(`${key}\t${text}\n`));
    writeCacheFile(this.#fs, this.#path, Buffer.concat(parts));
    if (removalsOf(this.#fs, this.#layout) !== this.#removals) removeIfExists(this.#fs, this.#path);
    this.#bytes = null;
    this.#lines.clear();
    this.#added.clear();
  }

  #read(): Buffer {
    if (this.#bytes !== null) return this.#bytes;
    const bytes = this.#bytesOnDisk();
    this.#bytes = bytes;
    for (let start = HEADER.length; start < bytes.length; ) {
      const end = bytes.indexOf(LINE_END, start);
      if (end < 0) break;
      const tab = bytes.indexOf(TAB, start);
      if (tab >= 0 && tab < end) this.#lines.set(bytes.toString('utf8', start, tab), [start, end]);
      start = end + 1;
    }
    return bytes;
  }

  #bytesOnDisk(): Buffer {
    try {
      const bytes = readEntireFile(this.#fs, this.#path, LONGEST);
      return bytes.toString('latin1', 0, HEADER.length) === HEADER ? bytes : Buffer.alloc(0);
    } catch (error) {
      if (error instanceof FsError) return Buffer.alloc(0);
      throw error;
    }
  }
}

/**
 * Facts quote names and heads of definitions. An analysis runs without the lock: it sees the count, which is written first,
 * and removes what it has written meanwhile. The caller holds the lock.
 */
export function removeFactCache(fs: Fs, layout: StoreLayout): void {
  replaceFile(fs, removalsIn(layout), Buffer.from(String(removalsOf(fs, layout) + 1)));
  removeIfExists(fs, fileIn(layout));
}

function removalsOf(fs: Fs, layout: StoreLayout): number {
  const path = removalsIn(layout);
  return fs.lstat(path) === null ? 0 : Number.parseInt(readEntireFile(fs, path, 100).toString('latin1'), 10) || 0;
}

function removalsIn(layout: StoreLayout): DiskPath {
  return diskChild(layout.cache, 'facts-removed');
}

function fileIn(layout: StoreLayout): DiskPath {
  return diskChild(layout.cache, 'facts');
}
