/** What the checks of a plan say about exactly what would be applied. */

import { isFailing } from '../check/compare.ts';
import { showName } from '../content/show-name.ts';
import type { Plan, PlanAnalysis, PlanCheckResult, PlanChecks, PlanInfo, PlanOverride } from '../model/plan.ts';

/**
 * Checks and findings count only for what they were made of. Findings that are proven count like a failed check.
 * @returns the checks that found new failures, or gave no answer
 */
export function failedChecks(
  { checks, analysis }: Pick<PlanInfo, 'checks' | 'analysis'>,
  fingerprint: string,
): readonly PlanCheckResult[] {
  const failed = checks?.fingerprint === fingerprint ? checks.results.filter(isFailing) : [];
  const isBroken = analysis?.fingerprint === fingerprint && analysis.breaks > 0;
  return isBroken ? [resultOf(analysis), ...failed] : failed;
}

/** Of exactly this, and of the results as they are now. */
export function overrideOf(
  { override, checks, analysis }: Pick<PlanInfo, 'override' | 'checks' | 'analysis'>,
  fingerprint: string,
): PlanOverride | null {
  const last = Math.max(checks?.time ?? 0, analysis?.time ?? 0);
  return override?.fingerprint === fingerprint && override.time >= last ? override : null;
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

function resultOf({ base, breaks, findings }: PlanAnalysis): PlanCheckResult {
  const failures = findings
    .filter((one) => one.class === 'breaks')
    .map(({ path, line, message }) => `${showName(path)}${line === null ? '' : `:${line}`}: ${message}`);
  return { name: 'findings', comparison: 'worse', outcome: 'failed', why: null, base, failures, failed: breaks };
}
