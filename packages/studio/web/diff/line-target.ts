/** Brings a line of a diff into sight, also one that is hidden. */
import { useEffect, useRef } from 'react';
import type { DiffFile } from './diff-file.ts';
import { gapWith } from './hidden-lines.ts';
import type { PatchLine } from './patch.ts';
import type { DiffRow } from './rows.ts';

export interface LineTarget {
  /** The key of the file. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly side: 'before' | 'after';
}

export interface LineTargetParts {
  readonly target: LineTarget | null;
  readonly rows: readonly DiffRow[];
  /** Opens all lines of a gap, and the file if it is closed. */
  readonly open: (file: DiffFile, gap: number) => void;
  readonly scrollTo: (row: number) => void;
}

/** @returns the key of its row; null: there is no target, or it is not shown */
export function useLineTarget({ target, rows, open, scrollTo }: LineTargetParts): string | null {
  const waiting = useRef<LineTarget | null>(null);
  const seen = useRef<LineTarget | null>(null);
  const index = target === null ? -1 : rows.findIndex((row) => isAt(row, target));
  useEffect(() => {
    const isNew = target !== null && !isSame(target, seen.current);
    if (isNew) waiting.current = target;
    seen.current = target;
    if (waiting.current === null || target === null) return;
    if (index >= 0) {
      waiting.current = null;
      scrollTo(index);
      return;
    }
    const file = rows.find((row) => row.file.key === target.file)?.file;
    if (!isNew || file === undefined || file.hunks.length === 0) return;
    open(file, gapWith(file, lineAfter(file, target)));
  }, [target, index, rows, open, scrollTo]);
  return rows[index]?.key ?? null;
}

function isAt(row: DiffRow, { file, line, side }: LineTarget): boolean {
  if (row.file.key !== file) return false;
  const has = (one: PatchLine | null): boolean => one?.[side] === line;
  return row.kind === 'line' ? has(row.line) : row.kind === 'pair' && (has(row.left) || has(row.right));
}

function isSame(one: LineTarget, other: LineTarget | null): boolean {
  return other !== null && one.file === other.file && one.line === other.line && one.side === other.side;
}

/** Where a line that no hunk has is in the text after. */
function lineAfter({ hunks }: DiffFile, { line, side }: LineTarget): number {
  if (side === 'after') return line;
  const above = hunks.filter(({ before }) => before[0] + before[1] <= line);
  return above.reduce((at, { before, after }) => at + after[1] - before[1], line);
}
