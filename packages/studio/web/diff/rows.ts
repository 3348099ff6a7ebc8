/** The rows of one continuous diff over all files. Each has a type, so that its height is known before it is drawn. */
import { type Comment, commentsAt, type ThreadsByFile, unplacedComments } from '../comments/threads.ts';
import { type DiffFile, versionBefore } from './diff-file.ts';
import { isShown, type OpenedContext } from './hidden-lines.ts';
import type { FindingsByLine, LineFinding } from './line-findings.ts';
import { hunkOf, type PatchHunk, type PatchLine } from './patch.ts';
import { sidesOf } from './sides.ts';

export type DiffRow =
  | { readonly kind: 'file'; readonly key: string; readonly file: DiffFile }
  | { readonly kind: 'note'; readonly key: string; readonly file: DiffFile; readonly text: string }
  | {
      readonly kind: 'finding';
      readonly key: string;
      readonly file: DiffFile;
      readonly finding: LineFinding;
      /** Null: it is about the line above, or about the whole file. */
      readonly line: number | null;
    }
  | { readonly kind: 'image'; readonly key: string; readonly file: DiffFile }
  | {
      readonly kind: 'gap';
      readonly key: string;
      readonly file: DiffFile;
      /** Lines that are not shown: the first one in the text before, and how many; null if that is not known. */
      readonly first: number;
      readonly count: number | null;
      /** The hunk that follows; null at the end of a file. */
      readonly hunk: PatchHunk | null;
    }
  /** Comments below their line, or at the top of the file. */
  | {
      readonly kind: 'thread';
      readonly key: string;
      readonly file: DiffFile;
      readonly comments: readonly Comment[];
      readonly isPlaced: boolean;
    }
  /** Where a new comment is written. */
  | { readonly kind: 'form'; readonly key: string; readonly file: DiffFile }
  | {
      readonly kind: 'line';
      readonly key: string;
      readonly file: DiffFile;
      readonly hunk: PatchHunk;
      readonly line: PatchLine;
    }
  | {
      readonly kind: 'pair';
      readonly key: string;
      readonly file: DiffFile;
      readonly hunk: PatchHunk;
      readonly left: PatchLine | null;
      readonly right: PatchLine | null;
    };

export interface RowOptions {
  readonly isSideBySide: boolean;
  /** The files whose lines are hidden. */
  readonly closed: ReadonlySet<string>;
  /** Lines of the text before that were opened, by file: the whole text, and the number of lines shown above each hunk. */
  readonly opened: ReadonlyMap<string, OpenedContext>;
  /** Whether something can be done with a hunk, so that it needs a bar even if no lines are hidden above it. */
  readonly hasActs: (file: DiffFile) => boolean;
  readonly findings: FindingsByLine;
  readonly threads: ThreadsByFile;
  /** The key of the row below which a comment is written. */
  readonly formBelow: string | null;
}

export function diffRows(files: readonly DiffFile[], options: RowOptions): readonly DiffRow[] {
  return files.flatMap((file) => [
    { kind: 'file' as const, key: `${file.key} file`, file },
    ...(options.closed.has(file.key) ? [] : rowsOfFile(file, options)),
  ]);
}

function* rowsOfFile(file: DiffFile, options: RowOptions): Generator<DiffRow> {
  for (const text of file.notes) yield { kind: 'note', key: `${file.key} note ${text}`, file, text };
  const loaded = options.opened.get(file.key);
  const opened = loaded?.version === versionBefore(file) ? loaded : undefined;
  const unplaced = unplacedLines(file, opened, options);
  yield* findingRows(file, unplaced, options, true);
  yield* threadRow(file, 'top', unplacedComments(options.threads.get(file.key) ?? [], file), false);
  if (file.isImage) yield { kind: 'image', key: `${file.key} image`, file };
  let next = 1;
  let shift = 0;
  for (const [index, hunk] of file.hunks.entries()) {
    // A hunk without lines on one side begins after its first line there.
    const first = hunk.before[1] === 0 ? hunk.before[0] + 1 : hunk.before[0];
    yield* gapRows({ file, index, first: next, end: first, shift, hunk, opened, options });
    yield* hunkRows(file, hunk, `${file.key} ${index}`, options);
    next = first + hunk.before[1];
    shift += hunk.after[1] - hunk.before[1];
  }
  const isWhole = file.change.before === null || file.change.after === null;
  if (file.hunks.length === 0 || isWhole) return;
  const end = opened === undefined ? null : opened.lines.length + 1;
  yield* gapRows({ file, index: file.hunks.length, first: next, end, shift, hunk: null, opened, options });
}

interface Gap {
  readonly file: DiffFile;
  readonly index: number;
  readonly first: number;
  /** One after its last line; null if the length of the file is not known. */
  readonly end: number | null;
  /** How much later its lines are in the text after. */
  readonly shift: number;
  readonly hunk: PatchHunk | null;
  readonly opened: OpenedContext | undefined;
  readonly options: RowOptions;
}

function* gapRows({ file, index, first, end, shift, hunk, opened, options }: Gap): Generator<DiffRow> {
  const count = end === null ? null : end - first;
  if (count === 0 && hunk === null) return;
  const shown = Math.min(count ?? 0, opened?.shown[index] ?? 0);
  const hidden = count === null ? null : count - shown;
  const bar: DiffRow = { kind: 'gap', key: `${file.key} gap ${index}`, file, first, count: hidden, hunk };
  // Above a hunk, the lines next to it are opened first; after the last one, those that follow it.
  const from = hunk === null ? first : first + (hidden ?? 0);
  if (hunk !== null && (hidden !== 0 || options.hasActs(file))) yield bar;
  if (shown > 0 && opened !== undefined) {
    const lines = opened.lines.slice(from - 1, from - 1 + shown).map((text) => ` ${text}`);
    const context = hunkOf([from, shown], [from + shift, shown], lines);
    yield* hunkRows(file, context, `${file.key} open ${index}`, options);
  }
  if (hunk === null && hidden !== 0) yield bar;
}

function* hunkRows(file: DiffFile, hunk: PatchHunk, key: string, options: RowOptions): Generator<DiffRow> {
  if (!options.isSideBySide) {
    for (const [at, line] of hunk.lines.entries()) {
      yield { kind: 'line', key: `${key} ${at}`, file, hunk, line };
      if (line.after !== null) yield* findingRows(file, [line.after], options);
      yield* belowLine(file, `${key} ${at}`, [line], options);
    }
    return;
  }
  let at = 0;
  for (const [left, right] of sidesOf(hunk.lines)) {
    yield { kind: 'pair', key: `${key} ${at}`, file, hunk, left, right };
    if (right?.after != null) yield* findingRows(file, [right.after], options);
    yield* belowLine(file, `${key} ${at}`, [left, right], options);
    at += 1;
  }
}

function* belowLine(
  file: DiffFile,
  key: string,
  lines: readonly (PatchLine | null)[],
  { threads, formBelow }: RowOptions,
): Generator<DiffRow> {
  const all = threads.get(file.key);
  if (all !== undefined) {
    const found = lines.flatMap((line) => [
      ...commentsAt(all, 'before', line?.before ?? null),
      ...commentsAt(all, 'after', line?.after ?? null),
    ]);
    yield* threadRow(file, key, [...new Set(found)], true);
  }
  if (formBelow === key) yield { kind: 'form', key: `${key} form`, file };
}

function* threadRow(file: DiffFile, key: string, comments: readonly Comment[], isPlaced: boolean): Generator<DiffRow> {
  if (comments.length > 0) yield { kind: 'thread', key: `${file.key} ${key} thread`, file, comments, isPlaced };
}

function* findingRows(
  file: DiffFile,
  lines: readonly number[],
  { findings }: RowOptions,
  isElsewhere = false,
): Generator<DiffRow> {
  for (const line of lines) {
    for (const finding of findings.get(file.key)?.get(line) ?? []) {
      const key = `${file.key} finding ${line} ${finding.kind} ${finding.text}`;
      yield { kind: 'finding', key, file, finding, line: isElsewhere && line > 0 ? line : null };
    }
  }
}

/** Lines with findings that are not shown: they are said at the top of the file. */
function unplacedLines(file: DiffFile, opened: OpenedContext | undefined, { findings }: RowOptions): readonly number[] {
  const lines = [...(findings.get(file.key)?.keys() ?? [])];
  return lines.filter((line) => line === 0 || !isShown(file, opened, line)).sort((one, other) => one - other);
}
