/**
 * Reads the tracked paths of a repository from `.git/index`, without git.
 *
 * When in doubt, a path counts as tracked, because tracked files are captured whatever the ignore rules say. Taking an
 * untracked path for tracked costs space. The opposite error may leave an agent's change unrecorded. Therefore:
 * - A missing index tracks nothing.
 * - If the index cannot be read, {@link UNKNOWN_TRACKED} reports every path as possibly tracked, so ignore rules skip
 *   nothing. It does not report anything below a folder as tracked. Otherwise every dependency folder would be captured
 *   whole, and the capture might never end. Callers can treat a folder as tracked if the last snapshot holds something
 *   in it.
 * - Paths below a sparse folder are in no index, and count as tracked.
 */
import type { Fs } from '../io/fs.ts';
import { type DiskPath, diskChild, type Name, type TreePath } from '../model/names.ts';
import { type GitProblem, problemOf, readGitFileWithTime, unusableGitFile } from './file.ts';
import { type IndexFile, type IndexLink, parseIndexFile, stageAt, treesIn } from './index-file.ts';

/** Paths are relative to the top of the repository's worktree. */
export interface TrackedPaths {
  /** The path is in the index, or may be if the index is unknown. */
  has(path: TreePath): boolean;
  /** The index has an entry below this folder, or has the folder itself as a submodule. */
  hasBelow(folder: TreePath): boolean;
  /** The names directly in this folder that the index has, or has something below. */
  namesIn(folder: TreePath): Iterable<Name>;
  /** Returns the entry of a path. In a conflict, returns the entry with the lowest stage. */
  entry(path: TreePath): IndexEntry | null;
  /** Entries in git's order: by bytes of the path, then by stage. Decoded lazily. */
  entries(): Iterable<IndexEntry>;
  /** Number of entries. */
  readonly count: number;
  /** Folders that a sparse index stores as one entry. Paths below them are not among the entries. */
  readonly sparseFolders: readonly TreePath[];
  /** Tree ids from the cache tree, by folder ('' is the top). Folders that changed since are missing. */
  readonly trees: ReadonlyMap<string, string>;
  /**
   * Identity of the path list: the same object while the paths are unchanged, if each reading is given the previous
   * one.
   */
  readonly names: object;
}

export interface IndexEntry {
  readonly path: TreePath;
  /** As in a tree: 0o100644, 0o100755, 0o120000, 0o160000 (a submodule). */
  readonly mode: number;
  /** Hex, 40 or 64 digits. */
  readonly id: string;
  /** Bytes, modulo 2^32. 0 if git must re-examine the file. */
  readonly size: number;
  readonly mtime: IndexTime;
  readonly ctime: IndexTime;
  /** The lower 32 bits. */
  readonly inode: number;
  /** 0, or 1 to 3 for the base, ours and theirs of a conflict. */
  readonly stage: 0 | 1 | 2 | 3;
  readonly assumeUnchanged: boolean;
  readonly skipWorktree: boolean;
  readonly intentToAdd: boolean;
}

export interface IndexTime {
  /** Since 1970, modulo 2^32. */
  readonly seconds: number;
  readonly nanoseconds: number;
}

export interface IndexReading {
  readonly tracked: TrackedPaths;
  /** Set if the index could not be read; `tracked` is then {@link UNKNOWN_TRACKED}. */
  readonly problem: GitProblem | null;
  /**
   * Modification time of the index in milliseconds since 1970. Null if there is none, or if it is split or unreadable.
   */
  readonly writtenMs: number | null;
  /** The parsed index file. Null in the same cases as `writtenMs`. */
  readonly file: IndexFile | null;
}

const INDEX_BYTES = 256 * 1024 * 1024;

/** For a folder without a repository, or a repository without an index. */
export const NOTHING_TRACKED: TrackedPaths = {
  has: () => false,
  hasBelow: () => false,
  namesIn: () => [],
  entry: () => null,
  entries: () => [],
  count: 0,
  sparseFolders: [],
  trees: new Map(),
  names: {},
};

export const UNKNOWN_TRACKED: TrackedPaths = { ...NOTHING_TRACKED, has: () => true, names: {} };

/**
 * Reads the index of one worktree. Never throws because of what is on disk.
 * @param gitDir the worktree's own git folder (not the common one)
 * @param before an earlier reading of this or any other worktree: speeds up reading if much is unchanged
 */
export function readIndex(
  fs: Fs,
  gitDir: DiskPath,
  objectFormat: 'sha1' | 'sha256',
  before: IndexReading | null = null,
): IndexReading {
  const idBytes = objectFormat === 'sha256' ? 32 : 20;
  try {
    const path = diskChild(gitDir, 'index');
    const read = readIndexFile(fs, path, idBytes, before?.file ?? null);
    if (read === null) return { tracked: NOTHING_TRACKED, problem: null, writtenMs: null, file: null };
    const { file, writtenMs } = read;
    if (file.link === null) return { tracked: new IndexPaths(unsplitRows(file), file), problem: null, writtenMs, file };
    const base = readSharedIndex(fs, gitDir, path, file.link, idBytes);
    const rows = base === null ? unsplitRows(file) : mergeSplitRows(path, base, file, file.link);
    return { tracked: new IndexPaths(rows, file), problem: null, writtenMs: null, file: null };
  } catch (error) {
    return { tracked: UNKNOWN_TRACKED, problem: problemOf(error), writtenMs: null, file: null };
  }
}

/**
 * Returns the tracked paths of an index file that is not split.
 * @returns null if it is split
 */
export function trackedPathsOf(file: IndexFile): TrackedPaths | null {
  return file.link === null ? new IndexPaths(unsplitRows(file), file) : null;
}

function readIndexFile(
  fs: Fs,
  path: DiskPath,
  idBytes: number,
  before: IndexFile | null,
): { readonly file: IndexFile; readonly writtenMs: number } | null {
  const read = readGitFileWithTime(fs, path, INDEX_BYTES);
  return read === null ? null : { file: parseIndexFile(path, read.bytes, idBytes, before), writtenMs: read.mtimeMs };
}

function readSharedIndex(fs: Fs, gitDir: DiskPath, from: DiskPath, link: IndexLink, idBytes: number): IndexFile | null {
  if (link.base === null) return null;
  const path = diskChild(gitDir, `sharedindex.${link.base}`);
  const base = readIndexFile(fs, path, idBytes, null)?.file ?? null;
  if (base === null) throw unusableGitFile(from, 'damaged', `its shared index, sharedindex.${link.base}, is missing`);
  if (base.checksum !== link.base) throw unusableGitFile(path, 'damaged', 'its checksum does not match its name');
  if (base.link !== null) throw unusableGitFile(path, 'damaged', 'a shared index cannot be a split index');
  return base;
}

/** Entries of one or two files, in git's order. */
interface IndexRows {
  readonly paths: readonly string[];
  readonly offsets: Uint32Array;
  readonly fileOf: (row: number) => IndexFile;
}

function unsplitRows(file: IndexFile): IndexRows {
  return { paths: file.paths, offsets: file.offsets, fileOf: () => file };
}

/**
 * Merges a split index with its shared index. The first entries of the split index have no path: they replace, in
 * order, the entries of the shared index that `replaced` lists. The others are added. An added entry with stage 0
 * replaces all stages of its path.
 */
function mergeSplitRows(from: DiskPath, base: IndexFile, top: IndexFile, link: IndexLink): IndexRows {
  const beyond = (bits: readonly number[]): boolean => (bits.at(-1) ?? -1) >= base.paths.length;
  if (beyond(link.deleted) || beyond(link.replaced)) {
    throw unusableGitFile(from, 'damaged', 'it refers to entries that the shared index does not have');
  }
  const replacement = new Map(link.replaced.map((position, row) => [position, row]));
  const deleted = new Set(link.deleted);
  const firstAdded = link.replaced.length;
  const added = new Set<string>();
  for (let row = firstAdded; row < top.paths.length; row++) {
    const path = top.paths[row]!;
    const stage = stageAt(top.data, top.idBytes, top.offsets[row]!);
    added.add(stage === 0 ? path : `${path}\0${stage}`);
  }
  const rows: { path: string; stage: number; offset: number; file: IndexFile }[] = [];
  const push = (path: string, file: IndexFile, row: number): void => {
    const offset = file.offsets[row]!;
    rows.push({ path, stage: stageAt(file.data, file.idBytes, offset), offset, file });
  };
  for (let position = 0; position < base.paths.length; position++) {
    const path = base.paths[position]!;
    const stage = stageAt(base.data, base.idBytes, base.offsets[position]!);
    if (deleted.has(position) || added.has(path) || added.has(`${path}\0${stage}`)) continue;
    const row = replacement.get(position);
    if (row === undefined) push(path, base, position);
    else push(path, top, row);
  }
  for (let row = firstAdded; row < top.paths.length; row++) push(top.paths[row]!, top, row);
  rows.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.stage - b.stage));
  return {
    paths: rows.map((row) => row.path),
    offsets: Uint32Array.from(rows, (row) => row.offset),
    fileOf: (row) => (rows[row] as (typeof rows)[number]).file,
  };
}

const SUBMODULE = 0o160000;
const ASSUME_UNCHANGED = 0x8000;
const EXTENDED = 0x4000;
const SKIP_WORKTREE = 0x4000;
const INTENT_TO_ADD = 0x2000;

class IndexPaths implements TrackedPaths {
  readonly sparseFolders: readonly TreePath[];
  readonly #sparse: ReadonlySet<string>;
  #trees: ReadonlyMap<string, string> | null = null;
  /** The row of the last lookup. */
  #last = -1;

  constructor(
    private readonly rows: IndexRows,
    /** The file with the cache tree. */
    private readonly file: IndexFile,
  ) {
    this.sparseFolders = rows.paths.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1) as TreePath);
    this.#sparse = new Set(this.sparseFolders);
  }

  get trees(): ReadonlyMap<string, string> {
    this.#trees ??= treesIn(this.file);
    return this.#trees;
  }

  get names(): object {
    return this.rows.paths;
  }

  get count(): number {
    return this.rows.paths.length - this.sparseFolders.length;
  }

  has(path: TreePath): boolean {
    return this.rows.paths[this.#atOrAfter(path)] === path || this.#isBelowSparse(path);
  }

  hasBelow(folder: TreePath): boolean {
    if (folder === '') return this.rows.paths.length > 0;
    const { paths } = this.rows;
    if (paths[this.#atOrAfter(`${folder}/`)]?.startsWith(`${folder}/`)) return true;
    return this.entry(folder)?.mode === SUBMODULE || this.#isBelowSparse(folder);
  }

  *namesIn(folder: TreePath): Iterable<Name> {
    const { paths } = this.rows;
    const start = folder === '' ? '' : `${folder}/`;
    for (let row = this.#atOrAfter(start); paths[row]?.startsWith(start) === true; ) {
      const [name = ''] = paths[row]!.slice(start.length).split('/', 1);
      yield name as Name;
      const isBelow = paths[row]!.length > start.length + name.length;
      // The character after `/` comes after everything below the name.
      if (isBelow) row = this.#atOrAfter(`${start}${name}0`);
      else while (paths[row] === `${start}${name}`) row += 1;
    }
  }

  entry(path: TreePath): IndexEntry | null {
    // Callers usually look up paths in index order.
    const next = this.#last + 1;
    const row = this.rows.paths[next] === path && this.rows.paths[next - 1] !== path ? next : this.#atOrAfter(path);
    if (this.rows.paths[row] !== path || path === '') return null;
    this.#last = row;
    return this.#entryAt(row);
  }

  *entries(): Iterable<IndexEntry> {
    for (let row = 0; row < this.rows.paths.length; row++) {
      if (!this.rows.paths[row]!.endsWith('/')) yield this.#entryAt(row);
    }
  }

  /** Returns the first row whose path is not before `path`. One-byte strings compare like bytes. */
  #atOrAfter(path: string): number {
    const { paths } = this.rows;
    let low = 0;
    let high = paths.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (paths[middle]! < path) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isBelowSparse(path: string): boolean {
    if (this.#sparse.size === 0) return false;
    for (let cut = path.indexOf('/'); cut >= 0; cut = path.indexOf('/', cut + 1)) {
      if (this.#sparse.has(path.slice(0, cut))) return true;
    }
    return false;
  }

  #entryAt(row: number): IndexEntry {
    const { data, idBytes } = this.rows.fileOf(row);
    const at = this.rows.offsets[row]!;
    const number = (field: number): number => data.readUInt32BE(at + field * 4);
    const flags = data.readUInt16BE(at + 40 + idBytes);
    const extended = (flags & EXTENDED) === 0 ? 0 : data.readUInt16BE(at + 42 + idBytes);
    return {
      path: this.rows.paths[row] as TreePath,
      ctime: { seconds: number(0), nanoseconds: number(1) },
      mtime: { seconds: number(2), nanoseconds: number(3) },
      inode: number(5),
      mode: number(6),
      size: number(9),
      id: data.toString('hex', at + 40, at + 40 + idBytes),
      stage: stageAt(data, idBytes, at) as IndexEntry['stage'],
      assumeUnchanged: (flags & ASSUME_UNCHANGED) !== 0,
      skipWorktree: (extended & SKIP_WORKTREE) !== 0,
      intentToAdd: (extended & INTENT_TO_ADD) !== 0,
    };
  }
}
