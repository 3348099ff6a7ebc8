/** How checks went on the state of a turn or a checkpoint, as it is kept. */
import { showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';
import { countText } from './format.ts';

export type CheckSummaryJson = OutputOf<(typeof VERBS)['show']>['checks'];

const NAMED = 3;

/** One note at most: `[checks: tsc 2 new failures, eslint crashed]`, or `[4 checks ok]`. */
export function checkNotes(summary: CheckSummaryJson): readonly string[] {
  if (summary === null || summary.checks.length === 0) return [];
  const bad = summary.checks.filter(({ comparison }) => comparison !== 'ok');
  if (bad.length === 0) return [`[${countText(summary.checks.length, 'check')} ok]`];
  const named = bad.slice(0, NAMED).map(checkText);
  const rest = bad.length - named.length;
  return [`[checks: ${named.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}]`];
}

/** `tsc passed`, `tsc 2 new failures`, `tsc failed as before`. */
export function checkText({
  name,
  outcome,
  comparison,
  new: added,
}: NonNullable<CheckSummaryJson>['checks'][number]): string {
  const shown = showText(name);
  if (added > 0) return `${shown} ${countText(added, 'new failure')}`;
  if (outcome === 'failed') return `${shown} ${comparison === 'same' ? 'failed as before' : 'failed'}`;
  return `${shown} ${outcome.replaceAll('-', ' ')}`;
}
