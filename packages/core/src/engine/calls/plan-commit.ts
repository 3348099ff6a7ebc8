/** The call that commits an applied plan in the user's own repositories. */

import { isFailing } from '../../check/compare.ts';
import { showText } from '../../content/show-name.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { SavepointError } from '../../model/errors.ts';
import type { Plan } from '../../model/plan.ts';
import type { PlanCommitRequest, PlanCommits } from '../../plan/commit-plan.ts';
import { userAttributes } from '../../plan/repository-attributes.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Engine } from '../engine.ts';
import { applicationsOf, findPlan } from '../plans/plan-view.ts';

export interface PlanCommitOptions extends CallOptions {
  /** Default: the intent of the plan, in the style of the repository's recent subjects. */
  readonly message?: string;
  /** Default: the one that git would name, from `places.variables` and the configuration. */
  readonly author?: { readonly name: string; readonly email: string };
}

export interface PlanCommitCalls {
  /**
   * Commits what the plan changed, one commit in each repository: only its files, as they were after it was applied. git
   * runs no hooks and no filters, and signs nothing.
   * @throws SavepointError UNKNOWN_PLAN, USAGE if it is not applied, GIT_REFUSED if a repository cannot get the commit, for
   *   example because one of the files had changes that were not committed
   */
  commitPlan(id: string, options?: PlanCommitOptions): Promise<PlanCommits>;
}

export function planCommitCalls(engine: Engine): PlanCommitCalls {
  return {
    commitPlan: (id, options = {}) =>
      engine.operate(options, async ({ context: { places, ports }, workspace, pace }) => {
        const plan = findPlan(workspace, id);
        const { commitPlan } = await import('../../plan/commit-plan.ts');
        const { message = null, author = null } = options;
        const variables = places.variables?.() ?? {};
        const attributes = userAttributes(places, ports.platform);
        const request = { plan, steps: stepsOf(workspace, plan), message, author, variables, attributes };
        const { commits, notes } = await commitPlan(workspace, request, pace);
        return { commits, notes: [...failureNotes(workspace, plan), ...notes] };
      }),
  };
}

function failureNotes({ timeline, store }: Workspace, plan: Plan): readonly string[] {
  const failed = applicationsOf(timeline, store.objects, plan).flatMap(({ isInEffect, validation }) =>
    isInEffect && validation !== null ? validation.results.filter(isFailing).map(({ name }) => name) : [],
  );
  if (failed.length === 0) return [];
  const names = [...new Set(failed)].map((name) => showText(name)).join(', ');
  return [`after it was applied, these checks found new failures or gave no answer: ${names}`];
}

/** @throws SavepointError USAGE if no application is in effect */
function stepsOf({ timeline, store }: Workspace, plan: Plan): PlanCommitRequest['steps'] {
  const refs = timeline.list();
  const numbers = applicationsOf(timeline, store.objects, plan)
    .filter(({ isInEffect }) => isInEffect)
    .map(({ checkpoint }) => checkpoint)
    .sort((a, b) => a - b);
  if (numbers.length === 0) {
    throw new SavepointError('USAGE', `${plan.id} is not applied, so there is nothing to commit.`, { argument: 'id' });
  }
  return numbers.flatMap((number) => {
    const at = refs.findIndex((ref) => ref.number === number);
    const [before, after] = [refs[at - 1], refs[at]];
    if (before === undefined || after === undefined) return [];
    return [{ before: timeline.read(before), after: timeline.read(after) }];
  });
}
