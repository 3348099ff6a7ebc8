/**
 * Determines which checkpoints of a bundle are new to a timeline, and whether both have the same history. A checkpoint
 * is identified by its workspace and number. Commits may differ (other content options, a purge), but numbers are never
 * reused.
 */

import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import { checkpointId } from '../../model/ids.ts';
import { bundleIncomplete } from '../check/refusal.ts';
import type { PrerequisiteCheckpoint } from '../write/header.ts';

export interface JoinResult {
  /** Oldest first. */
  readonly added: readonly Checkpoint[];
  /** Whether the bundle has a checkpoint that is newer than all existing ones. */
  readonly extendsTimeline: boolean;
}

/**
 * @param here the existing timeline, oldest first
 * @param lastNumber the highest number ever used in it
 * @throws SavepointError BUNDLE_DIVERGED, BUNDLE_INCOMPLETE
 */
export function joinTimelines(
  here: readonly Checkpoint[],
  lastNumber: number,
  bundle: readonly Checkpoint[],
  continues: PrerequisiteCheckpoint | null,
): JoinResult {
  const ours = new Map(here.map((one) => [one.number, one]));
  for (const one of bundle) {
    const existing = ours.get(one.number);
    if (existing !== undefined && existing.workspace !== one.workspace) throw bundleDiverged(existing);
  }
  const newest = here.at(-1) ?? null;
  const last = Math.max(lastNumber, newest?.number ?? 0);
  const added = bundle.filter(({ number }) => !ours.has(number));
  for (const one of added) {
    // Between two checkpoints of one workspace, only checkpoints of the same workspace can be inserted.
    const above = here.find(({ number }) => number > one.number);
    if (above !== undefined && above.workspace !== one.workspace) throw bundleDiverged(above);
  }
  const goesOn = added.some(({ number }) => number > last);
  if (added.length === 0 || newest === null) {
    if (newest === null && continues !== null) throw missingPrerequisite(continues, null);
    if (newest === null && last > 0) throw bundleDiverged(null);
    return { added, extendsTimeline: goesOn };
  }
  if (goesOn && !reachesNewest(newest, bundle, continues))
    throw missingPrerequisite(continues ?? previousOf(bundle), newest);
  return { added, extendsTimeline: goesOn };
}

/** Returns whether the bundle contains or directly continues the newest existing checkpoint. */
function reachesNewest(
  newest: Checkpoint,
  bundle: readonly Checkpoint[],
  continues: PrerequisiteCheckpoint | null,
): boolean {
  const isNewest = (number: number, workspace: string): boolean =>
    number === newest.number && workspace === newest.workspace;
  if (bundle.some(({ number, workspace }) => isNewest(number, workspace))) return true;
  if (continues !== null) return isNewest(continues.number, continues.workspace);
  const [first] = bundle;
  return first?.previous === newest.id && first.workspace === newest.workspace;
}

/** Returns the checkpoint before the first one of a bundle; null if the bundle starts at the beginning. */
function previousOf([first]: readonly Checkpoint[]): PrerequisiteCheckpoint | null {
  if (first === undefined || first.previous === null) return null;
  return { number: Number(first.previous.slice(3)), workspace: first.workspace };
}

function missingPrerequisite(continued: PrerequisiteCheckpoint | null, newest: Checkpoint | null): SavepointError {
  if (
    newest !== null &&
    (continued === null || continued.number < newest.number || continued.workspace !== newest.workspace)
  ) {
    return bundleDiverged(newest);
  }
  const needs = continued === null ? 'other checkpoints' : checkpointId(continued.number);
  const here = newest === null ? 'there are no checkpoints here' : `the newest here is ${newest.id}`;
  return bundleIncomplete(`continues ${needs}, but ${here}`, {}, { needs, newest: newest?.id ?? null });
}

function bundleDiverged(first: Checkpoint | null): SavepointError {
  const what = first === null ? 'checkpoints that were dropped' : `${first.id}`;
  return new SavepointError(
    'BUNDLE_DIVERGED',
    `The folder has diverged from the bundle: the bundle does not have ${what}.`,
    { checkpoint: first?.id ?? null },
  );
}
