/** What the checks of a plan say about exactly what would be applied. */

import { isFailing } from '../check/compare.ts';
import type { Plan, PlanCheckResult, PlanChecks, PlanInfo, PlanOverride } from '../model/plan.ts';

/** Checks count only for what they ran on. @returns those that found new failures, or gave no answer */
export function failedChecks(checks: PlanChecks | null, fingerprint: string): readonly PlanCheckResult[] {
  return checks?.fingerprint === fingerprint ? checks.results.filter(isFailing) : [];
}

/** Of exactly this, and of the results as they are now. */
export function overrideOf(
  { override, checks }: Pick<PlanInfo, 'override' | 'checks'>,
  fingerprint: string,
): PlanOverride | null {
  return override?.fingerprint === fingerprint && override.time >= (checks?.time ?? 0) ? override : null;
}

/** Results of other checks of the same proposal stay. */
export function withResults(plan: Plan, made: PlanChecks): Plan {
  const { checks } = plan;
  const names = new Set(made.results.map(({ name }) => name));
  const kept = checks?.fingerprint === made.fingerprint ? checks.results.filter(({ name }) => !names.has(name)) : [];
  return {
    ...plan,
    checks: { ...made, results: [...kept, ...made.results] },
    failedRuns: plan.failedRuns + (hasNewFailures(made) ? 1 : 0),
  };
}

export function hasNewFailures({ results }: PlanChecks): boolean {
  return results.some(({ comparison }) => comparison === 'worse');
}
