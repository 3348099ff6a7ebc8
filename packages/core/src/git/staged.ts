/** Compares a repository's index with its current commit. */
import { FsError } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import { SavepointError } from '../model/errors.ts';
import { childPath, type DiskPath, parentPath, type TreePath, WORKSPACE_ITSELF } from '../model/names.ts';
import { parseIndexFile } from './index-file.ts';
import type { GitObjects } from './objects.ts';
import { type TrackedPaths, trackedPathsOf } from './tracked.ts';

/** Paths are relative to the repository's folder. Null if the comparison failed; `problem` gives the reason. */
export type StagedPaths =
  | { readonly paths: ReadonlyMap<TreePath, 'added' | 'modified' | 'deleted'>; readonly problem: null }
  | { readonly paths: null; readonly problem: string };

interface CommittedFile {
  readonly mode: number;
  readonly id: string;
}

const ID_BYTES = 20;
const FOLDER = 0o40000;
const SUBMODULE = 0o160000;
/** A small tree can expand to any number of files. */
const MAX_ENTRIES = 5_000_000;
const MAX_DEPTH = 4096;

/** @param commit null if there is none yet: every index entry then counts as added */
export async function stagedPaths(
  objects: () => GitObjects,
  commit: string | null,
  tracked: TrackedPaths,
  pace: Pace,
): Promise<StagedPaths> {
  try {
    const paths = new Map<TreePath, 'added' | 'modified' | 'deleted'>();
    const committed =
      commit === null
        ? { files: new Map<TreePath, CommittedFile>(), same: new Set<TreePath>() }
        : await readCommittedFiles(objects(), commit, tracked, pace);
    if (committed === null) return { paths, problem: null };
    for (const { path, mode, id, stage, intentToAdd } of tracked.entries()) {
      if (stage > 0) committed.files.delete(path);
      if (stage > 0 || intentToAdd || liesIn(committed.same, path)) continue;
      const before = committed.files.get(path);
      committed.files.delete(path);
      if (before === undefined) paths.set(path, 'added');
      else if (before.id !== id || normalizeMode(before.mode) !== normalizeMode(mode)) paths.set(path, 'modified');
    }
    for (const path of committed.files.keys()) paths.set(path, 'deleted');
    return { paths, problem: null };
  } catch (error) {
    if (error instanceof FsError || (error instanceof SavepointError && error.code === 'STORE_DAMAGED')) {
      return { paths: null, problem: error.message };
    }
    throw error;
  }
}

/**
 * Returns the blobs that the index has and the commit does not have at the same path, each with its path.
 * @throws SavepointError STORE_DAMAGED, FsError if the commit cannot be read
 */
export async function stagedBlobs(
  objects: GitObjects,
  commit: string | null,
  tracked: TrackedPaths,
  pace: Pace,
): Promise<ReadonlyMap<string, TreePath>> {
  const found = new Map<string, TreePath>();
  const committed = commit === null ? null : await readCommittedFiles(objects, commit, tracked, pace);
  if (commit !== null && committed === null) return found;
  for (const { path, mode, id } of tracked.entries()) {
    if (mode === SUBMODULE) continue;
    if (committed !== null && (liesIn(committed.same, path) || committed.files.get(path)?.id === id)) continue;
    found.set(id, path);
  }
  return found;
}

/**
 * Like `stagedBlobs`, for the bytes of an index file.
 * @returns null if the file is not a complete index (a split or sparse one)
 * @throws UnusableGitFile, SavepointError STORE_DAMAGED, FsError
 */
export async function stagedBlobsIn(
  bytes: Buffer,
  objects: GitObjects,
  commit: string | null,
  pace: Pace,
): Promise<ReadonlyMap<string, TreePath> | null> {
  const tracked = trackedPathsOf(parseIndexFile('index' as DiskPath, bytes, ID_BYTES));
  if (tracked === null || tracked.sparseFolders.length > 0) return null;
  return stagedBlobs(objects, commit, tracked, pace);
}

interface CommittedFiles {
  readonly files: Map<TreePath, CommittedFile>;
  /** Folders that the index's cache tree records as equal to the commit. */
  readonly same: ReadonlySet<TreePath>;
}

/** Reads the commit's files, except in folders that are equal in the index. Null if everything is equal. */
async function readCommittedFiles(
  objects: GitObjects,
  commit: string,
  { trees, sparseFolders }: TrackedPaths,
  pace: Pace,
): Promise<CommittedFiles | null> {
  const files = new Map<TreePath, CommittedFile>();
  const same = new Set<TreePath>();
  const sparse = new Set(sparseFolders);
  const open: { readonly path: TreePath; readonly id: string; readonly depth: number }[] = [
    { path: WORKSPACE_ITSELF, id: objects.treeOf(commit), depth: 0 },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, id, depth } = next;
    if (trees.get(path) === id) {
      if (path === '') return null;
      same.add(path);
      continue;
    }
    if (sparse.has(path)) throw tooLargeError('a folder outside of the sparse checkout changed');
    if (depth > MAX_DEPTH) throw tooLargeError(`folders are nested more than ${MAX_DEPTH} deep`);
    for (const entry of objects.tree(id)) {
      const at = childPath(path, entry.name);
      if (entry.mode === FOLDER) open.push({ path: at, id: entry.id, depth: depth + 1 });
      else files.set(at, { mode: entry.mode, id: entry.id });
    }
    if (files.size + open.length > MAX_ENTRIES) throw tooLargeError(`more than ${MAX_ENTRIES} files`);
    if (pace.isDue()) await pace.yieldNow();
  }
  return { files, same };
}

function liesIn(folders: ReadonlySet<TreePath>, path: TreePath): boolean {
  if (folders.size === 0) return false;
  for (let at = parentPath(path); at !== ''; at = parentPath(at)) if (folders.has(at)) return true;
  return false;
}

/** Old trees may contain 0664, which git reads as 0644. */
function normalizeMode(mode: number): number {
  return (mode & 0o170000) === 0o100000 ? ((mode & 0o100) === 0 ? 0o100644 : 0o100755) : mode;
}

function tooLargeError(why: string): SavepointError {
  return new SavepointError('STORE_DAMAGED', `The commit cannot be compared: ${why}.`, {});
}
