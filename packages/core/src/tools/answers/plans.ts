/** Answers about plans, for a model: the fields, and the same as lines of text. */
import { isFailing } from '../../check/compare.ts';
import { showContent, showText } from '../../content/show-name.ts';
import { type JsonName, nameFromJson } from '../../model/names.ts';
import type { planStatus } from '../../verbs/plans/status.ts';
import type { VERBS } from '../../verbs/table.ts';
import type { OutputOf } from '../../verbs/verb.ts';
import { actorOf } from './authors.ts';
import { type ChangeRow, changeLine, changeRow } from './changes.ts';
import { present, shortTime } from './fields.ts';
import { type WorstFindings, worstFindingLines, worstFindings } from './findings.ts';
import { type OperationAnswer, operationAnswer, operationLines } from './operation.ts';
import { countText, pathText } from './text.ts';

type PlanJson = OutputOf<typeof VERBS.planShow>;
type BriefJson = OutputOf<typeof VERBS.planList>['plans'][number];
type CommentJson = OutputOf<typeof planStatus>['comments'][number];
type HunkJson = NonNullable<PlanJson['changes'][number]['hunks']>[number];
type CheckJson = OutputOf<typeof VERBS.planCheck>['checks'][number];

interface PlanRow {
  readonly id: string;
  readonly status: PlanJson['status'];
  readonly revision: number;
  readonly intent: string;
  readonly by: string;
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  /** How many changes have something rejected. */
  readonly rejected?: number;
  readonly checked?: NonNullable<PlanJson['checked']>;
  /** The checkpoints that applied it. */
  readonly applied?: readonly string[];
  /** What was left out then, because it did not merge. */
  readonly not_merged?: readonly JsonName[];
  readonly expires?: string;
}

interface ProposedRow extends ChangeRow {
  /** A commit leaves it out. */
  readonly ignored_by_git?: true;
  readonly decided?: 'accepted' | 'rejected';
  /** Number, lines before and after, and what was decided: `2 -10,1 +12,3 rejected`. */
  readonly hunks?: readonly string[];
}

export interface PlanAnswer extends PlanRow {
  readonly base: string;
  /** Of exactly what would be applied. */
  readonly fingerprint: string;
  readonly changes: readonly ProposedRow[];
  /** What people said, for the author of the plan. */
  readonly words?: readonly WordsRow[];
  readonly approved_by?: string;
  readonly failed_checks?: readonly { readonly name: string; readonly failures: readonly string[] }[];
  readonly phases?: readonly PhaseRow[];
  readonly patch?: JsonName;
  readonly not_in_patch?: readonly { readonly path: JsonName; readonly why: string }[];
  readonly next: string;
}

interface PhaseRow {
  readonly name: string;
  readonly applied?: string;
  /** Nothing of it is left to be applied. */
  readonly done?: true;
}

interface WordsRow {
  readonly by: string;
  readonly time: string;
  readonly revision: number;
  readonly text: string;
}

export interface PlansAnswer {
  readonly plans: readonly PlanRow[];
  readonly unreadable?: readonly string[];
}

/** What the user says about lines, each once. */
interface WithComments {
  readonly comments?: readonly CommentRow[];
}

interface CommentRow {
  readonly id: string;
  /** `src/a.ts:3-5`. */
  readonly at: string;
  readonly lines: string;
  readonly text: string;
}

export interface PlanCheckAnswer extends WorstFindings {
  readonly id: string;
  readonly base: string;
  readonly checks: readonly CheckRow[];
  readonly not_run?: readonly string[];
  readonly notes?: readonly string[];
  /** Changed in the folder since the checks started. */
  readonly moved?: readonly JsonName[];
  readonly next: string;
}

interface CheckRow {
  readonly name: string;
  readonly comparison: CheckJson['comparison'];
  readonly outcome: CheckJson['outcome'];
  readonly why?: string;
  readonly new_failures?: readonly string[];
  readonly output?: string;
}

export interface PlanApplyAnswer extends OperationAnswer {
  /** Phases that are not applied yet, or only in part. */
  readonly left?: readonly string[];
  /** Paths that did not merge. The next call tries them again. */
  readonly not_merged?: readonly JsonName[];
  /** Why it stopped before its end. */
  readonly stopped?: string;
}

export function planAnswer(plan: PlanJson): PlanAnswer {
  const { base, fingerprint, words, checks, phases, patch } = plan;
  return {
    ...planRow(plan),
    base,
    fingerprint,
    changes: plan.changes.map(proposedRow),
    ...present<Omit<PlanAnswer, keyof PlanRow | 'base' | 'fingerprint' | 'changes' | 'next'>>({
      words: words.map(({ by, time, revision, text }) => ({
        by: actorOf(by, null),
        time: shortTime(time),
        revision,
        text,
      })),
      approved_by: approvedBy(plan),
      failed_checks:
        plan.checked === 'failed'
          ? (checks?.results ?? [])
              .filter(isFailing)
              .map(({ name, failures, why }) => ({ name, failures: why === null ? failures : [why, ...failures] }))
          : null,
      phases: phases.map(({ name, applied, done }) => present<PhaseRow>({ name, applied, done: done || null })),
      patch: patch?.text,
      not_in_patch: patch?.gaps,
    }),
    next: nextOf(plan),
  };
}

export function planLines(answer: PlanAnswer): string[] {
  const { words = [], failed_checks: failed = [], phases = [], patch, not_in_patch: gaps = [] } = answer;
  return [
    planLine(answer),
    `Base: ${answer.base}. Fingerprint: ${answer.fingerprint}`,
    ...answer.changes.flatMap((change) => [
      `  ${changeLine(change).trim()}${change.decided === undefined ? '' : `  [${change.decided}]`}${change.ignored_by_git === true ? '  (git ignores it, so a commit leaves it out)' : ''}`,
      ...(change.hunks ?? []).map((hunk) => `    hunk ${hunk}`),
    ]),
    ...words.map(
      ({ by, time, revision, text }) => `  ${showText(by)}, ${time}, on revision ${revision}: ${showText(text)}`,
    ),
    ...(answer.approved_by === undefined ? [] : [`Approved by ${showText(answer.approved_by)}.`]),
    ...failed.flatMap(({ name, failures }) => [
      `  check ${showText(name)} fails:`,
      ...failures.map((one) => `    ${showText(one)}`),
    ]),
    ...phases.map(phaseLine),
    ...(answer.not_merged ?? []).map((path) => `  left out, because it did not merge: ${pathText(path)}`),
    ...(patch === undefined ? [] : [showContent(nameFromJson(patch))]),
    ...gaps.map(({ path, why }) => `  not in the patch (${why}): ${pathText(path)}`),
    answer.next,
  ];
}

export function planStatusAnswer({
  list,
  plan,
  comments,
}: OutputOf<typeof planStatus>): (PlanAnswer | PlansAnswer) & WithComments {
  const said = present<WithComments>({ comments: comments.map(commentRow) });
  if (plan !== null) return { ...planAnswer(plan), ...said };
  const { plans = [], warnings = [] } = list ?? {};
  return { plans: plans.map(planRow), ...present<Pick<PlansAnswer, 'unreadable'>>({ unreadable: warnings }), ...said };
}

export function planStatusLines(answer: (PlanAnswer | PlansAnswer) & WithComments): string[] {
  const comments = (answer.comments ?? []).flatMap(({ id, at, lines, text }) => [
    `The user commented on ${showText(at)} (${id}):`,
    ...lines.split('\n').map((line) => `> ${line}`),
    showText(text, 'keep'),
  ]);
  if (!('plans' in answer)) return [...planLines(answer), ...comments];
  return [
    ...(answer.plans.length === 0 ? ['No open plans.'] : answer.plans.map(planLine)),
    ...(answer.unreadable ?? []).map((one) => `  cannot be read: ${showText(one)}`),
    ...comments,
  ];
}

export function planCheckAnswer(output: OutputOf<typeof VERBS.planCheck>): PlanCheckAnswer {
  const { plan, base, checks, notRun, untrusted, moved } = output;
  const notes = [...(untrusted.length > 0 ? [] : output.notes), ...unsaidOf(plan)];
  return {
    id: plan.id,
    base,
    checks: checks.map(({ name, comparison, outcome, why, new: added, output: end }) => ({
      name,
      comparison,
      outcome,
      ...present<Pick<CheckRow, 'why' | 'new_failures' | 'output'>>({
        why,
        new_failures: added.map(({ shown }) => shown),
        // It has the same failures.
        output: end === '' || added.length > 0 ? null : end,
      }),
    })),
    ...worstFindings(plan.findings, plan.analysis?.omitted ?? 0),
    ...present<Pick<PlanCheckAnswer, 'not_run' | 'notes' | 'moved'>>({ not_run: notRun, notes, moved }),
    next:
      plan.checked === 'failed'
        ? `The plan breaks ${plan.analysis?.breaks ? 'other code' : 'checks'}. Fix that with plan_revise, and call plan_check with id ${plan.id} again.`
        : untrusted.length > 0
          ? `No check was run, because the user has not trusted these: ${untrusted.join(', ')}. Ask them to run \`savepoint trust --plan ${plan.id}\` in a terminal of their own, and call plan_check again.`
          : checks.length === 0
            ? 'No checks were found, so nothing was checked.'
            : nextOf(plan),
  };
}

export function planCheckLines(answer: PlanCheckAnswer): string[] {
  return [
    `Checked ${answer.id} on ${answer.base}.`,
    ...worstFindingLines(answer),
    ...answer.checks.flatMap(({ name, comparison, outcome, why, new_failures: failures = [], output }) => [
      `  ${showText(name)}: ${comparison}, ${outcome}${why === undefined ? '' : `: ${showText(why)}`}`,
      ...failures.map((one) => `    new: ${showText(one)}`),
      ...(output === undefined ? [] : [showText(output, 'keep')]),
    ]),
    ...(answer.not_run ?? []).map((name) => `  not run: ${showText(name)}`),
    ...(answer.notes ?? []).map((note) => `  ${showText(note)}`),
    ...(answer.moved ?? []).map((path) => `  changed meanwhile: ${pathText(path)}`),
    answer.next,
  ];
}

export function planApplyAnswer(output: OutputOf<typeof VERBS.planApply>): PlanApplyAnswer {
  return {
    ...operationAnswer(output),
    ...present<Pick<PlanApplyAnswer, 'left' | 'not_merged' | 'stopped'>>({
      left: output.left,
      not_merged: output.leftOut,
      stopped: output.stopped?.message,
    }),
  };
}

export function planApplyLines(answer: PlanApplyAnswer): string[] {
  return [
    ...operationLines(answer),
    ...(answer.left ?? []).map((name) => `  not applied yet: phase ${showText(name)}`),
    ...(answer.not_merged ?? []).map((path) => `  left out, because it did not merge: ${pathText(path)}`),
    ...(answer.stopped === undefined ? [] : [`Stopped: ${showText(answer.stopped)}`]),
  ];
}

/** Type checkers that gave no answer. */
function unsaidOf({ analysis }: PlanJson): readonly string[] {
  return (analysis?.unsaid ?? []).flatMap(({ message }) => message ?? []);
}

function phaseLine({ name, applied, done }: PhaseRow): string {
  const state = applied === undefined ? (done ? ', nothing left to apply' : '') : `, applied by ${applied}`;
  return `  phase ${showText(name)}${state}${applied !== undefined && done === undefined ? ' in part' : ''}`;
}

function planRow(plan: PlanJson | BriefJson): PlanRow {
  const { id, status, revision, intent, by, totals, rejected, checked, applied, left } = plan;
  return {
    id,
    status,
    revision,
    intent,
    by: actorOf(by, null),
    files: totals.files,
    added: totals.added,
    removed: totals.removed,
    ...present<Pick<PlanRow, 'rejected' | 'checked' | 'applied' | 'not_merged' | 'expires'>>({
      rejected: rejected === 0 ? null : rejected,
      checked,
      applied,
      not_merged: left,
      expires: 'expires' in plan ? shortTime(plan.expires) : null,
    }),
  };
}

function planLine(row: PlanRow): string {
  const { id, status, revision, intent, by, files, added, removed, rejected, checked, expires } = row;
  const { applied = [], not_merged: left = [] } = row;
  const facts = [
    `${status}, revision ${revision}, by ${showText(by)}, ${countText(files, 'path')} +${added} -${removed}`,
    ...(rejected === undefined ? [] : [`${rejected} with something rejected`]),
    ...(checked === undefined ? [] : [`checks ${checked}`]),
    ...(applied.length === 0 ? [] : [`applied by ${applied.join(', ')}`]),
    ...(left.length === 0 ? [] : [`${countText(left.length, 'path')} left out`]),
    ...(expires === undefined ? [] : [`expires ${expires}`]),
  ];
  return `${id}  ${facts.join('; ')}: ${showText(intent)}`;
}

function proposedRow({ accepted, hunks, ignored, ...change }: PlanJson['changes'][number]): ProposedRow {
  const isOne = hunks === null || hunks.every((hunk) => hunk.accepted === accepted);
  return {
    ...changeRow(change),
    ...present<Pick<ProposedRow, 'decided' | 'hunks' | 'ignored_by_git'>>({
      ignored_by_git: ignored || null,
      decided: isOne ? decisionOf(accepted) : null,
      hunks: isOne && accepted !== null ? [] : (hunks ?? []).map(hunkText),
    }),
  };
}

function hunkText({ number, before, after, accepted }: HunkJson): string {
  const decided = decisionOf(accepted);
  return `${number} -${rangeText(before)} +${rangeText(after)}${decided === null ? '' : ` ${decided}`}`;
}

/** As in a patch: lines count from 1, and an empty range follows its line. */
function rangeText({ start, count }: HunkJson['before']): string {
  return `${count === 0 ? start : start + 1},${count}`;
}

function decisionOf(accepted: boolean | null): 'accepted' | 'rejected' | null {
  return accepted === null ? null : accepted ? 'accepted' : 'rejected';
}

function approvedBy({ status, approval }: PlanJson): string | null {
  if (approval === null) return null;
  if (approval.by_policy) return `a policy of ${actorOf(approval.by, null)}`;
  return status === 'approved' ? actorOf(approval.by, null) : null;
}

function nextOf({ id, status, revision, rejected, words }: PlanJson): string {
  const review = `Ask the user to review and approve it in a terminal of their own: \`savepoint plan review ${id}\`.`;
  switch (status) {
    case 'approved':
      return `Exactly this is approved. Call plan_apply with id ${id}.`;
    case 'applied':
      return 'It is applied.';
    case 'cancelled':
      return 'It was cancelled and cannot be applied.';
    case 'rolled-back':
      return `It was rolled back. Ask the user whether they want it again. ${review}`;
    default:
      return rejected > 0 || words.some((one) => one.revision === revision)
        ? `It is not approved. Revise it with plan_revise as the user wants it. ${review}`
        : `Nothing is applied yet. ${review} Then call plan_status to see what they decided, and plan_apply once it is approved.`;
  }
}

const COMMENTED_CHARACTERS = 2_000;

function commentRow({ id, path, place, made_at: made, lines, plan, text }: CommentJson): CommentRow {
  const { first, last } = place ?? made;
  const gone = place === null ? ', which is gone or changed now' : '';
  return {
    id,
    at: `${pathText(path)}:${first}${last === first ? '' : `-${last}`}${plan === null ? '' : ` of ${plan.id}`}${gone}`,
    lines: showContent(nameFromJson(lines).slice(0, COMMENTED_CHARACTERS).replace(/\n$/, '')),
    text,
  };
}
