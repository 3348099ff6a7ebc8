/** The error of a plan whose checks failed. */

import { showText } from '../../content/show-name.ts';
import { SavepointError } from '../../model/errors.ts';
import type { PlanId } from '../../model/ids.ts';
import type { PlanCheckResult } from '../../model/plan.ts';

/** The rest is in the data. */
const SHOWN_FAILURES = 10;

export function checksFailed(plan: PlanId, failed: readonly PlanCheckResult[]): SavepointError {
  const lines = failed.flatMap(({ name, outcome, why, failures, failed: count }) => {
    const how = why === null ? `${count} new` : `${outcome.replaceAll('-', ' ')}: ${why}`;
    const shown = failures.slice(0, SHOWN_FAILURES);
    return [
      `${showText(name)}: ${showText(how)}`,
      ...shown.map((one) => `  ${showText(one)}`),
      ...(count > shown.length ? [`  … ${count - shown.length} more`] : []),
    ];
  });
  const checks = failed.map(({ name, comparison, outcome, why, failures }) => ({
    name,
    comparison,
    outcome,
    why,
    new: [...failures],
  }));
  return new SavepointError(
    'CHECKS_FAILED',
    `${plan} was not applied: its checks fail\n${lines.join('\n')}`,
    { fork: null, plan, checks },
    {
      hint:
        'Nothing was changed. Revise the plan and check it again. A person can apply it all the same: ' +
        `\`savepoint plan apply ${plan} --override "REASON"\`.`,
    },
  );
}
