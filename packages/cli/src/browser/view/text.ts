/** Fits texts into columns. */
import { clip, styledWidth } from '../../terminal-host/overlay/clip.ts';

const ASCII = /^[\x20-\x7e]*$/;

/** Exactly this many columns: cut with `…`, or filled with spaces. */
export function fit(text: string, columns: number): string {
  if (ASCII.test(text) && text.length <= columns) return text.padEnd(columns);
  const cut = clip(text, Math.max(0, columns));
  return `${cut}${' '.repeat(Math.max(0, columns - styledWidth(cut)))}`;
}

/** Two texts at the ends of a line; the left one is cut first. */
export function ends(left: string, right: string, columns: number): string {
  const room = columns - styledWidth(right);
  if (right === '' || room < MOST_CUT) return fit(left, columns);
  return `${fit(left, room - 1)} ${right}`;
}

/** The right text is left out if the left one would keep fewer columns. */
const MOST_CUT = 16;

/** Breaks a text at spaces. @param most lines; the last one is cut */
export function wrap(text: string, columns: number, most: number): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest !== '' && lines.length < most - 1 && styledWidth(rest) > columns) {
    const start = rest.slice(0, columns + 1);
    const space = start.lastIndexOf(' ');
    const end = space > columns / 2 ? space : Math.min(columns, rest.length);
    if (styledWidth(rest.slice(0, end)) > columns) break;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, clip(rest, columns)];
}
