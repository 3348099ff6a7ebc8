/** The lines of a diff that a person has chosen, by mouse or by key. */
import { useCallback, useMemo, useRef, useState } from 'react';
import type { CommentedLines } from '../comments/use-comments.ts';
import type { DiffFile } from './diff-file.ts';
import type { PatchLine } from './patch.ts';
import type { DiffRow } from './rows.ts';

export interface ChosenLines {
  readonly file: DiffFile;
  /** The key of the last row. */
  readonly lastRow: string;
  readonly count: number;
  /** Their numbers in the text after, for those that were added, and in the text before, for those that were removed. */
  readonly added: readonly number[];
  readonly removed: readonly number[];
  /** What a comment on them is about. */
  readonly commented: CommentedLines | null;
}

export interface LineChoice {
  readonly chosen: ChosenLines | null;
  readonly isChosen: (index: number) => boolean;
  /** @param isMore extends what is chosen */
  readonly choose: (index: number, isMore: boolean) => void;
  /** @returns the index of the row that is now the last one, to scroll to */
  readonly step: (by: 1 | -1, isMore: boolean, start: number) => number | null;
  readonly clear: () => void;
}

interface Range {
  /** Keys of rows, which stay when rows are added. */
  readonly anchor: string;
  readonly focus: string;
}

export function useLineChoice(rows: readonly DiffRow[]): LineChoice {
  const [range, setRange] = useState<Range | null>(null);
  const found = useMemo(() => (range === null ? null : placeOf(rows, range)), [rows, range]);
  const latest = useRef({ rows, found });
  latest.current = { rows, found };
  const choose = useCallback((index: number, isMore: boolean) => {
    const now = latest.current;
    const row = now.rows[index];
    if (row === undefined || !isLine(row)) return;
    const start = now.found === null ? undefined : now.rows[now.found.anchor];
    const anchor = isMore && start?.file.key === row.file.key ? start.key : row.key;
    setRange({ anchor, focus: row.key });
  }, []);
  const step = useCallback(
    (by: 1 | -1, isMore: boolean, start: number): number | null => {
      const { rows: all, found: place } = latest.current;
      let index = place === null ? start - 1 : place.focus + by;
      if (place === null) for (index = start; all[index] !== undefined && !isLine(all[index] as DiffRow); ) index += 1;
      else for (; all[index] !== undefined && !isLine(all[index] as DiffRow); ) index += by;
      if (all[index] === undefined) return place?.focus ?? null;
      choose(index, isMore);
      return index;
    },
    [choose],
  );
  const clear = useCallback(() => setRange(null), []);
  const chosen = useMemo(() => (found === null ? null : linesOf(rows, found)), [rows, found]);
  const [first, last] =
    found === null ? [-1, -2] : [Math.min(found.anchor, found.focus), Math.max(found.anchor, found.focus)];
  const isChosen = useCallback((index: number) => index >= first && index <= last, [first, last]);
  return { chosen, isChosen, choose, step, clear };
}

interface Place {
  readonly anchor: number;
  readonly focus: number;
}

/** @returns null if the rows are no longer shown */
function placeOf(rows: readonly DiffRow[], range: Range): Place | null {
  const anchor = rows.findIndex(({ key }) => key === range.anchor);
  const focus = rows.findIndex(({ key }) => key === range.focus);
  return anchor < 0 || focus < 0 ? null : { anchor, focus };
}

function linesOf(rows: readonly DiffRow[], { anchor, focus }: Place): ChosenLines {
  const part = rows.slice(Math.min(anchor, focus), Math.max(anchor, focus) + 1).filter(isLine);
  const lines = part.flatMap((row) => (row.kind === 'line' ? [row.line] : pairLines(row)));
  const last = part.at(-1) as LineOrPair;
  const added = lines.flatMap((line) => (line.kind === 'added' && line.after !== null ? [line.after] : []));
  const removed = lines.flatMap((line) => (line.kind === 'removed' && line.before !== null ? [line.before] : []));
  return { file: last.file, lastRow: last.key, count: part.length, added, removed, commented: commentedOf(lines) };
}

/** The text after, if any of them is in it. */
function commentedOf(lines: readonly PatchLine[]): CommentedLines | null {
  for (const side of ['after', 'before'] as const) {
    const numbers = lines.flatMap((line) => line[side] ?? []);
    const [first, last] = [numbers[0], numbers.at(-1)];
    if (first !== undefined && last !== undefined) return { side, first, last };
  }
  return null;
}

type LineOrPair = Extract<DiffRow, { readonly kind: 'line' | 'pair' }>;

function pairLines({ left, right }: Extract<DiffRow, { readonly kind: 'pair' }>): readonly PatchLine[] {
  return [left, right === left ? null : right].filter((line) => line !== null);
}

function isLine(row: DiffRow): row is LineOrPair {
  return row.kind === 'line' || row.kind === 'pair';
}
