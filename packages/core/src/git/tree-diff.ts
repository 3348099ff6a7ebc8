/** Compares two trees of a user's repository, path by path. */

import type { Pace } from '../io/pace.ts';
import { SavepointError } from '../model/errors.ts';
import type { ObjectId } from '../model/ids.ts';
import { childPath, type TreePath, WORKSPACE_ITSELF } from '../model/names.ts';
import type { GitObjects } from './objects.ts';

/** A file, link or submodule, as a tree has it. */
export interface CommittedEntry {
  readonly mode: number;
  readonly id: ObjectId;
}

export interface CommittedChange {
  /** Relative to the repository's folder. */
  readonly path: TreePath;
  readonly before: CommittedEntry | null;
  readonly after: CommittedEntry | null;
}

const FOLDER = 0o40000;
/** A small tree can expand to any number of files. */
const MAX_CHANGES = 200_000;
const MAX_DEPTH = 4096;

/** @param before,after ids of trees @throws SavepointError STORE_DAMAGED, USAGE if too much differs */
export async function treeChanges(
  objects: GitObjects,
  before: string,
  after: string,
  pace: Pace,
): Promise<readonly CommittedChange[]> {
  const found: CommittedChange[] = [];
  const open: Pair[] = [{ path: WORKSPACE_ITSELF, before, after, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.before === next.after) continue;
    if (pace.isDue()) await pace.yieldNow();
    const { path: folder, depth } = next;
    const [old, now] = [entriesOf(objects, next.before), entriesOf(objects, next.after)];
    for (const name of new Set([...old.keys(), ...now.keys()])) {
      const path = childPath(folder, name);
      const [a, b] = [old.get(name) ?? null, now.get(name) ?? null];
      if (a?.mode === b?.mode && a?.id === b?.id) continue;
      const [aTree, bTree] = [treeIn(a), treeIn(b)];
      if (aTree !== null || bTree !== null) open.push({ path, before: aTree, after: bTree, depth: depth + 1 });
      const [aFile, bFile] = [aTree === null ? a : null, bTree === null ? b : null];
      if (aFile !== null || bFile !== null) found.push({ path, before: aFile, after: bFile });
    }
    if (depth > MAX_DEPTH || found.length + open.length > MAX_CHANGES) {
      throw new SavepointError('USAGE', `More than ${MAX_CHANGES} files differ.`, { argument: 'branch' });
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

interface Pair {
  readonly path: TreePath;
  readonly before: string | null;
  readonly after: string | null;
  readonly depth: number;
}

function entriesOf(objects: GitObjects, tree: string | null) {
  return new Map((tree === null ? [] : objects.tree(tree)).map((entry) => [entry.name, entry] as const));
}

function treeIn(entry: CommittedEntry | null): string | null {
  return entry?.mode === FOLDER ? entry.id : null;
}
