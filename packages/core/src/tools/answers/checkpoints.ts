/** Answers about checkpoints, for a model: the fields, and the same as lines of text. */
import { showContent, showText } from '../../content/show-name.ts';
import { type JsonName, nameFromJson } from '../../model/names.ts';
import { COUNTED_FILES } from '../../timeline/diff/changes.ts';
import type { VERBS } from '../../verbs/table.ts';
import type { OutputOf } from '../../verbs/verb.ts';
import { actorOf } from './authors.ts';
import { type ChangeRow, changeLine, changeRow } from './changes.ts';
import { present, shortTime } from './fields.ts';
import { countText, pathText } from './text.ts';

type CheckpointJson = OutputOf<typeof VERBS.checkpoint>;
type BriefJson = CheckpointJson['checkpoint'];
type CaptureJson = CheckpointJson['capture'];
type TurnJson = OutputOf<typeof VERBS.list>['turns'][number];
type RootChangeJson = OutputOf<typeof VERBS.show>['rootChanges'][number];

export interface CheckpointRow {
  readonly id: string;
  readonly time: string;
  readonly trigger: string;
  readonly by: string;
  readonly description: string;
  /** Of the changes since the previous checkpoint. */
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  readonly tests?: 'pass' | 'fail';
  readonly partial?: true;
  /** Changes in a damaged folder of the previous checkpoint are not listed. */
  readonly incomplete?: true;
  readonly pinned?: true;
  /** The number of small steps that it includes. */
  readonly steps?: number;
  readonly root_changes?: readonly RootChangeRow[];
}

export interface RootChangeRow {
  readonly path: JsonName;
  readonly what: string;
}

export interface Refusal {
  readonly path: JsonName;
  readonly why: string;
}

/** What a checkpoint does not hold, or may hold in an inconsistent state. */
export interface CaptureAnswer {
  readonly not_captured?: readonly Refusal[];
  readonly unsettled?: readonly JsonName[];
  readonly capture_warnings?: readonly string[];
}

export interface CreateAnswer extends CaptureAnswer {
  readonly checkpoint: CheckpointRow & { readonly holds: Holds };
  readonly pending?: { readonly message: string; readonly hint: string };
}

interface Holds {
  readonly files: number;
  readonly bytes: number;
}

export interface ListAnswer {
  readonly checkpoints: readonly CheckpointRow[];
  readonly turns?: readonly TurnRow[];
  /** With turns: the checkpoint, or the place of the turn, that has the newest state. */
  readonly here?: string;
  readonly damaged?: readonly DamagedRow[];
  /** Automatic checkpoints that this view does not list. */
  readonly hidden?: number;
  /** Pass it as `before` to get older checkpoints. */
  readonly next?: string;
}

/** A prompt to an agent, with what followed. */
export interface TurnRow {
  /** The checkpoint before the work; absent if there is none. */
  readonly id?: string;
  /** Its place among the checkpoints, if that is not `id`. */
  readonly place?: string;
  readonly time: string;
  readonly by: string;
  readonly prompt?: string;
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  /** The files whose lines were counted, if not all were. */
  readonly counted?: number;
  /** Whether its changes were taken back since. */
  readonly taken_back?: 'all' | 'part';
}

export interface DamagedRow {
  readonly id: string;
  readonly problem: string;
}

export interface ShowAnswer extends CheckpointRow, CaptureAnswer {
  readonly previous?: string;
  readonly holds: Holds;
  readonly message?: string;
  readonly tool?: string;
  readonly restored?: string;
  readonly reverted?: string;
  readonly rolled_back?: readonly string[];
  readonly roots: readonly RootRow[];
  /** Null if the changes are not recorded. */
  readonly changes: readonly ChangeRow[] | null;
  readonly patch?: JsonName;
}

interface RootRow {
  readonly path: JsonName;
  readonly kind: string;
  readonly branch?: JsonName;
  readonly commit?: string;
  readonly operation?: string;
}

export function checkpointRow(brief: BriefJson): CheckpointRow {
  const { id, time, trigger, by, description, session, totals, testResult, partial } = brief;
  return present<CheckpointRow>({
    id,
    time: shortTime(time),
    trigger,
    by: by.map((actor) => actorOf(actor, actor.kind === 'agent' ? session : null)).join(' or '),
    description,
    files: totals.files,
    added: totals.added,
    removed: totals.removed,
    tests: testResult,
    partial: partial.length > 0 || null,
    incomplete: brief.incomplete || null,
  });
}

export function captureAnswer({ partial, leftOut, unsettled, warnings }: CaptureJson): CaptureAnswer {
  return present<CaptureAnswer>({
    not_captured: [...partial, ...leftOut].map(({ path, reason }) => ({ path, why: reason })),
    unsettled,
    capture_warnings: warnings,
  });
}

export function createAnswer({ checkpoint, capture, pending }: CheckpointJson): CreateAnswer {
  return {
    checkpoint: { ...checkpointRow(checkpoint), holds: holdsOf(checkpoint) },
    ...captureAnswer(capture),
    ...(pending === null ? {} : { pending: { message: pending.message, hint: pending.hint } }),
  };
}

export function createLines(answer: CreateAnswer): string[] {
  const { checkpoint, pending } = answer;
  return [
    `Checkpoint taken: ${checkpointLine(checkpoint)}`,
    holdsLine(checkpoint.holds),
    ...captureLines(answer),
    ...(pending === undefined ? [] : [`pending: ${showText(pending.message)} ${showText(pending.hint)}`]),
  ];
}

export function listAnswer(output: OutputOf<typeof VERBS.list>): ListAnswer {
  const { checkpoints, turns, current, folded, hidden, damaged, rootChanges, pinned, next } = output;
  return {
    checkpoints: checkpoints.map((brief) =>
      present<CheckpointRow>({
        ...checkpointRow(brief),
        pinned: pinned.includes(brief.id) || null,
        steps: folded.find(({ into }) => into === brief.id)?.ids.length,
        root_changes: rootChanges.find(({ id }) => id === brief.id)?.changes.map(rootChangeRow),
      }),
    ),
    ...present<Omit<ListAnswer, 'checkpoints'>>({
      turns: turns.map(turnRow),
      here: current,
      damaged: damaged.map(({ id, problem }) => ({ id, problem: problem.message })),
      hidden: hidden === 0 ? null : hidden,
      next,
    }),
  };
}

export function listLines({ checkpoints, turns = [], here, damaged = [], hidden, next }: ListAnswer): string[] {
  const rows = [
    // A turn is above the checkpoint with which it begins.
    ...turns.map((row) => ({ place: row.place ?? row.id ?? '', line: turnLine(row) })),
    ...checkpoints.map((row) => ({ place: row.id, line: checkpointLine(row) })),
    ...damaged.map((row) => ({ place: row.id, line: damagedLine(row) })),
  ].sort((a, b) => Number(b.place.slice(3)) - Number(a.place.slice(3)));
  return [
    ...(rows.length === 0 ? ['No checkpoints yet. Use checkpoint_create to take one.'] : []),
    ...rows.map(({ place, line }) => (place === here ? `${line} [the files are here]` : line)),
    ...(hidden === undefined
      ? []
      : [`${countText(hidden, 'automatic checkpoint')} hidden; view "all" shows ${hidden === 1 ? 'it' : 'them'}.`]),
    ...(next === undefined ? [] : [`Older checkpoints exist: pass ${next} as \`before\`.`]),
  ];
}

export function showAnswer(output: OutputOf<typeof VERBS.show>): ShowAnswer {
  const { conversation, tool, partial, unsettled } = output;
  return {
    ...checkpointRow(output),
    ...present<Omit<ShowAnswer, keyof CheckpointRow | 'holds' | 'roots' | 'changes' | 'patch'>>({
      previous: output.previous,
      message: conversation?.messageId,
      tool: tool === null ? null : `${tool.name} ${tool.summary}`.trimEnd(),
      restored: output.target,
      reverted: output.undoes,
      rolled_back: output.rolledBack,
      ...captureAnswer({ counts: output.counts, partial, leftOut: [], unsettled, warnings: [] }),
    }),
    holds: holdsOf(output),
    roots: output.roots.map(({ path, kind, branch, commit, operation }) =>
      present<RootRow>({ path, kind, branch, commit, operation }),
    ),
    ...present<Pick<ShowAnswer, 'root_changes'>>({ root_changes: output.rootChanges.map(rootChangeRow) }),
    changes: output.changes?.map(changeRow) ?? null,
    ...(output.patch === null ? {} : { patch: output.patch.text }),
  };
}

export function showLines(answer: ShowAnswer): string[] {
  const { previous, message, tool, restored, reverted, rolled_back: rolledBack = [], changes } = answer;
  return [
    checkpointLine(answer),
    holdsLine(answer.holds),
    ...(previous === undefined ? [] : [`previous: ${previous}`]),
    ...(tool === undefined ? [] : [`tool call: ${showText(tool)}`]),
    ...(message === undefined ? [] : [`message: ${showText(message)}`]),
    ...(restored === undefined ? [] : [`restored ${restored}`]),
    ...(reverted === undefined ? [] : [`reverted ${reverted}`]),
    ...(rolledBack.length === 0 ? [] : [`rolled back ${rolledBack.join(', ')}`]),
    ...answer.roots.map(({ path, kind, branch, commit, operation }) => {
      const on = branch === undefined ? '' : ` on branch ${pathText(branch)}`;
      const at = commit === undefined ? '' : ` at ${showText(commit)}`;
      return `  ${kind} ${pathText(path)}${on}${at}${operation === undefined ? '' : `, ${showText(operation)} in progress`}`;
    }),
    ...(changes === null ? ['Its changes are not recorded.'] : changes.map(changeLine)),
    ...captureLines(answer),
    ...(answer.patch === undefined ? [] : [showContent(nameFromJson(answer.patch))]),
  ];
}

export function checkpointLine(row: CheckpointRow): string {
  const { id, time, trigger, by, description, files, tests, partial, pinned, steps, root_changes: roots = [] } = row;
  const facts = [
    `${countText(files, 'path')}, +${row.added} -${row.removed} lines`,
    ...(tests === undefined ? [] : [`tests ${tests}`]),
    ...(partial === undefined ? [] : ['partial']),
    ...(row.incomplete === undefined ? [] : ['changes incomplete']),
    ...(pinned === undefined ? [] : ['pinned']),
    ...(steps === undefined ? [] : [`includes ${countText(steps, 'small step')} before it`]),
    ...roots.map(({ path, what }) => `root ${pathText(path)} ${what}`),
  ];
  return `${id}  ${time}  ${trigger}, by ${showText(by)}: ${showText(description)} (${facts.join(', ')})`;
}

export function captureLines({ not_captured, unsettled, capture_warnings }: CaptureAnswer): string[] {
  return [
    ...(not_captured ?? []).map(({ path, why }) => `  not captured (${why}): ${pathText(path)}`),
    ...(unsettled ?? []).map((path) => `  kept changing while being read: ${pathText(path)}`),
    ...(capture_warnings ?? []).map((message) => `  warning: ${showText(message)}`),
  ];
}

export function damagedLine({ id, problem }: DamagedRow): string {
  return `${id}  damaged: ${showText(problem)}`;
}

export function rootChangeRow({ path, what }: RootChangeJson): RootChangeRow {
  return { path, what };
}

function turnRow({ before, place, began, actor, session, prompt, ...turn }: TurnJson): TurnRow {
  const { files, added, removed, counted, changes, takenBack } = turn;
  return {
    ...present<Pick<TurnRow, 'id' | 'place'>>({ id: before, place: place === before ? null : place }),
    time: shortTime(began),
    by: actorOf(actor, session),
    files,
    added,
    removed,
    ...present<Pick<TurnRow, 'prompt' | 'counted' | 'taken_back'>>({
      counted: files > COUNTED_FILES && counted < files ? counted : null,
      prompt,
      taken_back: takenBack === 0 ? null : takenBack === changes ? 'all' : 'part',
    }),
  };
}

function turnLine({ id = '-', time, by, prompt = '(no prompt recorded)', ...row }: TurnRow): string {
  const { files, added, removed, counted, taken_back: takenBack } = row;
  const inSome = counted === undefined ? '' : ` in ${counted} of them`;
  const back = takenBack === undefined ? '' : takenBack === 'all' ? ', taken back' : ', in part taken back';
  const words = showText(prompt.replace(/\s+/g, ' '));
  return `${id}  ${time}  turn, by ${showText(by)}: ${words} (${countText(files, 'path')}, +${added} -${removed} lines${inSome}${back})`;
}

function holdsOf({ counts }: BriefJson): Holds {
  return { files: counts.files, bytes: counts.bytes };
}

function holdsLine({ files, bytes }: Holds): string {
  return `It holds ${countText(files, 'file')}, ${countText(bytes, 'byte')}.`;
}
