/** Answers about changes and their authors, for a model: the fields, and the same as lines of text. */
import { showContent, showText } from '../../content/show-name.ts';
import { type JsonName, nameFromJson } from '../../model/names.ts';
import type { VERBS } from '../../verbs/table.ts';
import type { OutputOf } from '../../verbs/verb.ts';
import { authorsOf } from './authors.ts';
import { present, shortTime } from './fields.ts';
import { countText, linesText, pathText } from './text.ts';

type DiffJson = OutputOf<typeof VERBS.diff>;
type HistoryJson = OutputOf<typeof VERBS.history>;
type BlameJson = OutputOf<typeof VERBS.blame>;
type RangeJson = BlameJson['ranges'][number];
type RecordedJson = NonNullable<OutputOf<typeof VERBS.show>['changes']>[number];

/** A change of one path. With an id and an author, it is on the timeline. */
export interface ChangeRow {
  readonly id?: string;
  readonly time?: string;
  readonly by?: string;
  readonly grade?: string;
  readonly operation: string;
  readonly path: JsonName;
  readonly from?: JsonName;
  readonly added?: number;
  readonly removed?: number;
  /** Why the state before was not captured. */
  readonly before_uncaptured?: string;
  readonly after_uncaptured?: string;
  readonly reverted_by?: string;
  readonly reverted_hunks?: HistoryJson['changes'][number]['takenBackHunks'];
}

interface HunkRow {
  readonly number: number;
  /** First line and number of lines. */
  readonly before: readonly number[];
  readonly after: readonly number[];
}

export interface DiffAnswer {
  /** Null: the state before the first checkpoint that still exists. */
  readonly from: string | null;
  /** Null: the current files. */
  readonly to: string | null;
  readonly changes: readonly ChangeRow[];
  readonly totals: DiffJson['totals'];
  readonly root_changes?: readonly { readonly path: JsonName; readonly what: string }[];
  readonly hunks?: readonly HunkRow[];
  readonly patch?: JsonName;
  readonly not_in_patch?: readonly { readonly path: JsonName; readonly why: string }[];
}

export interface HistoryAnswer {
  readonly changes: readonly ChangeRow[];
  /** Checkpoints whose changes are not listed, and why. */
  readonly unlisted?: HistoryJson['unlisted'];
  readonly damaged?: readonly { readonly id: string; readonly problem: string }[];
  /** Pass it as `before` to get older changes. */
  readonly next?: string;
}

export interface BlameAnswer {
  readonly file: JsonName;
  /** Absent: as it is now. */
  readonly at?: string;
  readonly total: number;
  readonly ranges: readonly BlameRow[];
}

interface BlameRow {
  readonly first: number;
  readonly last: number;
  readonly origin: RangeJson['origin'];
  readonly by?: string;
  readonly grade?: string;
  readonly change?: string;
  readonly checkpoint?: string;
  readonly time?: string;
  readonly description?: string;
  readonly why?: string;
}

export function changeRow(change: DiffJson['changes'][number] | RecordedJson): ChangeRow {
  const { operation, path, from, added, removed, beforeUncaptured, afterUncaptured } = change;
  const author = 'id' in change ? { id: change.id, by: authorsOf(change.authors), grade: change.grade } : {};
  return present<ChangeRow>({
    ...author,
    operation,
    path,
    from,
    added,
    removed,
    before_uncaptured: beforeUncaptured,
    after_uncaptured: afterUncaptured,
  });
}

export function changeLine(row: ChangeRow): string {
  const { id, time, by, grade, operation, path, from } = row;
  const hunks = (row.reverted_hunks ?? []).map(({ hunk, by: operation }) => `hunk ${hunk} reverted by ${operation}`);
  const reverted = row.reverted_by === undefined ? hunks.join(', ') : `reverted by ${row.reverted_by}`;
  const source = id === undefined ? [] : [id, ...(time === undefined ? [] : [time]), gradedText(by, grade)];
  return [
    ...(time === undefined ? [['', ...source].join('  ')] : [source.join('  ')]),
    operation,
    `${from === undefined ? '' : `${pathText(from)} -> `}${pathText(path)}${linesText(row)}`,
    ...uncapturedTexts(row),
    ...(reverted === '' ? [] : [`[${reverted}]`]),
  ].join('  ');
}

export function diffAnswer({ from, to, changes, totals, rootChanges, patch, hunks }: DiffJson): DiffAnswer {
  return {
    from: from?.id ?? null,
    to: to?.id ?? null,
    changes: changes.map(changeRow),
    totals,
    ...present<Omit<DiffAnswer, 'from' | 'to' | 'changes' | 'totals'>>({
      root_changes: rootChanges.map(({ path, what }) => ({ path, what })),
      hunks: hunks?.map(({ number, before, after }) => ({ number, before, after })),
      patch: patch?.text,
      not_in_patch: patch?.gaps,
    }),
  };
}

export function diffLines({
  from,
  to,
  changes,
  totals,
  root_changes,
  hunks,
  patch,
  not_in_patch,
}: DiffAnswer): string[] {
  const sum = `${countText(totals.files, 'path')}, +${totals.added} -${totals.removed} lines`;
  return [
    `From ${from ?? 'before'} to ${to ?? 'the current files'}: ${sum}`,
    ...changes.map(changeLine),
    ...(root_changes ?? []).map(({ path, what }) => `  root ${pathText(path)} ${what}`),
    ...(hunks ?? []).map(({ number, before, after }) => `  hunk ${number}: -${before.join(',')} +${after.join(',')}`),
    ...(patch === undefined ? [] : [showContent(nameFromJson(patch))]),
    ...(not_in_patch ?? []).map(({ path, why }) => `  not in the patch (${why}): ${pathText(path)}`),
  ];
}

export function historyAnswer({ changes, unlisted, damaged, more }: HistoryJson): HistoryAnswer {
  return {
    changes: changes.map((change) =>
      present<ChangeRow>({
        ...changeRow(change),
        time: shortTime(change.time),
        reverted_by: change.takenBack,
        reverted_hunks: change.takenBackHunks,
      }),
    ),
    ...present<Omit<HistoryAnswer, 'changes'>>({
      unlisted,
      damaged: damaged.map(({ id, problem }) => ({ id, problem: problem.message })),
      next: more ? changes.at(-1)?.id : null,
    }),
  };
}

export function historyLines({ changes, unlisted = [], damaged = [], next }: HistoryAnswer): string[] {
  return [
    ...(changes.length === 0 ? ['No changes. With scope "all", changes of other authors are listed, too.'] : []),
    ...changes.map(changeLine),
    ...unlisted.map(({ id, why, files }) => `${id}  ${UNLISTED[why]}${why === 'too-many' ? `: ${files} paths` : ''}`),
    ...damaged.map(({ id, problem }) => `${id}  damaged: ${showText(problem)}`),
    ...(next === undefined ? [] : [`There are older changes: before "${next}".`]),
  ];
}

export function blameAnswer({ file, at, total, ranges }: BlameJson): BlameAnswer {
  return { file, ...present<Pick<BlameAnswer, 'at'>>({ at }), total, ranges: ranges.map(blameRow) };
}

export function blameLines({ file, at, total, ranges }: BlameAnswer): string[] {
  const state = at === undefined ? 'as it is now' : `as of ${at}`;
  return [
    `${pathText(file)} ${state}, ${countText(total, 'line')}:`,
    ...ranges.map((row) => `  ${row.first === row.last ? row.first : `${row.first}-${row.last}`}  ${originText(row)}`),
    ...(ranges.some(({ origin }) => origin === 'older')
      ? ['Lines that are older than the timeline: `git blame` may know who wrote them.']
      : []),
  ];
}

function uncapturedTexts({ before_uncaptured: before, after_uncaptured: after }: ChangeRow): readonly string[] {
  if (before !== undefined && after !== undefined) {
    return [`(not captured, ${after}; its size or modification time changed)`];
  }
  return [
    ...(before === undefined ? [] : [`(before: not captured, ${before})`]),
    ...(after === undefined ? [] : [`(after: not captured, ${after})`]),
  ];
}

const UNLISTED: Record<HistoryJson['unlisted'][number]['why'], string> = {
  first: 'the first checkpoint',
  damaged: 'has an incomplete list: a folder could not be compared',
  'too-many': 'has too many changes to list',
};

function blameRow(range: RangeJson): BlameRow {
  const { first, last, origin, change, checkpoint, time, description, why, authors, grade } = range;
  const isOfChange = origin === 'change';
  const isKnown = isOfChange || origin === 'uncaptured';
  return present<BlameRow>({
    first,
    last,
    origin,
    by: isKnown ? authorsOf(authors) : null,
    grade: isKnown ? (grade ?? 'open') : null,
    change,
    checkpoint: isOfChange ? null : checkpoint,
    time: isOfChange && time !== null ? shortTime(time) : null,
    description: isOfChange ? description : null,
    why,
  });
}

function originText({ origin, by, grade, change, checkpoint, time, description, why }: BlameRow): string {
  if (origin === 'older') return `older than the timeline (already in ${checkpoint})`;
  if (origin === 'unknown') return `unknown author (${why}), first in ${checkpoint}`;
  if (origin === 'uncaptured') return `${gradedText(by, grade)}, not in a checkpoint yet`;
  return `${gradedText(by, grade)}, ${change}, ${time}: ${showText(description ?? '')}`;
}

/** `claude, session 3f2a91bc, Edit (sure)` */
function gradedText(by: string | undefined, grade: string | undefined): string {
  return `${showText(by ?? '')} (${grade ?? 'open'})`;
}
