/** Scans a copy into a snapshot. */

import type { Pace } from '../io/pace.ts';
import { repositoriesOf } from '../model/checkpoint.ts';
import type { Snapshot } from '../model/entries.ts';
import { type TreePath, WORKSPACE_ITSELF } from '../model/names.ts';
import { PathSet } from '../model/path-set.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import { OwnPaths } from '../store/own-paths.ts';
import { editSnapshot, type SnapshotEdit } from '../store/snapshot/edit-snapshot.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { differences } from '../timeline/diff/snapshot-diff.ts';
import { LastSnapshot } from '../workspace/scan/last-snapshot.ts';
import { scan } from '../workspace/scan/scan.ts';
import { StatCache } from '../workspace/scan/stat-cache.ts';
import type { OpenCopy } from './copy.ts';
import { asInWorkspace } from './folder/as-in-workspace.ts';

export interface CopyState {
  readonly snapshot: Snapshot;
  /** What the scan found, including paths that were not captured, and paths that the copy cannot have changed. */
  readonly found: Snapshot;
  /** The folders with a repository. */
  readonly repositories: readonly TreePath[];
  /** What could not be captured, for display. */
  readonly problems: readonly string[];
}

/**
 * Returns what the copy contains, with the rules of the workspace. Paths that the copy cannot have changed are as in its
 * base, also if the workspace has changed there since.
 * @param base the state that the copy started from
 * @param batch receives the contents
 */
export async function stateOfCopy(
  workspace: Workspace,
  copy: Pick<OpenCopy, 'files' | 'seenAs' | 'touched'> & Partial<Pick<OpenCopy, 'access' | 'record'>>,
  base: Snapshot,
  batch: ObjectBatch,
  pace: Pace,
): Promise<CopyState> {
  if ((copy.access ?? null) !== null) return { snapshot: base, found: base, repositories: [], problems: [] };
  const { timeline } = workspace;
  // Not the memory of the workspace: its changes are watched, and those of the copy are not.
  const cache = new StatCache(workspace.ports, workspace.store.layout);
  const found = await scan({
    ports: workspace.ports,
    root: copy.files,
    batch,
    recalled: cache.recall({ isCheckpoint: (commit) => timeline.canRead(commit) }),
    rules: workspace.rules,
    globalIgnore: workspace.globalIgnore,
    requiredPaths: PathSet.EMPTY,
    own: OwnPaths.NONE,
    lastSnapshot: new LastSnapshot(batch, base),
    rootsBefore: [],
    pace,
    adoption: null,
    recordsVisited: false,
  });
  const touched = copy.touched();
  const { root } = workspace;
  const meant =
    copy.seenAs === root
      ? found.snapshot
      : await asInWorkspace(
          batch,
          base,
          found.snapshot,
          { root, rootThen: copy.record?.root ?? root, files: copy.files },
          pace,
        );
  const snapshot = touched === null ? meant : onlyTouched(batch, base, meant, touched);
  const repositories = repositoriesOf(found.roots);
  return { snapshot, found: meant, repositories, problems: found.problems };
}

function onlyTouched(batch: ObjectBatch, base: Snapshot, found: Snapshot, touched: PathSet): Snapshot {
  const edits: SnapshotEdit[] = [];
  for (const { path, before, after } of differences(batch, base, found)) {
    // The folder itself is always the copy's own.
    if (path !== WORKSPACE_ITSELF && !touched.overlaps(path)) continue;
    if (before.skip !== null || after.skip !== null) continue;
    edits.push({ path, to: after.entry, ignored: after.ignored });
  }
  return editSnapshot(batch, base, edits);
}
