/** The call that commits an applied plan in the user's own repositories. */

import type { PlanCommits } from '../../plan/commit-plan.ts';
import type { Engine } from '../engine.ts';
import { commitApplied, type PlanCommitOptions } from '../plans/commit.ts';

export interface PlanCommitCalls {
  /**
   * Commits what the plan changed, one commit in each repository: only its files, as they were after it was applied. git
   * runs no filters and signs nothing. With `hooks`, pre-commit, prepare-commit-msg, commit-msg and post-commit run. What
   * they change of the plan's files and of the message is committed; if one fails, nothing is.
   * @throws SavepointError UNKNOWN_PLAN, USAGE if it is not applied, GIT_REFUSED if a repository cannot get the commit, for
   *   example because one of the files had changes that were not committed, NEEDS_CONFIRMATION if an agent asks for hooks
   */
  commitPlan(id: string, options?: PlanCommitOptions): Promise<PlanCommits>;
}

export function planCommitCalls(engine: Engine): PlanCommitCalls {
  return {
    commitPlan: (id, options = {}) => commitApplied(engine, id, options),
  };
}
