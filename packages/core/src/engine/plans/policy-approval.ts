/** Whether an agent may apply a plan that no person approved, because a policy of the user allows it. */

import { isFailing } from '../../check/compare.ts';
import { showText } from '../../content/show-name.ts';
import { someOf } from '../../content/some-of.ts';
import { type Snapshot, sameSnapshot } from '../../model/entries.ts';
import { checkpointId } from '../../model/ids.ts';
import type { Plan, PlanApproval } from '../../model/plan.ts';
import { isAnythingAccepted } from '../../plan/selection.ts';
import { readComments } from '../../store/state/comments.ts';
import { readPlanPolicy } from '../../store/state/plan-policy.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Timeline } from '../../timeline/record/timeline.ts';
import { type Engine, USER } from '../engine.ts';
import type { PlanProgress } from './applications.ts';
import { toBeAsked } from './asked-again.ts';

export type PolicyAnswer =
  | {
      readonly approval: PlanApproval;
      /** The folder that the checks ran on. They say nothing about another one. */
      readonly checkedOn: Snapshot;
    }
  /** Why the policy does not allow it: a clause. */
  | { readonly refused: string };

/**
 * Only for agents that call tools of Savepoint: a person approves instead, and an agent's shell can do neither.
 * @returns null if there is no such policy, or it does not concern the caller. @throws SavepointError STORE_DAMAGED
 */
export function policyAnswer(
  { actor, ports }: Engine,
  workspace: Workspace,
  plan: Plan,
  { applications, changes, fingerprint }: PlanProgress,
): PolicyAnswer | null {
  if (actor.kind !== 'agent') return null;
  const { store, timeline } = workspace;
  const policy = readPlanPolicy(ports, store.layout);
  if (policy === null) return null;
  if (applications.some(({ isInEffect }) => !isInEffect)) return { refused: 'it was rolled back before' };
  if (plan.words.some(({ by, revision }) => by.kind === 'user' && revision === plan.revision)) {
    return { refused: 'the user asked for changes of it' };
  }
  if (
    readComments(ports.fs, store.layout).some(
      ({ anchor, resolved }) => anchor.plan?.id === plan.id && resolved === null,
    )
  ) {
    return { refused: 'the user commented on it' };
  }
  const before = toBeAsked(workspace, plan, changes);
  if (before !== null) return { refused: before };
  const files = changes.filter(isAnythingAccepted).length;
  if (files > policy.maxFiles) return { refused: `it changes ${files} paths, and at most ${policy.maxFiles} may be` };
  const results = plan.checks?.fingerprint === fingerprint ? plan.checks.results : [];
  const missing = policy.checks.filter((name) => results.every((one) => one.name !== name));
  if (policy.checks.length === 0 || missing.length > 0) return { refused: `not checked by ${named(missing)}` };
  const failing = results.filter(isFailing).map(({ name }) => name);
  if (failing.length > 0) return { refused: `new failures, or no answer, of ${named(failing)}` };
  const [base = 0, ...others] = new Set(results.map((one) => one.base));
  const checked = timeline.reader().find(checkpointId(base))?.snapshot;
  if (others.length > 0 || checked === undefined) return { refused: 'its checks ran on different folders' };
  const checkedOn = afterPhases(timeline, checked, base, applications);
  if (checkedOn === null) return { refused: 'the folder changed since its checks ran' };
  const time = ports.clock.now();
  return { approval: { by: USER, time, fingerprint, isByPolicy: true }, checkedOn };
}

const MAX_NAMED = 5;

/** The folder that the checks ran on, with the phases that were applied to exactly that. Null: it was not exactly that. */
function afterPhases(
  timeline: Timeline,
  checked: Snapshot,
  base: number,
  applications: PlanProgress['applications'],
): Snapshot | null {
  const { find } = timeline.reader();
  let folder = checked;
  for (const { checkpoint, isEmpty } of applications.toSorted((a, b) => a.checkpoint - b.checkpoint)) {
    if (isEmpty || checkpoint <= base) continue;
    const [before] = timeline.upTo(checkpoint - 1);
    const after = find(checkpointId(checkpoint))?.snapshot;
    if (before === undefined || after === undefined || !sameSnapshot(before.snapshot, folder)) return null;
    folder = after;
  }
  return folder;
}

function named(names: readonly string[]): string {
  return someOf(
    names.map((name) => showText(name)),
    MAX_NAMED,
  );
}
