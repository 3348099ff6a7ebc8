import { showContent } from '@savepoint/core/frontend';
import type { OutputView, Style } from '../view.ts';

/**
 * A program gets the raw bytes of a patch; for a terminal, control characters are escaped.
 * @param bytes one character per byte
 */
export function patchText(bytes: string, { isTerminal, style }: OutputView): string | Buffer {
  return isTerminal ? coloured(showContent(bytes), style) : Buffer.from(bytes, 'latin1');
}

/** A patch among other lines of text. @param bytes one character per byte */
export function patchLines(bytes: string, style: Style): readonly string[] {
  return bytes === '' ? [] : coloured(showContent(bytes).replace(/\n$/, ''), style).split('\n');
}

function coloured(patch: string, style: Style): string {
  return patch
    .split('\n')
    .map((line) => {
      if (/^(?:diff |index |--- |\+\+\+ |new |old |deleted |# )/.test(line)) return style.strong(line);
      if (line.startsWith('@@')) return style.id(line);
      return line.startsWith('+') ? style.good(line) : line.startsWith('-') ? style.bad(line) : line;
    })
    .join('\n');
}
