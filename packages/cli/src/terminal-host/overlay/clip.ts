/** Fits styled text into columns. */
import { displayWidth, fitStart } from '@savepoint/core/frontend';

/** The styles of `view.ts`, which have no width. */
const STYLE = /(\x1b\[[\d;]*m)/;
const PLAIN = '\x1b[0m';

export function styledWidth(text: string): number {
  return text
    .split(STYLE)
    .filter((part) => !STYLE.test(part))
    .reduce((sum, part) => sum + displayWidth(part), 0);
}

/** Returns the start of a text that fits, with `…` if something was cut. Tabs become spaces. */
export function clip(given: string, columns: number): string {
  const text = given.replaceAll('\t', '    ');
  if (styledWidth(text) <= columns) return text;
  let room = columns;
  let clipped = '';
  for (const part of text.split(STYLE)) {
    if (STYLE.test(part)) clipped += part;
    else if (displayWidth(part) < room) {
      clipped += part;
      room -= displayWidth(part);
    } else {
      const cut = fitStart(part, room);
      return `${clipped}${cut.endsWith('…') ? cut : `${fitStart(`${part}  `, room)}`}${text.includes('\x1b') ? PLAIN : ''}`;
    }
  }
  return clipped;
}

/** Two texts at the ends of a line. The left one is cut first. */
export function apart(left: string, right: string, columns: number): string {
  const room = columns - styledWidth(right);
  if (room < 8) return clip(left, columns);
  const start = clip(left, room - 1);
  return `${start}${' '.repeat(Math.max(1, room - styledWidth(start)))}${right}`;
}
