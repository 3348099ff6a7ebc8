/** Lists what was changed in a copy, and writes it as a patch. */

import { COMPLETE_PATCH, type Patch, PatchWriter } from '../content/unified-patch.ts';
import type { Pace } from '../io/pace.ts';
import type { Change, ChangeTotals, Checkpoint } from '../model/checkpoint.ts';
import type { TreePath } from '../model/names.ts';
import { OverlayBatch } from '../store/snapshot/overlay.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { listChanges } from '../timeline/diff/changes.ts';
import { addToPatch, patchOf } from '../timeline/diff/compare.ts';
import { type ChecksInCopy, readChecks } from './checks-in-copy.ts';
import { type CopyCommit, commitsOfCopy } from './commits-of-copy.ts';
import type { OpenCopy } from './copy.ts';
import { notApplied } from './not-applied.ts';
import { stateOfCopy } from './state-of-copy.ts';

export interface CopyDifference {
  readonly changes: readonly Change[];
  readonly totals: ChangeTotals;
  /** The changes of `changes` that cannot be applied and are in no patch, because a content was not captured. */
  readonly uncaptured: readonly Change[];
  /** Those that git's patches cannot have: empty folders, and permissions other than the executable bit. */
  readonly unknownToGit: readonly Change[];
  /** Null unless requested. */
  readonly patch: Patch | null;
  /** Ignored paths and dependencies that were changed in the copy, as far as it is known. They are in no checkpoint. */
  readonly notApplied: readonly TreePath[];
  /** Commits that were made in the copy. They cannot be applied. */
  readonly commits: readonly CopyCommit[];
  /** Checks that were run in the copy, as its programs say, and whether its files have changed since. Null: none. */
  readonly checks: (Pick<ChecksInCopy, 'checks'> & { readonly isCurrent: boolean }) | null;
  /** What could not be read, for display. */
  readonly problems: readonly string[];
}

export interface CopyDiffRequest {
  readonly copy: OpenCopy;
  readonly base: Checkpoint;
  /** Only these paths and everything below them. Empty: everything. */
  readonly paths: readonly TreePath[];
  readonly patch: boolean;
}

/** Compares a copy with its base. Writes nothing. */
export async function diffCopy(workspace: Workspace, request: CopyDiffRequest, pace: Pace): Promise<CopyDifference> {
  const { objects, ...difference } = await compareCopy(workspace, request, pace);
  return { ...difference, patch: request.patch ? await patchOf(objects, difference.changes, pace) : null };
}

/**
 * Writes the changes as a patch that git applies, with all contents, piece by piece. Empty folders and permissions that
 * git does not know are only named in it.
 */
export async function writeCopyPatch(
  workspace: Workspace,
  request: CopyDiffRequest,
  write: (bytes: Uint8Array) => void,
  pace: Pace,
): Promise<CopyDifference> {
  const { objects, ...difference } = await compareCopy(workspace, request, pace);
  const writer = new PatchWriter(COMPLETE_PATCH);
  for (const change of difference.changes) {
    if (pace.isDue()) await pace.yieldNow();
    addToPatch(writer, objects, change);
    write(writer.take());
  }
  return { ...difference, patch: null };
}

async function compareCopy(workspace: Workspace, { copy, base, paths }: CopyDiffRequest, pace: Pace) {
  const objects = new OverlayBatch(workspace.store.objects);
  const { snapshot, found, repositories, problems } = await stateOfCopy(workspace, copy, base.snapshot, objects, pace);
  const within = paths.length === 0 ? {} : { within: paths };
  const listed = await listChanges(objects, base.snapshot, found, pace, within);
  const touched = copy.touched();
  const changes =
    touched === null
      ? listed.changes
      : listed.changes.filter(({ path, from }) => touched.overlaps(path) || (from !== null && touched.overlaps(from)));
  const uncaptured = changes.filter((one) => one.uncapturedBefore !== undefined || one.uncapturedAfter !== undefined);
  const sum = (count: (change: Change) => number | null): number =>
    changes.reduce((total, change) => total + (count(change) ?? 0), 0);
  const totals = { files: changes.length, added: sum(({ added }) => added), removed: sum(({ removed }) => removed) };
  const before = base.roots.filter(({ kind }) => kind === 'repository');
  const made = commitsOfCopy(
    workspace.ports,
    workspace.root,
    copy,
    [...before.map(({ path }) => path), ...repositories],
    new Set(before.map(({ commit }) => commit)),
  );
  const checked = readChecks(workspace.ports, copy.record.place);
  const checks = checked === null ? null : { checks: checked.checks, isCurrent: checked.files === snapshot.files };
  return {
    objects,
    checks,
    changes,
    totals,
    uncaptured,
    notApplied: notApplied(
      { fs: workspace.ports.fs, objects, root: workspace.root },
      copy,
      [base.snapshot, found],
      changes,
    ),
    unknownToGit: changes.filter(isUnknownToGit),
    commits: made.commits,
    problems: [...problems, ...made.problems],
  };
}

function isUnknownToGit({ before, after }: Change): boolean {
  if (before?.kind === 'folder' || after?.kind === 'folder') return true;
  if (before?.kind !== 'file' || after?.kind !== 'file') return false;
  return before.mode !== after.mode && (before.mode ^ after.mode) !== 0o111;
}
