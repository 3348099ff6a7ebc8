import { shownCode } from '../data/names.ts';
import type { PatchLine } from './patch.ts';
import type { Part, Syntax } from './syntax.ts';
import type { Range } from './words.ts';

interface Piece {
  /** Where it begins in the line. */
  readonly start: number;
  readonly syntax: Syntax;
  readonly text: string;
  readonly isMarked: boolean;
}

export interface LineTextProps {
  readonly line: PatchLine;
  readonly parts: readonly Part[] | null;
  readonly ranges: readonly Range[];
}

/** The text of a line, with its syntax and its changed words. Whatever is in the file is shown as text. */
export function LineText({ line, parts, ranges }: LineTextProps) {
  const pieces = piecesOf(parts ?? [['plain', line.text]], ranges);
  return (
    <>
      {pieces.map(({ start, syntax, text, isMarked }) => {
        const name = `${syntax === 'plain' ? '' : `code-${syntax}`}${isMarked ? ' word' : ''}`;
        return name === '' ? (
          shownCode(text)
        ) : (
          <span key={start} className={name}>
            {shownCode(text)}
          </span>
        );
      })}
      {line.isCutOff && <span className="no-end"> (no line feed at the end of the file)</span>}
    </>
  );
}

function piecesOf(parts: readonly Part[], ranges: readonly Range[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const [syntax, text] of parts) {
    let rest = at;
    const end = at + text.length;
    for (const [first, last] of ranges) {
      const [from, to] = [Math.max(first, rest), Math.min(last, end)];
      if (from >= to) continue;
      if (from > rest) pieces.push({ start: rest, syntax, text: text.slice(rest - at, from - at), isMarked: false });
      pieces.push({ start: from, syntax, text: text.slice(from - at, to - at), isMarked: true });
      rest = to;
    }
    if (rest < end) pieces.push({ start: rest, syntax, text: text.slice(rest - at), isMarked: false });
    at = end;
  }
  return pieces;
}
