/** What was applied of a plan, what of that is still in effect, and what is left. */

import type { TreePath } from '../../model/names.ts';
import type { Plan, PlanApplication } from '../../model/plan.ts';
import { isInPart, type PlanPart, pathsOf, phaseOf } from '../../plan/phases.ts';
import { isAnythingAccepted, type PlanChange, type Selection } from '../../plan/selection.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { type CheckpointInEffect, checkpointsInEffect } from '../../timeline/query/in-effect.ts';
import { isAppliedDescription, isMergeWithPlan } from '../../timeline/record/plan-descriptions.ts';
import type { Timeline } from '../../timeline/record/timeline.ts';

/** An application that took place. */
export interface KnownApplication extends PlanApplication {
  /** Whether it was not undone or rolled back since. */
  readonly isInEffect: boolean;
  /** Whether its checkpoint was dropped, or cannot be read: it took place, and no longer can be rolled back. */
  readonly isUnreadable: boolean;
  /** The paths at which it was undone or rolled back since. */
  readonly reverted: readonly TreePath[];
}

/** What would be applied of a plan, and what was. */
export interface PlanProgress extends Selection {
  readonly applications: readonly KnownApplication[];
}

/**
 * An application is recorded before it happens: it did not take place if its checkpoint is another one, or is still to
 * come. One that was dropped counts as in effect, or else the plan could be applied again. What was applied again had been
 * rolled back before, even if the same contents came back. One that changed nothing has nothing to roll back, and goes
 * with the others.
 */
export function applicationsOf(timeline: Timeline, objects: ObjectReader, plan: Plan): readonly KnownApplication[] {
  const numbers = plan.applications.flatMap(({ isEmpty, checkpoint }) => (isEmpty ? [] : [checkpoint]));
  const known = checkpointsInEffect(timeline, objects, numbers);
  const last = timeline.lastNumber();
  const happened = plan.applications.flatMap((one): readonly Happened[] => {
    const asRecorded = { ...one, isInEffect: true, reverted: [], revertedIn: null };
    if (one.isEmpty) return [{ ...asRecorded, isUnreadable: false }];
    const found = known.get(one.checkpoint);
    if (found === undefined) return one.checkpoint > last ? [] : [{ ...asRecorded, isUnreadable: true }];
    if (!isOf(plan, found)) return [];
    return [
      {
        ...one,
        isUnreadable: false,
        isInEffect: !found.isReverted,
        reverted: found.reverted,
        revertedIn: found.revertedIn,
      },
    ];
  });
  const newest = new Map(happened.flatMap((one, index) => (one.paths === null ? [[one.phase, index]] : [])));
  const current = happened.map((one, index) =>
    index < (newest.get(one.phase) ?? 0) ? { ...one, isInEffect: false } : one,
  );
  return current.map(({ revertedIn: _, ...one }, index) =>
    one.isEmpty && one.isInEffect ? { ...one, isInEffect: !isTakenBack(current, index) } : one,
  );
}

/** The oldest first. */
export function inEffect(applications: readonly KnownApplication[]): readonly KnownApplication[] {
  return applications.filter((one) => one.isInEffect);
}

/** What is in effect and changed files that are known, the oldest first. */
export function changesInEffect(applications: readonly KnownApplication[]): readonly KnownApplication[] {
  return inEffect(applications).filter(({ isEmpty, isUnreadable }) => !isEmpty && !isUnreadable);
}

/**
 * What is left to be applied, in order: phases of which something is accepted and not applied. A plan without phases has
 * one part, with phase null.
 */
export function leftOf(
  { phases }: Pick<Plan, 'phases'>,
  { applications, changes }: Pick<PlanProgress, 'applications' | 'changes'>,
): readonly PlanPart[] {
  const accepted = changes.filter(isAnythingAccepted);
  const isWholePlan = inEffect(applications).some(({ phase }) => phase === null);
  if (isWholePlan || phases.length === 0) return partLeft(phases, applications, accepted, null);
  const wanted = new Set(accepted.map(({ change }) => phaseOf(phases, change.path)));
  return phases.flatMap((_, index) => (wanted.has(index) ? partLeft(phases, applications, accepted, index) : []));
}

/** The paths that applications in effect left out, because they did not merge. */
export function pathsLeftOut(parts: readonly PlanPart[]): readonly TreePath[] {
  return parts.flatMap(({ paths }) => paths ?? []);
}

type Happened = KnownApplication & Pick<CheckpointInEffect, 'revertedIn'>;

/**
 * An application that changed nothing goes with an earlier one that was taken back since, or with all others.
 * @param index its place
 */
function isTakenBack(applications: readonly Happened[], index: number): boolean {
  const since = applications[index]?.checkpoint ?? 0;
  const back = applications.flatMap(({ revertedIn }, place) =>
    revertedIn !== null && revertedIn > since ? [place] : [],
  );
  if (back.some((place) => place < index)) return true;
  return back.length > 0 && !applications.some(({ isEmpty, isInEffect }) => !isEmpty && isInEffect);
}

/** @returns nothing if it is applied @param phase null: the whole plan */
function partLeft(
  phases: Plan['phases'],
  applications: readonly KnownApplication[],
  accepted: readonly PlanChange[],
  phase: number | null,
): readonly PlanPart[] {
  const done = inEffect(applications).filter((one) => one.phase === phase);
  const first = done.find(({ paths }) => paths === null);
  if (first === undefined) return [{ phase, paths: null }];
  const left = new Set(first.left);
  for (const { paths, left: again } of done) {
    for (const path of paths ?? []) if (!again.includes(path)) left.delete(path);
  }
  const open = accepted.filter((one) => isInPart(phases, { phase, paths: [...left] }, one));
  return open.length === 0 ? [] : [{ phase, paths: open.flatMap(pathsOf) }];
}

function isOf({ id }: Plan, { checkpoint: { trigger, description } }: CheckpointInEffect): boolean {
  if (trigger === 'merge') return isMergeWithPlan(description, id);
  return trigger === 'apply' && isAppliedDescription(description, id);
}
