/** A line of one-byte characters with its line ending: LF, CRLF, or none if the content ends without one. */
export type Line = string;

/** Lines as numbers: equal lines have equal numbers, so that lines can be compared as numbers. */
export type NumberedLines = Int32Array;

/** Splits a content into lines. A CR is an ordinary byte; joining the lines gives the content again. */
export function splitLines(content: Buffer): Line[] {
  const text = content.toString('latin1');
  const lines: Line[] = [];
  for (let at = 0; at < text.length; ) {
    const feed = text.indexOf('\n', at);
    const end = feed < 0 ? text.length : feed + 1;
    lines.push(text.slice(at, end));
    at = end;
  }
  return lines;
}

/** Returns the number of lines that `splitLines` would return. */
export function countLines(content: Buffer): number {
  let count = 0;
  for (let at = 0; at < content.length; count++) {
    const feed = content.indexOf(0x0a, at);
    at = feed < 0 ? content.length : feed + 1;
  }
  return count;
}

export function joinLines(lines: readonly Line[]): Buffer {
  return Buffer.from(lines.join(''), 'latin1');
}

/** Assigns numbers to the lines of contents that are compared with each other. */
export class LineNumbers {
  readonly #numbers = new Map<Line, number>();

  of(lines: readonly Line[]): NumberedLines {
    const numbered = new Int32Array(lines.length);
    lines.forEach((line, i) => {
      const known = this.#numbers.get(line);
      if (known === undefined) this.#numbers.set(line, this.#numbers.size);
      numbered[i] = known ?? this.#numbers.size - 1;
    });
    return numbered;
  }
}
