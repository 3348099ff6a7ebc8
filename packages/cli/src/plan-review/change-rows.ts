/** The rows in which a review shows one change. Long lines are wrapped: what is approved must have been visible. */
import { showText } from '@savepoint/core';
import { displayWidth, showContent } from '@savepoint/core/frontend';
import { patchFiles } from '../browser/diff/patch-file.ts';
import { wrap } from '../browser/view/text.ts';
import type { Style } from '../view.ts';
import type { Decisions, Part, PlanChange, PlanHunks } from './decisions.ts';

export interface ChangeRows {
  readonly rows: readonly Row[];
  /** Where each part starts. */
  readonly starts: ReadonlyMap<Part, number>;
}

export interface Row {
  readonly part: Part;
  readonly kind: 'head' | 'line';
  readonly text: string;
}

/** A failure that is about a line of the proposed file. */
export interface LineFailure extends Failure {
  /** Null: about the file. */
  readonly line: number | null;
}

/** A new failure of the plan's checks. */
export interface Failure {
  readonly check: string;
  /** What the check said, in most cases with path and line. */
  readonly text: string;
}

/** What of a change is read only when it is shown. */
export interface ChangeContent {
  /** Null if it has no separate hunks. */
  readonly hunks: PlanHunks;
  /** The patch of a change without separate hunks. */
  readonly patch: Buffer;
  /** Why it cannot be read; null: it can. */
  readonly problem: string | null;
}

export interface ShownChange {
  readonly change: PlanChange;
  /** Null: it is being read. */
  readonly content: ChangeContent | null;
  readonly failures: readonly LineFailure[];
}

/** A line that needs more rows is cut, with a note. */
const MOST_ROWS = 400;
const NUMBER_COLUMNS = 5;
const MOST_FAILURE_ROWS = 8;

export function changeRows(shown: ShownChange, columns: number, style: Style): ChangeRows {
  const { change } = shown;
  const rows: Row[] = [];
  const starts = new Map<Part, number>();
  const room = Math.max(10, columns - NUMBER_COLUMNS - 4);
  const addText = (part: Part, kind: Row['kind'], text: string): number => rows.push({ part, kind, text });
  const addFailure = (part: Part, failure: Failure, mark: string): void => {
    for (const text of failureTexts(failure, mark, columns)) addText(part, 'line', style.bad(text));
  };
  const visible = visibleLines(shown);
  for (const failure of shown.failures) {
    if (failure.line === null || visible?.has(failure.line) === false) addFailure(null, failure, '!');
  }
  const addLine = (part: Part, sign: string, content: string, number: number | null): void => {
    const paint = sign === '+' ? style.good : sign === '-' ? style.bad : (text: string) => text;
    const label = style.faint(String(number ?? '').padStart(NUMBER_COLUMNS));
    for (const [index, piece] of wrapped(content, room).entries()) {
      addText(
        part,
        'line',
        `${index === 0 ? label : ' '.repeat(NUMBER_COLUMNS)} ${paint(`${index === 0 ? sign : ' '}${piece}`)}`,
      );
    }
    if (sign === '-' || number === null) return;
    for (const failure of shown.failures) if (failure.line === number) addFailure(part, failure, '^');
  };
  const lines = new Map(shown.content?.hunks?.map((hunk) => [hunk.number, hunk.lines]));
  for (const hunk of change.hunks ?? []) {
    starts.set(hunk.number, rows.length);
    let [before, after] = [hunk.beforeStart + 1, hunk.afterStart + 1];
    const range = (start: number, count: number): string => (count === 1 ? `${start}` : `${start},${count}`);
    const head = `@@ -${range(before, hunk.beforeCount)} +${range(after, hunk.afterCount)} @@`;
    addText(hunk.number, 'head', head);
    const instead = shown.content === null ? style.faint('reading …') : problemText(shown.content, style);
    if (instead !== null) addText(hunk.number, 'line', `${' '.repeat(NUMBER_COLUMNS)} ${instead}`);
    for (const line of lines.get(hunk.number) ?? []) {
      const sign = line[0] ?? ' ';
      addLine(hunk.number, sign, showContent(line.slice(1).replace(/\n$/, '')), sign === '-' ? before : after);
      if (!line.endsWith('\n'))
        addText(hunk.number, 'line', style.faint(`${' '.repeat(NUMBER_COLUMNS)} no newline at the end`));
      if (sign !== '+') before += 1;
      if (sign !== '-') after += 1;
    }
  }
  if (starts.size === 0) {
    starts.set(null, rows.length);
    addText(null, 'head', wholeHead(change));
    // The contents are the same, so the patch would be the whole file twice.
    if (change.hunks === null) addPatch(shown, (sign, content, number) => addLine(null, sign, content, number), style);
  }
  return { rows, starts };
}

export function markOf(accepted: boolean | null, style: Style): string {
  return accepted === true
    ? style.good('[accepted]')
    : accepted === false
      ? style.bad('[rejected]')
      : style.faint('[open]');
}

/** As wide as every other one. */
export function changeMark(change: PlanChange, decisions: Decisions, style: Style): string {
  switch (decisions.stateOf(change)) {
    case 'accepted':
      return style.good('accepted');
    case 'rejected':
      return style.bad('rejected');
    case 'some':
      return style.bad('partly  ');
    case 'open':
      return style.faint('open    ');
  }
}

/** The failures that name this path, as `path:line: message`. */
export function failuresAt(path: string, failures: readonly Failure[]): readonly LineFailure[] {
  return failures.flatMap(({ check, text }): readonly LineFailure[] => {
    if (!text.startsWith(path)) return [];
    const rest = /^:(\d+)/.exec(text.slice(path.length));
    if (rest !== null) return [{ check, line: Number(rest[1]), text }];
    return /^[:\s(]/.test(text.slice(path.length)) ? [{ check, line: null, text }] : [];
  });
}

/** The lines of the proposed file that its hunks show; null: this is not known. */
function visibleLines({ change: { hunks }, content }: ShownChange): ReadonlySet<number> | null {
  if (hunks === null || hunks.length === 0 || content === null) return null;
  return new Set(
    hunks.flatMap(({ afterStart, afterCount }) =>
      Array.from({ length: afterCount }, (_, line) => afterStart + line + 1),
    ),
  );
}

function addPatch(
  { change: { change }, content }: ShownChange,
  add: (sign: string, content: string, number: number | null) => void,
  style: Style,
): void {
  if (content === null) {
    add(' ', style.faint('reading …'), null);
    return;
  }
  const problem = problemText(content, style);
  if (problem !== null) {
    add(' ', problem, null);
    return;
  }
  const files = patchFiles(content.patch.toString('latin1'), [
    { path: change.path, from: null, word: '', note: '', added: change.added, removed: change.removed },
    ...(change.from === null
      ? []
      : [{ path: change.from, from: null, word: '', note: '', added: change.added, removed: change.removed }]),
  ]);
  const lines = files.flatMap((file) => file.lines);
  for (const line of lines) {
    if (line.kind === 'hunk') add(' ', style.faint(line.text), null);
    else if (line.kind === 'note') add(' ', style.faint(line.text), null);
    else add(line.kind === 'added' ? '+' : line.kind === 'removed' ? '-' : ' ', line.text, line.number);
  }
  if (lines.length === 0) add(' ', style.faint('no lines to show'), null);
}

function wholeHead({ change: { operation, before, after, from } }: PlanChange): string {
  if (operation === 'rename' && from !== null) return 'renamed, content as before';
  if (operation === 'mode') return `permissions ${modeOf(before)} → ${modeOf(after)}`;
  return operation === 'create' ? 'new' : operation === 'delete' ? 'deleted' : 'the whole change';
}

function modeOf(entry: PlanChange['change']['before']): string {
  return entry === null || entry.kind === 'link' ? '-' : entry.mode.toString(8).padStart(4, '0');
}

function problemText({ problem }: ChangeContent, style: Style): string | null {
  return problem === null ? null : style.bad(`cannot be read: ${showText(problem)}`);
}

function failureTexts({ check, text }: Failure, mark: string, columns: number): readonly string[] {
  const indent = ' '.repeat(NUMBER_COLUMNS + 1);
  const room = Math.max(20, columns - indent.length - 4);
  const whole = wrap(`${showText(check)}: ${showText(text)}`, room, MOST_FAILURE_ROWS);
  return whole.map((line, index) => `${indent}${index === 0 ? mark : ' '} ${line}`);
}

function wrapped(content: string, columns: number): readonly string[] {
  const text = content.replaceAll('\t', '    ');
  if (/^[\x20-\x7e]*$/.test(text) && text.length <= columns) return [text];
  const pieces: string[] = [];
  let piece = '';
  let width = 0;
  for (const letter of letters(text)) {
    const wide = displayWidth(letter);
    if (width + wide > columns) {
      pieces.push(piece);
      [piece, width] = ['', 0];
      if (pieces.length === MOST_ROWS) return [...pieces, '… (this line is longer: `savepoint plan show --patch`)'];
    }
    piece += letter;
    width += wide;
  }
  return [...pieces, piece];
}

function letters(text: string): Iterable<string> {
  return /^[\x20-\x7e]*$/.test(text) ? text : Array.from(SEGMENTS.segment(text), ({ segment }) => segment);
}

const SEGMENTS = new Intl.Segmenter();
