/** Brings what changed in a workspace into a copy of it, so that the copy goes on from the workspace as it is now. */

import type { Pace } from '../io/pace.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { type Snapshot, sameEntry } from '../model/entries.ts';
import type { TreePath } from '../model/names.ts';
import { PresentEntries } from '../operation/own-entries.ts';
import { NO_CHOICES } from '../rewind/conflict-choices.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { ownPaths } from '../store/own-paths.ts';
import { ContentCache } from '../store/snapshot/content-cache.ts';
import { editSnapshot } from '../store/snapshot/edit-snapshot.ts';
import { OverlayBatch } from '../store/snapshot/overlay.ts';
import { cachedFolderReader } from '../store/snapshot/snapshot.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { differingPaths, stateAt } from '../timeline/diff/snapshot-diff.ts';
import { applyPlan } from './apply-copy.ts';
import type { OpenCopy } from './copy.ts';
import { linkTargetInCopy } from './folder/link-targets.ts';
import { materialize } from './folder/materialize.ts';
import { stateOfCopy } from './state-of-copy.ts';

export interface RebaseRequest {
  readonly copy: OpenCopy;
  /** The state that the copy's changes are relative to: its base, or what was applied of it just now. */
  readonly base: Snapshot;
  /** The workspace as it is: the checkpoint that was just taken. */
  readonly now: Checkpoint;
  /** Whether what was changed in the copy is given up. */
  readonly discard: boolean;
}

/**
 * - `moved`: the copy's changes are relative to `now` from here on
 * - `conflict`: the copy and the workspace changed these in ways that do not merge
 * - `busy`: a program in the copy just wrote these
 *
 * Unless `moved`, nothing in the copy was changed.
 */
export interface Rebased {
  readonly outcome: 'moved' | 'conflict' | 'busy';
  /** `moved`: what was changed in the copy. */
  readonly paths: readonly TreePath[];
}

/** @throws FsError of the copy, SavepointError CANCELLED, STORE_DAMAGED: the copy may then be between both states */
export async function rebaseCopy(workspace: Workspace, request: RebaseRequest, pace: Pace): Promise<Rebased> {
  const { copy, base, now } = request;
  const { ports, root, store } = workspace;
  const batch = new OverlayBatch(store.objects);
  const { snapshot: before } = await stateOfCopy(workspace, copy, base, batch, pace);
  const wanted = request.discard
    ? { after: now.snapshot, objects: batch }
    : await mergedState(workspace, { base, now, proposed: before, batch }, pace);
  if ('conflicts' in wanted) return { outcome: 'conflict', paths: wanted.conflicts };
  // What a program writes while it is replaced would be lost.
  const replaced = differingPaths(batch, before, wanted.after);
  const again = replaced.length === 0 ? null : await stateOfCopy(workspace, copy, base, batch, pace);
  const busy = again === null ? [] : replaced.filter(differsIn(batch, before, again.snapshot));
  if (busy.length > 0) return { outcome: 'busy', paths: busy };
  const linkTarget = (target: string): string =>
    copy.seenAs === root ? target : linkTargetInCopy(target, root, copy.files);
  const states = { fs: ports.fs, objects: wanted.objects, files: copy.files, before, after: wanted.after };
  return { outcome: 'moved', paths: await materialize({ ...states, linkTarget }, pace) };
}

interface States {
  readonly base: Snapshot;
  readonly now: Checkpoint;
  readonly proposed: Snapshot;
  readonly batch: OverlayBatch;
}

/** @returns the workspace with what was changed in the copy, or what does not merge */
async function mergedState(
  workspace: Workspace,
  { base, now, proposed, batch }: States,
  pace: Pace,
): Promise<{ readonly after: Snapshot; readonly objects: ObjectReader } | { readonly conflicts: readonly TreePath[] }> {
  const own = ownPaths(workspace.ports, workspace.store.layout);
  const found = { snapshot: now.snapshot, roots: now.roots, own, objects: batch, last: now, onDamage: () => undefined };
  const entries = await PresentEntries.in(workspace, found, pace);
  const states = { base, proposed, paths: [], choices: NO_CHOICES };
  const { plan } = await applyPlan(workspace, states, { ...found, entries }, pace);
  const conflicts = [
    ...[...plan.conflicts, ...plan.refused].map(({ path }) => path),
    ...plan.toCapture,
    ...plan.kept.map(({ path }) => path).filter(differsIn(batch, proposed, now.snapshot)),
  ];
  if (conflicts.length > 0) return { conflicts };
  for (const content of plan.contents.values()) batch.add('blob', content);
  const after = editSnapshot(batch, now.snapshot, plan.paths);
  return { after, objects: new ContentCache(plan.contents).wrap(batch) };
}

function differsIn(batch: OverlayBatch, one: Snapshot, other: Snapshot): (path: TreePath) => boolean {
  const read = cachedFolderReader(batch);
  return (path) => !sameEntry(stateAt(read, one, path).entry, stateAt(read, other, path).entry);
}
