/** The first and the last page of a review: the plan as a whole, and what would be applied. */
import { showText } from '@savepoint/core';
import { changeToJson } from '@savepoint/core/frontend';
import { wrap } from '../browser/view/text.ts';
import { changeLine } from '../show/changes.ts';
import { countText, localTime } from '../show/format.ts';
import { selectedText, statusText } from '../show/plan-text.ts';
import type { Style } from '../view.ts';
import { changeMark } from './change-rows.ts';
import type { Decisions, PlanChange, PlanView } from './decisions.ts';

const MOST_WORDS_ROWS = 20;

export function overviewLines(view: PlanView, decisions: Decisions, columns: number, style: Style): readonly string[] {
  const { plan, base, changes, status, applied } = view;
  const room = Math.max(20, columns - 2);
  const source = plan.sourceName === null ? plan.source : `${plan.source} ${showText(plan.sourceName)}`;
  return [
    ...plan.intent.split('\n').flatMap((line) => wrap(showText(line), room, MOST_WORDS_ROWS).map(style.strong)),
    '',
    `${statusText(status, style)}, revision ${plan.revision}, by ${showText(plan.proposedBy.name)}, ${localTime(isoTime(plan.created))}, on ${base} (from ${source})`,
    ...(applied.length === 0 ? [] : [`applied: ${applied.join(', ')}`]),
    ...plan.words.flatMap(({ by, text, revision }) =>
      wrap(
        `${showText(by.name)} about revision ${revision}: ${showText(text.replace(/\s+/g, ' ').trim())}`,
        room,
        MOST_WORDS_ROWS,
      ),
    ),
    ...checkLines(view, style),
    '',
    selectedText(view),
    ...changes.map((change) => changeRow(change, decisions, style)),
  ];
}

export function summaryLines(
  { changes }: PlanView,
  decisions: Decisions,
  style: Style,
): { readonly lines: readonly string[]; readonly applied: number } {
  const of = (...states: readonly ReturnType<Decisions['stateOf']>[]): readonly PlanChange[] =>
    changes.filter((change) => states.includes(decisions.stateOf(change)));
  const [rejected, some, open] = [of('rejected'), of('some'), of('open')];
  const applied = changes.length - rejected.length;
  return {
    applied,
    lines: [
      applied === 0
        ? 'Nothing would be applied: everything is rejected.'
        : `Applied would be ${countText(applied, 'change')}:`,
      ...changes.filter((one) => !rejected.includes(one)).map((change) => changeRow(change, decisions, style)),
      '',
      ...(some.length === 0 ? [] : [`${some.length} of these without their rejected hunks.`]),
      ...(open.length === 0 ? [] : [`${open.length} of these are not decided. Approving accepts them.`]),
      ...(rejected.length === 0 ? [] : ['', `Left out: ${countText(rejected.length, 'change')}:`]),
      ...rejected.map((change) => changeRow(change, decisions, style)),
    ],
  };
}

/** One line for each failure of the checks of this proposal. */
export function failuresOf({ plan, fingerprint }: PlanView): readonly string[] {
  const { checks } = plan;
  return checks === null || checks.fingerprint !== fingerprint
    ? []
    : checks.results.flatMap(({ failures }) => failures);
}

function checkLines({ plan: { checks }, fingerprint }: PlanView, style: Style): readonly string[] {
  if (checks === null) return [];
  if (checks.fingerprint !== fingerprint) return [style.faint('checks: of another selection or revision')];
  return [
    ...checks.results.map(({ name, outcome, failed }) => {
      const text = `check ${showText(name)}: ${showText(outcome)}${failed === 0 ? '' : `, ${countText(failed, 'new failure')}`}`;
      return failed === 0 ? text : style.bad(text);
    }),
    ...checks.results.flatMap(({ failures }) => failures.map((text) => style.bad(`  ${showText(text)}`))),
  ];
}

function changeRow(change: PlanChange, decisions: Decisions, style: Style): string {
  return `${changeLine(changeToJson(change.change), style)}  ${changeMark(change, decisions, style)}`;
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
