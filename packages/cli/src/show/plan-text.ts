/** Shows plans as text. */

import { showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';
import type { OutputView, Style } from '../view.ts';
import { changeLine, totalsLine } from './changes.ts';
import { countText, groupDigits, localTime, pathText } from './format.ts';

export type PlanBriefJson = Omit<OutputOf<typeof VERBS.planList>['plans'][number], 'expires'>;
export type PlanJson = OutputOf<typeof VERBS.planShow>;
type KeptResult = PlanJson['validations'][number]['results'][number];
type PlanChangeJson = PlanJson['changes'][number];

/** The rest can be read with `--json`. */
const MAX_FAILURES = 5;

/** As many as an approval needs. */
const SHOWN_DIGITS = 16;

export function planLine(plan: PlanBriefJson, { style }: OutputView): string {
  const { id, status, intent, rejected, by, checked, override } = plan;
  return [
    style.id(id),
    statusText(status, style),
    selectedText(plan),
    ...(rejected === 0 ? [] : [`${rejected} with rejected parts`]),
    ...(checked === null ? [] : [checked === 'failed' ? style.bad('checks failed') : `checks ${checked}`]),
    ...(override === null ? [] : [`overridden: ${showText(override.why.split('\n')[0] ?? '')}`]),
    `by ${showText(by.name)}`,
    showText(intent.split('\n')[0] ?? ''),
  ].join('  ');
}

/** What would be applied, of everything that is proposed. */
export function selectedText({ totals, selected }: Pick<PlanBriefJson, 'totals' | 'selected'>): string {
  if (selected.files === totals.files) return totalsLine(selected);
  const [, ...lines] = totalsLine(selected).split(', ');
  return [`${groupDigits(selected.files)} of ${countText(totals.files, 'path')}`, ...lines].join(', ');
}

export function planText(plan: PlanJson, view: OutputView): readonly string[] {
  const { base, created, changes, applied, approval, revision, words } = plan;
  return [
    planLine(plan, view),
    `  proposed ${localTime(created)} on ${base}${revision === 1 ? '' : `, revision ${revision}`}`,
    ...(plan.status === 'pending' ? [`  fingerprint ${plan.fingerprint.slice(0, SHOWN_DIGITS)}`] : []),
    ...(approval === null
      ? []
      : [
          `  approved by ${approval.by_policy ? 'the policy of ' : ''}${showText(approval.by.name)}, ${localTime(approval.time)}`,
        ]),
    ...checksText(plan, view),
    ...plan.phases.map((one) => `  phase ${showText(one.name)}: ${one.applied ?? 'not applied'}`),
    ...(applied.length === 0 ? [] : [`  applied: ${applied.join(', ')}`]),
    ...words.map(
      ({ by, text, revision: of }) =>
        `  ${showText(by.name)} about revision ${of}: ${showText(text.replace(/\s+/g, ' ').trim())}`,
    ),
    ...changes.flatMap((one) => [`  ${planChangeLine(one, view.style)}`, ...hunkLines(one, view.style)]),
  ];
}

export function statusText(status: PlanBriefJson['status'], style: Style): string {
  return status === 'approved' || status === 'applied' ? style.good(status) : status;
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

/** The names that `plan review --accept` and `--reject` take. */
function hunkLines({ path, hunks }: PlanChangeJson, style: Style): readonly string[] {
  return (hunks ?? []).map(({ number, before, after, accepted }) => {
    const decided = accepted === null ? '' : accepted ? '  accepted' : style.bad('  rejected');
    return `     ${pathText(path)}:${number}  @@ -${rangeText(before)} +${rangeText(after)} @@${decided}`;
  });
}

function rangeText({ start, count }: { readonly start: number; readonly count: number }): string {
  // As in patches: lines count from 1, and an empty range names the line before it.
  const first = count === 0 ? start : start + 1;
  return count === 1 ? String(first) : `${first},${count}`;
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
