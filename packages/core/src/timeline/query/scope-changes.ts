/** What others changed in a scope: the last change of each path, unless the path is as it was before. */

import type { Authorship, ChangeKind } from '../../model/checkpoint.ts';
import { type Entry, sameEntry } from '../../model/entries.ts';
import type { CheckpointId, SessionId } from '../../model/ids.ts';
import { isWithin, type TreePath } from '../../model/names.ts';
import { unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { cachedFolderReader } from '../../store/snapshot/snapshot.ts';
import { stateAt } from '../diff/snapshot-diff.ts';
import type { Timeline } from '../record/timeline.ts';
import { unlistedChanges } from './unlisted-changes.ts';

/** A path whose changes count from a checkpoint on. */
export interface WatchedPath {
  /** Includes everything below it. */
  readonly path: TreePath;
  /** Number of the checkpoint after which changes count. */
  readonly after: number;
}

export interface ScopeChange {
  readonly path: TreePath;
  readonly operation: ChangeKind;
  /** Its previous path, if it was renamed. */
  readonly from: TreePath | null;
  readonly checkpoint: CheckpointId;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly by: Authorship;
}

/** The maximum number of checkpoints that are read. Older changes are not reported. */
const MAX_READ = 200;

/**
 * Returns them oldest first. A change that may be by the session and by others counts.
 * @param session whose own changes do not count; null: all count
 */
export function changesInScope(
  timeline: Timeline,
  objects: ObjectReader,
  watched: readonly WatchedPath[],
  session: SessionId | null,
): readonly ScopeChange[] {
  const first = Math.min(...watched.map(({ after }) => after));
  const refs = timeline.list();
  // With the state before them.
  const since = refs.slice(Math.max(0, refs.findIndex(({ number }) => number > first) - 1)).slice(-MAX_READ);
  const { checkpoints } = timeline.readAll(since);
  const now = checkpoints.at(-1);
  if (now === undefined || now.number <= first) return [];
  const found = new Map<TreePath, ScopeChange & { readonly original: Entry | null }>();
  for (const [index, checkpoint] of checkpoints.entries()) {
    const changes = checkpoint.changes ?? unlistedChanges(objects, checkpoints[index - 1], checkpoint, () => undefined);
    for (const { path, from, operation, by, before } of changes) {
      const isWatched = watched.some(
        (one) =>
          checkpoint.number > one.after && (isWithin(path, one.path) || (from !== null && isWithin(from, one.path))),
      );
      if (!isWatched || (session !== null && by.authors.every((author) => author.session === session))) continue;
      const original = found.has(path) ? (found.get(path)?.original ?? null) : from === null ? before : null;
      found.delete(path);
      found.set(path, { path, operation, from, checkpoint: checkpoint.id, time: checkpoint.time, by, original });
    }
  }
  const folders = cachedFolderReader(objects);
  const isBack = ({ path, original }: { readonly path: TreePath; readonly original: Entry | null }): boolean => {
    const state = unlessDamaged(undefined, () => stateAt(folders, now.snapshot, path));
    return state !== null && sameEntry(original, state.entry);
  };
  return [...found.values()].filter((one) => !isBack(one)).map(({ original: _, ...change }) => change);
}
