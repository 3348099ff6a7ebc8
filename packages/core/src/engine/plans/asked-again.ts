/** Tells whether a person has to be asked about a plan, because of what became of earlier plans of the same paths. */

import { showName } from '../../content/show-name.ts';
import type { TreePath } from '../../model/names.ts';
import type { Plan } from '../../model/plan.ts';
import { isAnythingAccepted, type PlanChange } from '../../plan/selection.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { differences } from '../../timeline/diff/snapshot-diff.ts';
import { applicationsOf, inEffect, type KnownApplication } from './applications.ts';
import { allPlans } from './stored-plans.ts';

/**
 * A person who rejected, cancelled, commented on or rolled back a plan is asked about later ones that change its paths. What a
 * person approved since, and is applied, ends that.
 * @param changes of the plan
 * @returns why, as a clause; null if it does not follow from other plans
 */
export function toBeAsked(workspace: Workspace, plan: Plan, changes: readonly PlanChange[]): string | null {
  const { timeline, store } = workspace;
  const open = new Set<TreePath>();
  for (const { change } of changes.filter(isAnythingAccepted)) {
    open.add(change.path);
    if (change.from !== null) open.add(change.from);
  }
  const { plans, damaged } = allPlans(workspace);
  const [unknown] = damaged;
  if (unknown !== undefined) return `${unknown.id} cannot be read, so what was decided about it is unknown`;
  for (const other of plans.toReversed()) {
    if (other.id === plan.id) continue;
    const applications = applicationsOf(timeline, store.objects, other);
    const reasonAt = reasons(other, applications);
    const isSettled = inEffect(applications).some(({ approval }) => !approval.isByPolicy);
    if (reasonAt === null && !isSettled) continue;
    for (const { path } of differences(store.objects, other.before, other.proposed)) {
      const why = open.has(path) ? (reasonAt?.(path) ?? null) : null;
      if (why !== null) return `${showName(path)} is in ${other.id}, too, which ${why}`;
      if (isSettled) open.delete(path);
    }
  }
  return null;
}

/** @returns why a person has to be asked about a path of the plan; null: about none */
function reasons(
  { cancelled, decisions, words }: Plan,
  applications: readonly KnownApplication[],
): ((path: TreePath) => string | null) | null {
  const rejected = new Set(
    decisions.flatMap(({ by, accepted, path }) => (by.kind === 'user' && !accepted ? [path] : [])),
  );
  const done = inEffect(applications);
  const back = new Set(done.flatMap(({ reverted }) => reverted));
  const isAnyApplied = done.length > 0;
  let why: string | null = null;
  if (applications.length > 0 && !isAnyApplied) why = 'was rolled back';
  else if (!isAnyApplied && cancelled?.by.kind === 'user') why = 'the user cancelled';
  else if (!isAnyApplied && words.some(({ by }) => by.kind === 'user')) why = 'the user asked for changes of';
  if (why === null && rejected.size === 0 && back.size === 0) return null;
  return (path) =>
    why ?? (rejected.has(path) ? 'the user rejected there' : back.has(path) ? 'was rolled back there' : null);
}
