/** Makes lines that occur once, so that the author of each is known, and edits of texts that consist of them. */

import type { SeededRandom } from '../seeded-random.ts';

const WORDS = ['river', 'stone', 'cloud', 'grass', 'ember', 'field'] as const;

const COMMON = ['}', '', '  return;'] as const;

export class NewLines {
  readonly #random: SeededRandom;
  #count = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** The mark of a line, which no other line has. */
  mark(author: string): string {
    this.#count += 1;
    return `${author}-${this.#count}:`;
  }

  line(author: string): string {
    return `${this.mark(author)} ${this.#random.pick(WORDS)} ${this.#random.pick(WORDS)}`;
  }

  /** Some of them are lines that many files have, as in programs. */
  several(author: string, count: number): readonly string[] {
    return Array.from({ length: count }, () =>
      this.#random.integer(8) === 0 ? this.#random.pick(COMMON) : this.line(author),
    );
  }

  /** A binary content, as text for `printf`. */
  binary(author: string): string {
    return `${this.mark(author)}\\000\\001`;
  }
}

/** Words that occur more than once in a text. */
export function repeatedWords(text: string): readonly string[] {
  return WORDS.filter((word) => text.split(word).length > 2);
}

/** The mark of a line; null for a line of another kind. */
export function markOf(line: string): string | null {
  return /^[a-z]+-\d+:/.exec(line)?.[0] ?? null;
}

export function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

export function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** Changes lines of a text here and there: replaces, inserts, deletes, or changes a part of one. */
export function retouched(text: string, author: string, random: SeededRandom, fresh: NewLines): string {
  const lines = splitLines(text);
  for (let left = 1 + random.integer(2); left > 0; left--) {
    const at = random.integer(lines.length + 1);
    const line = lines[at];
    const mark = line === undefined ? null : markOf(line);
    const way = random.integer(6);
    if (line === undefined || way < 2) lines.splice(at, 0, ...fresh.several(author, 1 + random.integer(3)));
    else if (way === 2) lines.splice(at, 1 + random.integer(2));
    else if (way === 3 && mark !== null) lines[at] = line.replace(mark, fresh.mark(author));
    else lines[at] = fresh.line(author);
  }
  return joinLines(lines);
}
