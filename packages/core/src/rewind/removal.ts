/**
 * Decides which paths can be removed. A folder can be removed only if everything in it can. Content that was skipped or
 * is kept also keeps the folder.
 */

import type { Entry, Snapshot } from '../model/entries.ts';
import { childPath, parentPath, type TreePath } from '../model/names.ts';
import type { ChangeSetDraft } from '../operation/change-set.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import type { OwnPaths } from '../store/own-paths.ts';
import { folderAt, readFolder } from '../store/snapshot/snapshot.ts';
import { OF_ANOTHER_ROOT } from './roots.ts';

export interface Removal {
  readonly path: TreePath;
  readonly entry: Entry;
  /** What replaces it: null, or an entry of another kind. */
  readonly to: Entry | null;
  readonly ignored: boolean;
  /** If not null, the path must stay for this reason. */
  readonly reasonToKeep: string | null;
}

/** Adds a path that stays, so that the folders around it stay as well. */
export function keepOfAnotherRoot(path: TreePath, entry: Entry, removals: Removal[]): void {
  removals.push({ path, entry, to: null, ignored: false, reasonToKeep: OF_ANOTHER_ROOT });
}

/** @param now the state from which the paths are removed */
export function planRemovals(
  reader: ObjectReader,
  now: Snapshot,
  own: OwnPaths,
  removals: readonly Removal[],
  draft: ChangeSetDraft,
): void {
  const removed = new Map(removals.map((removal) => [removal.path, removal]));
  const keptBecause = new Map<TreePath, string>();
  const keepFolders = (path: TreePath, why: string): void => {
    for (let at = path; at !== ''; at = parentPath(at)) if (!keptBecause.has(at)) keptBecause.set(at, why);
  };
  for (const { path, entry, reasonToKeep: keep } of removals) {
    if (keep !== null) {
      keepFolders(path, keep);
      continue;
    }
    if (entry.kind !== 'folder') continue;
    if (own.hasBackupBelow(path)) keepFolders(path, 'it contains a backup');
    const folder = folderAt(reader, now, path);
    if (folder === null) continue;
    const contents = readFolder(reader, folder);
    for (const name of contents.entries.keys()) {
      const child = childPath(path, name);
      if (!removed.has(child)) keepFolders(path, 'it contains paths that are kept');
    }
    const [skipped] = contents.note.skips;
    if (skipped !== undefined) keepFolders(path, `it contains paths that were not captured (${skipped[1].reason})`);
  }
  for (const { path, entry, to, ignored, reasonToKeep: keep } of removals) {
    const why = keep ?? keptBecause.get(path) ?? null;
    if (why === null) draft.change(path, entry, to, ignored);
    else if (to !== null) draft.conflicts.push({ path, why: `a ${to.kind} belongs there, and ${why}` });
    else draft.kept.push({ path, why });
  }
}
