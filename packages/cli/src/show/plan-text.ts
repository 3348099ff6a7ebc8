/** Shows plans as text. */

import { showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';
import type { OutputView, Style } from '../view.ts';
import { changeLine, totalsLine } from './changes.ts';
import { localTime } from './format.ts';

export type PlanBriefJson = OutputOf<typeof VERBS.planList>['plans'][number];
export type PlanJson = OutputOf<typeof VERBS.planShow>;
type PlanChangeJson = PlanJson['changes'][number];

export function planLine(plan: PlanBriefJson, { style }: OutputView): string {
  const { id, status, totals, intent, rejected, by } = plan;
  return [
    style.id(id),
    statusText(status, style),
    totalsLine(totals),
    ...(rejected === 0 ? [] : [`${rejected} with rejected parts`]),
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
    ...(applied.length === 0 ? [] : [`  applied: ${applied.join(', ')}`]),
    ...words.map(
      ({ by, text, revision: of }) =>
        `  ${showText(by.name)} about revision ${of}: ${showText(text.replace(/\s+/g, ' ').trim())}`,
    ),
    ...changes.map((one) => `  ${planChangeLine(one, view.style)}`),
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
