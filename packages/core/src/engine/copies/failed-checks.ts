/** The error of checks that find new failures, or give no answer. */

import { isAnswer } from '../../check/compare.ts';
import { showText } from '../../content/show-name.ts';
import { SavepointError } from '../../model/errors.ts';
import type { PlanCheckResult } from '../../model/plan.ts';

/** What failed: a fork that was to be merged, or a plan that was to be applied. */
export interface CheckedWork {
  readonly fork: string | null;
  readonly plan: string | null;
}

export type FailedCheck = Omit<PlanCheckResult, 'base'>;

/** The rest is in the data. */
const SHOWN_FAILURES = 10;

/** @param message its first line; those of the failures follow */
export function checksFailed(
  work: CheckedWork,
  failed: readonly FailedCheck[],
  message: string,
  hint?: string,
): SavepointError {
  const checks = failed.map(({ name, comparison, outcome, why, failures }) => ({
    name,
    comparison,
    outcome,
    why,
    new: [...failures],
  }));
  const text = [message, ...failed.flatMap(failureLines)].join('\n');
  return new SavepointError('CHECKS_FAILED', text, { ...work, checks }, hint === undefined ? {} : { hint });
}

/** Safe to show. */
function failureLines({ name, outcome, why, failures, failed }: FailedCheck): readonly string[] {
  const how = why === null && isAnswer(outcome) ? `${failed} new` : `${outcome.replaceAll('-', ' ')}: ${why ?? ''}`;
  const shown = failures.slice(0, SHOWN_FAILURES);
  return [
    `${showText(name)}: ${showText(how)}`,
    ...shown.map((one) => `  ${showText(one)}`),
    ...(failed > shown.length ? [`  … ${failed - shown.length} more`] : []),
  ];
}
