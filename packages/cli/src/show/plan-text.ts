/** Shows plans as text. */

import { showText } from '@savepoint/core';
import { type OutputOf, someOf, type VERBS } from '@savepoint/core/frontend';
import { typesUnsaid } from '@savepoint/core/text';
import type { OutputView, Style } from '../view.ts';
import { findingLines } from './findings.ts';
import { countText, groupDigits, lineCounts, localTime, pathText } from './format.ts';
import { planChangesText } from './plan-changes-text.ts';

export type PlanBriefJson = Omit<OutputOf<typeof VERBS.planList>['plans'][number], 'expires'>;
export type PlanJson = OutputOf<typeof VERBS.planShow>;
type KeptResult = PlanJson['validations'][number]['results'][number];

/** The rest can be read with `--json`. */
const MAX_FAILURES = 5;

/** As many as an approval needs. */
const SHOWN_DIGITS = 16;

export function planLine(plan: PlanBriefJson, { style }: OutputView): string {
  const { id, status, intent, rejected, by, checked, override, left } = plan;
  return [
    style.id(id),
    statusText(status, style),
    selectedText(plan),
    ...(rejected === 0 ? [] : [`${rejected} with rejected parts`]),
    ...(checked === null ? [] : [checked === 'failed' ? style.bad('checks failed') : checkedText(checked, status)]),
    ...(override === null ? [] : [`overridden: ${showText(override.why.split('\n')[0] ?? '')}`]),
    ...(left.length === 0 ? [] : [`applied in part, ${groupDigits(left.length)} left`]),
    `by ${showText(by.name)}`,
    showText(intent.split('\n')[0] ?? ''),
  ].join('  ');
}

/** What would be applied, of everything that is proposed. */
export function selectedText({ totals, selected }: Pick<PlanBriefJson, 'totals' | 'selected'>): string {
  const { files, added, removed } = selected;
  const paths =
    files === totals.files ? countText(files, 'path') : `${groupDigits(files)} of ${countText(totals.files, 'path')}`;
  const counts = lineCounts(added, removed);
  return counts === '' ? paths : `${paths}, ${counts}`;
}

/** What to do next with a plan. */
export function nextStep({
  id,
  status,
  fingerprint,
  checked,
  override,
  totals,
  selected,
  left,
  applied,
}: PlanJson): readonly string[] {
  if (selected.files === 0 && (status === 'pending' || status === 'approved')) {
    return [`Nothing would be applied, because everything is rejected: \`savepoint plan review ${id} --accept PATH\`.`];
  }
  const check = `\`savepoint plan check ${id}\``;
  switch (status) {
    case 'pending':
      return [
        `Review it with \`savepoint plan review ${id}\` at a terminal.`,
        `Or approve exactly this: \`savepoint plan review ${id} --approve ${fingerprint.slice(0, SHOWN_DIGITS)}\`.`,
        ...(totals.files > 1
          ? ['With `--reject PATH` something is left out, with `--only PATH` everything else. A hunk is PATH:NUMBER.']
          : []),
        ...(checked === 'stale' ? [`Its checks ran on something else. Check this: ${check}.`] : []),
      ];
    case 'approved':
      return [
        ...(checked === 'stale'
          ? [`Its checks ran on something else, so they do not count. Check this: ${check}.`]
          : []),
        ...(left.length === 0
          ? []
          : [
              `To apply what was left out, merge it: \`savepoint plan apply ${id} --rebase\`. To leave it out for good: \`savepoint plan review ${id} --reject PATH\`.`,
            ]),
        checked === 'failed' && override === null
          ? `Its checks failed. To apply it all the same: \`savepoint plan apply ${id} --override "REASON"\`.`
          : `Apply it with \`savepoint plan apply ${id}\`.`,
      ];
    case 'applied':
      return applied.length === 0 ? [] : [`\`savepoint plan rollback ${id}\` takes it back.`];
    case 'rolled-back':
      return [`To apply it again, approve it again: \`savepoint plan review ${id}\`.`];
    case 'cancelled':
      return [];
  }
}

/** How words about a plan reach the agent that proposed it. */
export function wordsText({ id, source, by }: PlanJson): readonly string[] {
  const run = `\`savepoint run --isolated --revise ${id} -- AGENT\``;
  if (source === 'isolated') {
    return [
      `Its agent reads this with its next prompt in the copy, if it has hooks. If its run has ended: ${run} goes on with the plan.`,
    ];
  }
  if (source === 'edits' && by.kind === 'agent') return ['Its agent reads this with its next prompt, if it has hooks.'];
  return [`No agent reads this by itself. ${run} gives the plan to one.`];
}

export function planText(plan: PlanJson, view: OutputView): readonly string[] {
  const { base, created, applied, approval, revision, words, prompts } = plan;
  return [
    planLine(plan, view),
    `  proposed ${localTime(created)} on ${base}${revision === 1 ? '' : `, revision ${revision}`}`,
    ...(prompts.length === 0 ? [] : [`  prompts: ${prompts.map(inOneLine).join(' / ')} (recorded in the copy)`]),
    ...(NEEDS_APPROVAL.has(plan.status) ? [`  fingerprint ${plan.fingerprint.slice(0, SHOWN_DIGITS)}`] : []),
    ...(approval === null
      ? []
      : [
          `  approved by ${approval.by_policy ? 'the policy of ' : ''}${showText(approval.by.name)}, ${localTime(approval.time)}`,
        ]),
    ...analysisText(plan, view),
    ...checksText(plan, view),
    ...plan.phases.map((one) => `  phase ${showText(one.name)}: ${phaseText(one)}`),
    ...(applied.length === 0 ? [] : [`  applied: ${applied.join(', ')}`]),
    ...(plan.status === 'applied' && applied.length === 0 ? [`  applied: ${WITHOUT_CHANGE}`] : []),
    ...leftOutText(plan, view.style),
    ...words.map(({ by, text, revision: of }) => `  ${showText(by.name)} about revision ${of}: ${inOneLine(text)}`),
    ...planChangesText(plan, view),
    ...ignoredText(plan.changes.flatMap(({ path, ignored }) => (ignored === true ? [pathText(path)] : []))),
  ];
}

/** What the plan breaks elsewhere in the code. */
export function analysisText(
  { analysis, findings }: Pick<PlanJson, 'analysis' | 'findings'>,
  view: OutputView,
): readonly string[] {
  if (analysis === null) return [];
  if (!analysis.current) {
    return ['  code analysed before parts were accepted or rejected, or it was revised: these findings do not count'];
  }
  const { base, omitted, unsaid } = analysis;
  const ofTypes = unsaid.flatMap(({ message }) => message ?? []);
  const ofFiles = unsaid.filter(({ reason, message }) => reason !== 'not-measured' && message === null);
  const files = ofFiles.reduce((sum, one) => sum + one.files, 0);
  return [
    `  findings on ${base}:`,
    ...findingLines({ findings, omitted }, view).map((line) => `    ${line}`),
    ...(files === 0 ? [] : [`    ${countText(files, 'file')} not analysed`]),
    ...ofTypes.map((message) => `    ${typesUnsaid(message)}`),
  ];
}

/** What was left out because it did not merge. */
export function leftOutText({ left }: Pick<PlanJson, 'left'>, style: Style): readonly string[] {
  if (left.length === 0) return [];
  const more = left.length - MAX_LEFT;
  return [
    style.bad(`  not applied, because it did not merge: ${countText(left.length, 'path')}`),
    ...left.slice(0, MAX_LEFT).map((path) => `    ${pathText(path)}`),
    ...(more > 0 ? [`    … and ${groupDigits(more)} more`] : []),
  ];
}

export function statusText(status: PlanBriefJson['status'], style: Style): string {
  return status === 'approved' || status === 'applied' ? style.good(status) : status;
}

const MAX_LEFT = 20;
const WITHOUT_CHANGE = 'nothing had to be changed';

/** @param names of files that git ignores */
export function ignoredText(names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`  git ignores, so a commit leaves out: ${someOf(names, MAX_IGNORED)}`];
}

const MAX_IGNORED = 5;

function checkedText(checked: 'passed' | 'stale', status: PlanBriefJson['status']): string {
  if (checked === 'passed') return 'checks passed';
  return status === 'applied' ? 'not checked as applied' : 'checks out of date';
}

/** `plan review --approve` wants the fingerprint. */
const NEEDS_APPROVAL: ReadonlySet<PlanJson['status']> = new Set(['pending', 'rolled-back']);

function phaseText({ applied, done }: PlanJson['phases'][number]): string {
  if (applied === null) return done ? WITHOUT_CHANGE : 'not applied';
  return done ? applied : `${applied}, in part`;
}

function inOneLine(text: string): string {
  return showText(text.replace(/\s+/g, ' ').trim());
}

/** The checks before and after it was applied. */
function checksText({ checks, checked, override, validations }: PlanJson, { style }: OutputView): readonly string[] {
  const line = ({ name, comparison, outcome, why, new: count, base }: KeptResult, note: string): string => {
    const found = count > 0 ? `${count} new` : comparison === 'same' ? 'as before' : outcome.replaceAll('-', ' ');
    const text = `    ${showText(name)}: ${found}${why === null ? '' : `: ${showText(why)}`} (compared with ${base}${note})`;
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
          `  checked ${localTime(checks.time)}${isStale ? ', before parts were accepted or rejected, or it was revised: these results do not count' : ''}`,
          ...checks.results.flatMap((one) => [
            line(one, one.folder_moved ? '; the folder changed since' : ''),
            ...failures(one),
          ]),
        ]),
    ...(override === null
      ? []
      : [`  overridden by ${showText(override.by.name)}, ${localTime(override.time)}: ${showText(override.why)}`]),
    ...validations.flatMap(({ checkpoint, phase, results }) => [
      `  checked after ${phase === null ? 'it' : `phase ${showText(phase)}`} was applied (${checkpoint}):`,
      ...results.flatMap((one) => [line(one, ''), ...failures(one)]),
    ]),
  ];
}
