/** All packs of a store, and which of them contains an object. */

import { type Fs, isFsError, kindOf, type Stat } from '../../../io/fs.ts';
import type { ObjectId } from '../../../model/ids.ts';
import { type DiskPath, diskChild } from '../../../model/names.ts';
import { damaged, FormatProblem } from '../damage.ts';
import type { FileHandleCache } from '../file-handle-cache.ts';
import { keyOf } from '../object-hash.ts';
import { BaseCache } from './base-cache.ts';
import { openPackIndex } from './index-file.ts';
import { isReadOnly } from './link-pack.ts';
import { PackFile, type PackReadContext } from './pack-file.ts';
import type { PackIndex } from './pack-index.ts';
import { indexPathOf, isPackName } from './pack-names.ts';

export interface ObjectLocation {
  readonly pack: PackFile;
  readonly place: number;
}

/** A pack that has just received its final name. */
export interface PublishedPack {
  readonly path: DiskPath;
  readonly index: PackIndex;
}

/** What is known about packs that are damaged. */
export interface PackCorrections {
  /** Packs that count as absent. */
  readonly ignored: ReadonlySet<DiskPath>;
  /** The right indexes of sound packs whose index files are not. */
  readonly indexes: ReadonlyMap<DiskPath, PackIndex>;
}

const NO_CORRECTIONS: PackCorrections = { ignored: new Set(), indexes: new Map() };
/** Enough for 35 million objects. */
const INDEX_BYTES = 1024 * 1024 * 1024;
/** If more packs than this are in no table, building another table pays off. */
const FEW_PACKS = 8;

export class PackSet {
  #packs: readonly PackFile[] = [];
  #problems: ReadonlyMap<DiskPath, string> = new Map();
  /** Together, they cover all packs except `#untabled`. Each covers at least twice as many objects as the next. */
  #tables: readonly PackTable[] = [];
  #untabled: readonly PackFile[] = [];
  readonly #readContext: PackReadContext;
  /** Identifies the file of each pack when it was opened: another pack of the same name may replace it (P5). */
  readonly #stamps = new WeakMap<PackFile, string>();
  readonly #readOnly = new WeakSet<PackFile>();

  constructor(
    private readonly fs: Fs,
    private readonly handles: FileHandleCache,
    readonly folder: DiskPath,
    private readonly corrections: PackCorrections = NO_CORRECTIONS,
  ) {
    this.#readContext = { fs, handles, cache: new BaseCache() };
  }

  /** Largest first. */
  get packs(): readonly PackFile[] {
    return this.#packs;
  }

  /** Files that cannot be used, and why. Objects in those packs are not found. */
  get problems(): ReadonlyMap<DiskPath, string> {
    return this.#problems;
  }

  /** Lists the current packs. Known indexes are not read again. */
  reload(): void {
    const known = new Map(this.#packs.map((pack) => [pack.path, pack]));
    const packs: PackFile[] = [];
    const problems = new Map<DiskPath, string>();
    for (const name of this.#list()) {
      const path = diskChild(this.folder, name);
      const stat = this.fs.lstat(path);
      const old = known.get(path);
      if (stat === null || this.corrections.ignored.has(path)) continue;
      if (kindOf(stat) !== 'file') {
        problems.set(path, 'is not a file');
        continue;
      }
      const stamp = stampOf(stat);
      if (old !== undefined && this.#stamps.get(old) === stamp) {
        packs.push(old);
        continue;
      }
      this.#closeFiles(path);
      const indexPath = indexPathOf(path);
      const index = this.corrections.indexes.get(path) ?? this.#loadIndex(indexPath);
      if (typeof index === 'string') problems.set(indexPath, index);
      else if (index !== null) {
        const pack = new PackFile(this.#readContext, { path, index, size: stat.size });
        this.#remember(pack, stat);
        packs.push(pack);
      }
    }
    packs.sort(bySize);
    const kept = new Set(packs);
    for (const [path, pack] of known) if (!kept.has(pack)) this.#closeFiles(path);
    this.#packs = packs;
    this.#tables = this.#tables.filter((table) => table.packs.every((pack) => kept.has(pack)));
    const tabled = new Set(this.#tables.flatMap((table) => table.packs));
    this.#untabled = packs.filter((pack) => !tabled.has(pack));
    this.#problems = problems;
  }

  /** Adds packs that were published since the last reload and whose indexes are already in memory. */
  add(packs: readonly PublishedPack[]): void {
    const known = new Set(this.#packs.map(({ path }) => path));
    const added: PackFile[] = [];
    for (const { path, index } of packs) {
      const stat = this.fs.lstat(path);
      // The file of a paged index has another name now.
      if (stat === null || known.has(path) || index.isPaged) {
        this.reload();
        return;
      }
      const pack = new PackFile(this.#readContext, { path, index, size: stat.size });
      this.#remember(pack, stat);
      added.push(pack);
    }
    this.#packs = [...this.#packs, ...added].sort(bySize);
    this.#untabled = [...this.#untabled, ...added].sort(bySize);
  }

  /** Whether the pack was read-only for everybody when it was listed for the first time. */
  isReadOnly(pack: PackFile): boolean {
    return this.#readOnly.has(pack);
  }

  /** Returns one location of the object, or null. */
  find(key: Buffer): ObjectLocation | null {
    if (this.#untabled.length > FEW_PACKS && this.#untabled.some(({ index }) => !index.isPaged)) this.#makeTable();
    for (const table of this.#tables) {
      const tabled = table.find(key);
      if (tabled !== null) return tabled;
    }
    for (const pack of this.#untabled) {
      const place = findIn(pack, key);
      if (place >= 0) return { pack, place };
    }
    return null;
  }

  /** Paged indexes are in no table: it would need memory for each object. */
  #makeTable(): void {
    let packs = this.#untabled.filter(({ index }) => !index.isPaged);
    const tables = [...this.#tables];
    const count = (of: readonly PackFile[]): number => of.reduce((sum, { index }) => sum + index.count, 0);
    for (let last = tables.at(-1); last !== undefined && last.count < 2 * count(packs); last = tables.at(-1)) {
      packs = [...last.packs, ...packs].sort(bySize);
      tables.pop();
    }
    this.#tables = [...tables, new PackTable(packs)];
    this.#untabled = this.#untabled.filter(({ index }) => index.isPaged);
  }

  /** Yields all locations of the object. */
  *findAll(id: ObjectId): Generator<ObjectLocation> {
    const key = keyOf(id);
    for (const pack of this.#packs) {
      const place = findIn(pack, key);
      if (place >= 0) yield { pack, place };
    }
  }

  #remember(pack: PackFile, stat: Stat): void {
    this.#stamps.set(pack, stampOf(stat));
    if (isReadOnly(stat)) this.#readOnly.add(pack);
  }

  #closeFiles(path: DiskPath): void {
    this.handles.close(path);
    this.handles.close(indexPathOf(path));
  }

  #list(): string[] {
    try {
      return this.fs
        .list(this.folder)
        .filter((name) => isPackName(name))
        .sort();
    } catch (error) {
      if (!isFsError(error, 'ENOENT', 'ENOTDIR')) throw error;
      throw damaged('The packs folder no longer exists', { file: this.folder }, error);
    }
  }

  /** Returns the index, what is wrong with it, or null if there is none (the pack is being written or removed). */
  #loadIndex(path: DiskPath): PackIndex | string | null {
    const size = this.fs.lstat(path)?.size;
    if (size === undefined) return null;
    try {
      return openPackIndex(this.fs, this.handles, path, INDEX_BYTES, size);
    } catch (error) {
      if (error instanceof FormatProblem) return error.message;
      if (isFsError(error, 'ENOENT')) return null;
      if (isFsError(error, 'EFBIG', 'EINVAL', 'ELOOP')) return `cannot be an index (${error.code})`;
      if (isFsError(error, 'EIO', 'EACCES', 'EPERM')) return `cannot be read (${error.code})`;
      throw error;
    }
  }
}

/** Returns the position of an object in a pack, or -1. A pack that is gone has none: its objects have moved elsewhere. */
function findIn({ index }: PackFile, key: Buffer): number {
  try {
    return index.find(key);
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return -1;
    throw error;
  }
}

function bySize(a: PackFile, b: PackFile): number {
  return b.size - a.size || (a.path < b.path ? -1 : 1);
}

function stampOf({ dev, ino, birthtimeMs, size }: Stat): string {
  return `${dev}:${ino}:${birthtimeMs}:${size}`;
}

/** An open-addressed hash table that maps the first bytes of an id to one of its locations in some packs. */
class PackTable {
  /** Number of the entry, counted across the packs, plus one; 0 is empty. */
  readonly #slots: Uint32Array;
  readonly #mask: number;
  /** The number of each pack's first entry. */
  readonly #bases: number[] = [];
  /** Number of objects. */
  readonly count: number;

  constructor(readonly packs: readonly PackFile[]) {
    let total = 0;
    for (const { index } of packs) {
      this.#bases.push(total);
      total += index.count;
    }
    this.count = total;
    let slots = 16;
    while (slots < total * 2) slots *= 2;
    this.#slots = new Uint32Array(slots);
    this.#mask = slots - 1;
    packs.forEach(({ index }, number) => {
      const base = this.#bases[number]!;
      for (let place = 0; place < index.count; place++) {
        let slot = index.prefixAt(place) & this.#mask;
        while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask;
        this.#slots[slot] = base + place + 1;
      }
    });
  }

  find(key: Buffer): ObjectLocation | null {
    let slot = key.readInt32BE(0) & this.#mask;
    for (;;) {
      const entry = this.#slots[slot]!;
      if (entry === 0) return null;
      const number = this.#packOf(entry - 1);
      const pack = this.packs[number]!;
      const place = entry - 1 - this.#bases[number]!;
      if (pack.index.isAt(place, key)) return { pack, place };
      slot = (slot + 1) & this.#mask;
    }
  }

  #packOf(entry: number): number {
    let low = 0;
    let high = this.#bases.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.#bases[middle]! <= entry) low = middle;
      else high = middle;
    }
    return low;
  }
}
