export interface IndentPair {
  /** The indentation in the given text, and that of the same line in the file. */
  readonly given: string;
  readonly file: string;
}

/** Converts indentation from the caller's style to that of the file. */
export class Indentation {
  readonly #files = new Map<string, string>();
  /** One more level in both styles, if two lines show it. */
  readonly #step: IndentPair | null;

  constructor(pairs: readonly IndentPair[]) {
    for (const { given, file } of pairs) if (!this.#files.has(given)) this.#files.set(given, file);
    this.#step = smallestStep([...this.#files].map(([given, file]) => ({ given, file })));
  }

  /** Returns the indentation in the file for a given one. Returns it unchanged if it is unknown. */
  inFile(given: string): string {
    const known = this.#files.get(given);
    if (known !== undefined) return known;
    let under: IndentPair | null = null;
    let over: IndentPair | null = null;
    for (const [other, file] of this.#files) {
      if (given.startsWith(other) && other.length > (under?.given.length ?? -1)) under = { given: other, file };
      if (other.startsWith(given) && other.length < (over?.given.length ?? Number.POSITIVE_INFINITY)) {
        over = { given: other, file };
      }
    }
    if (under !== null) return under.file + this.#deeper(given.slice(under.given.length));
    if (over === null) return given;
    const less = this.#deeper(over.given.slice(given.length));
    return over.file.endsWith(less) ? over.file.slice(0, over.file.length - less.length) : given;
  }

  #deeper(more: string): string {
    const step = this.#step;
    if (step === null || more === '') return more;
    const levels = more.length / step.given.length;
    return Number.isInteger(levels) && step.given.repeat(levels) === more ? step.file.repeat(levels) : more;
  }
}

function smallestStep(pairs: readonly IndentPair[]): IndentPair | null {
  const sorted = [...pairs].sort((a, b) => a.given.length - b.given.length);
  let smallest: IndentPair | null = null;
  for (const [i, over] of sorted.entries()) {
    const under = sorted[i - 1];
    if (under === undefined || !over.given.startsWith(under.given) || !over.file.startsWith(under.file)) continue;
    const given = over.given.slice(under.given.length);
    const file = over.file.slice(under.file.length);
    if (given !== '' && file !== '' && (smallest === null || given.length < smallest.given.length)) {
      smallest = { given, file };
    }
  }
  return smallest;
}
