/** The difference between the contents of two forks, or of a fork and the workspace. */

import type { Fork } from '../../fork/fork.ts';
import { baseOf } from '../../fork/fork-base.ts';
import { proposedBy, withIgnoredOf } from '../../fork/merge-fork.ts';
import { lookAtFork } from '../../fork/open-fork.ts';
import { givenPaths } from '../../io/given-path.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Snapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import type { JsonName, TreePath } from '../../model/names.ts';
import { OverlayBatch } from '../../store/snapshot/overlay.ts';
import { scanWorkspace } from '../../timeline/capture/capture.ts';
import { compare, type SnapshotComparison } from '../../timeline/diff/compare.ts';
import type { MergeContext } from './merge-fork.ts';

export interface DiffForksOptions extends CallOptions {
  /** Only these paths and everything below them. Default: everything, without ignored files. */
  readonly paths?: readonly JsonName[];
  /** Also returns a patch. Default false. */
  readonly patch?: boolean;
}

/** @param second null: the folder of the workspace as it is */
export async function diffForks(
  merging: MergeContext,
  first: Fork,
  second: Fork | null,
  { paths = [], patch = false }: DiffForksOptions,
): Promise<SnapshotComparison> {
  if (second?.copy.id === first.copy.id) {
    const message = `Fork ${first.name} cannot be compared with itself.`;
    throw new SavepointError('USAGE', message, { argument: 'other' });
  }
  const { workspace, pace } = merging;
  const objects = new OverlayBatch(workspace.store.objects);
  const wanted = givenPaths(workspace, paths);
  const before = await filesOf(merging, first, objects, wanted);
  const found =
    second === null
      ? (await scanWorkspace(workspace, pace, { missing: 'failure', into: objects })).scan.snapshot
      : await filesOf(merging, second, objects, wanted);
  const after = withIgnoredOf(objects, before, found, wanted);
  return compare(objects, { before, after, paths: wanted, patch, uncaptured: false }, pace);
}

function filesOf(
  { workspace, pace }: MergeContext,
  fork: Fork,
  objects: OverlayBatch,
  paths: readonly TreePath[],
): Promise<Snapshot> {
  const { snapshot: base } = baseOf(workspace, fork);
  return lookAtFork(workspace, fork, (copy) => proposedBy(workspace, { copy, base, paths }, objects, pace));
}
