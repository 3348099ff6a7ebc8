/** Shows plans as text. */

import { showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';
import type { OutputView, Style } from '../view.ts';
import { changeLine, totalsLine } from './changes.ts';
import { localTime } from './format.ts';

export type PlanBriefJson = Omit<OutputOf<typeof VERBS.planList>['plans'][number], 'expires'>;
export type PlanJson = OutputOf<typeof VERBS.planShow>;
type KeptResult = PlanJson['validations'][number]['results'][number];
type PlanChangeJson = PlanJson['changes'][number];

/** The rest can be read with `--json`. */
const MAX_FAILURES = 5;

export function planLine(plan: PlanBriefJson, { style }: OutputView): string {
  const { id, status, totals, intent, rejected, by, checked, override } = plan;
  return [
    style.id(id),
    statusText(status, style),
    totalsLine(totals),
    ...(rejected === 0 ? [] : [`${rejected} with rejected parts`]),
    ...(checked === null ? [] : [checked === 'failed' ? style.bad('checks failed') : `checks ${checked}`]),
    ...(override === null ? [] : [`overridden: ${showText(override.why.split('\n')[0] ?? '')}`]),
    `by ${showText(by.name)}`,
    showText(intent.split('\n')[0] ?? ''),
  ].join('  ');
}

export function planText(plan: PlanJson, view: OutputView): readonly string[] {
  const { base, created, changes, applied, approval, revision, words } = plan;
  return [
    planLine(plan, view),
    `  proposed ${localTime(created)} on ${base}${revision === 1 ? '' : `, revision ${revision}`}`,
    ...(approval === null ? [] : [`  approved by ${showText(approval.by.name)}, ${localTime(approval.time)}`]),
    ...checksText(plan, view),
    ...plan.phases.map((one) => `  phase ${showText(one.name)}: ${one.applied ?? 'not applied'}`),
    ...(applied.length === 0 ? [] : [`  applied: ${applied.join(', ')}`]),
    ...words.map(
      ({ by, text, revision: of }) =>
        `  ${showText(by.name)} about revision ${of}: ${showText(text.replace(/\s+/g, ' ').trim())}`,
    ),
    ...changes.map((one) => `  ${planChangeLine(one, view.style)}`),
  ];
}

/** The checks before and after it was applied. */
function checksText({ checks, checked, override, validations }: PlanJson, { style }: OutputView): readonly string[] {
  const line = ({ name, comparison, outcome, why, new: count, base }: KeptResult, note: string): string => {
    const found = count > 0 ? `${count} new` : comparison === 'same' ? 'as before' : outcome.replaceAll('-', ' ');
    const text = `    ${showText(name)}: ${found}${why === null ? '' : `: ${showText(why)}`} (on ${base}${note})`;
    return comparison === 'ok' || comparison === 'same' ? text : style.bad(text);
  };
  const failures = ({ failures: shown, new: count }: KeptResult): readonly string[] => [
    ...shown.slice(0, MAX_FAILURES).map((one) => `      new  ${showText(one)}`),
    ...(count > MAX_FAILURES ? [`      … ${count - MAX_FAILURES} more`] : []),
  ];
  const isStale = checked === 'stale';
  return [
    ...(checks === null
      ? []
      : [
          `  checked ${localTime(checks.time)}${isStale ? ', but it has changed since: these results do not count' : ''}`,
          ...checks.results.flatMap((one) => [
            line(one, one.folder_moved ? '; the folder changed since' : ''),
            ...failures(one),
          ]),
        ]),
    ...(override === null
      ? []
      : [`  overridden by ${showText(override.by.name)}, ${localTime(override.time)}: ${showText(override.why)}`]),
    ...validations.flatMap(({ checkpoint, phase, results }) => [
      `  after ${phase === null ? '' : `phase ${showText(phase)}, `}${checkpoint}:`,
      ...results.flatMap((one) => [line(one, ''), ...failures(one)]),
    ]),
  ];
}

function planChangeLine(change: PlanChangeJson, style: Style): string {
  const rejected = change.hunks?.filter(({ accepted }) => accepted === false) ?? [];
  const isRejected = change.hunks === null ? change.accepted === false : rejected.length === change.hunks.length;
  const note =
    isRejected && (change.hunks === null || change.hunks.length > 0)
      ? '  rejected'
      : rejected.length > 0
        ? `  rejected: ${rejected.length === 1 ? 'hunk' : 'hunks'} ${rejected.map(({ number }) => number).join(', ')}`
        : '';
  return `${change.place}  ${changeLine(change, style)}${style.bad(note)}`;
}

function statusText(status: PlanBriefJson['status'], style: Style): string {
  return status === 'approved' || status === 'applied' ? style.good(status) : status;
}
