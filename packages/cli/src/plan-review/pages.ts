/** The first and the last page of a review: the plan as a whole, and what would be applied. */
import { showName, showText } from '@savepoint/core';
import { changeToJson, isFailing } from '@savepoint/core/frontend';
import { wrap } from '../browser/view/text.ts';
import { changeLine } from '../show/changes.ts';
import { countText, localTime } from '../show/format.ts';
import { ignoredText, selectedText, statusText } from '../show/plan-text.ts';
import type { Style } from '../view.ts';
import { changeMark, type Failure } from './change-rows.ts';
import type { Decisions, PlanChange, PlanView } from './decisions.ts';

const MOST_WORDS_ROWS = 20;

export function overviewLines(view: PlanView, decisions: Decisions, columns: number, style: Style): readonly string[] {
  const { plan, base, changes, status, applied, ignored } = view;
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
    ...ignoredText((ignored ?? []).map(showName)),
  ];
}

export interface Summary {
  readonly lines: readonly string[];
  /** The number of changes of which something would be applied. */
  readonly applied: number;
  /** Whether something is not decided, although something is. */
  readonly isPartlyOpen: boolean;
  /** Whether its checks ran on something else. */
  readonly isStale: boolean;
}

export function summaryOf(view: PlanView, decisions: Decisions, columns: number, style: Style): Summary {
  const { changes, checks } = view;
  const of = (...states: readonly ReturnType<Decisions['stateOf']>[]): readonly PlanChange[] =>
    changes.filter((change) => states.includes(decisions.stateOf(change)));
  const [rejected, some, open] = [of('rejected'), of('some'), of('open')];
  const applied = changes.length - rejected.length;
  const checked = checks === null ? [] : wrap(checkSummary(checks), Math.max(20, columns - 2), MOST_WORDS_ROWS);
  const paint = checks?.isCurrent === true && !checks.isFailed ? style.good : style.bad;
  return {
    applied,
    isPartlyOpen: open.length > 0 && open.length < changes.length,
    isStale: checks?.isCurrent === false,
    lines: [
      applied === 0
        ? 'Nothing would be applied, because everything is rejected.'
        : style.strong(`To be applied: ${selectedText(view)}`),
      ...(some.length === 0 ? [] : [`${countText(some.length, 'change')} in part: rejected hunks are left out.`]),
      ...(open.length === 0
        ? []
        : [`${countText(open.length, 'change')} not decided: approving accepts what is open.`]),
      ...checked.map((line) => paint(line)),
      '',
      ...(rejected.length === 0 ? [] : [`Left out: ${countText(rejected.length, 'change')}`]),
      ...rejected.map((change) => changeRow(change, decisions, style)),
      ...ignoredText((view.ignored ?? []).map(showName)),
      ...(rejected.length === 0 || applied === 0 ? [] : ['', `Applied: ${countText(applied, 'change')}`]),
      ...changes
        .filter((one) => !rejected.includes(one))
        .map((change) => `${changeRow(change, decisions, style)}${some.includes(change) ? '  as proposed' : ''}`),
    ],
  };
}

/** What an analysis and the checks found in exactly this. */
export function failuresOf({ plan, fingerprint, findings }: PlanView): readonly Failure[] {
  const { checks } = plan;
  const found = findings.map(({ class: of, path, line, message }) => ({
    check: of,
    text: `${showName(path)}${line === null ? '' : `:${line}`}: ${message}`,
  }));
  const failed =
    checks === null || checks.fingerprint !== fingerprint
      ? []
      : checks.results.flatMap(({ name, failures }) => failures.map((text) => ({ check: name, text })));
  return [...found, ...failed];
}

function checkSummary({ isCurrent, isFailed, results }: NonNullable<PlanView['checks']>): string {
  if (!isCurrent)
    return 'Its checks ran on another selection, so their results do not count for this. `c` runs them again.';
  const names = results.filter(isFailing).map(({ name }) => showText(name));
  return isFailed
    ? `Checks of exactly this failed: ${names.join(', ')}.`
    : 'Checks of exactly this found no new failures.';
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

/** The decision comes first, so that a long path does not hide it. */
function changeRow(change: PlanChange, decisions: Decisions, style: Style): string {
  return `${changeMark(change, decisions, style)}  ${changeLine(changeToJson(change.change), style)}`;
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
