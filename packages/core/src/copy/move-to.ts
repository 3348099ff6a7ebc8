/** Takes a copy to another state: writes only what differs, also where commands in the copy changed something. */

import type { Pace } from '../io/pace.ts';
import type { Snapshot } from '../model/entries.ts';
import type { TreePath } from '../model/names.ts';
import { OverlayBatch } from '../store/snapshot/overlay.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { differences } from '../timeline/diff/snapshot-diff.ts';
import type { OpenCopy } from './copy.ts';
import { linkTargetInCopy } from './folder/link-targets.ts';
import { materialize } from './folder/materialize.ts';
import { stateOfCopy } from './state-of-copy.ts';

/** What a copy has after it was moved. */
export interface MovedCopy {
  /** Number of paths that were written or removed. */
  readonly written: number;
  /** Paths that were not captured now, or in the target. They stay as they are. */
  readonly unknown: readonly TreePath[];
}

/**
 * Makes the captured paths of a copy equal to a snapshot. Paths that are not captured stay, for example build output.
 * @param base the state that the copy was made with
 * @throws SavepointError STORE_DAMAGED, NO_SPACE, IO, CANCELLED: the copy is then in no known state, and can be moved again
 */
export async function moveCopyTo(
  workspace: Workspace,
  copy: Pick<OpenCopy, 'files' | 'seenAs' | 'touched'>,
  base: Snapshot,
  target: Snapshot,
  pace: Pace,
): Promise<MovedCopy> {
  const objects = new OverlayBatch(workspace.store.objects);
  const { snapshot: now } = await stateOfCopy(workspace, copy, base, objects, pace);
  const unknown: TreePath[] = [];
  for (const { path, before, after } of differences(objects, now, target)) {
    if (before.skip !== null || after.skip !== null) unknown.push(path);
  }
  const { root, ports } = workspace;
  const written = await materialize(
    {
      fs: ports.fs,
      objects,
      files: copy.files,
      before: now,
      after: target,
      linkTarget: (link) => linkTargetInCopy(link, root, copy.seenAs),
    },
    pace,
  );
  return { written: written.length, unknown };
}
