/** Reads the words of a line in bash, and quotes completions for it. */

export interface BashLine {
  /** Without quotes, and without the program. */
  readonly words: readonly string[];
  /** The word at the cursor, without quotes. */
  readonly typed: string;
  /** The part of `typed` that bash leaves alone, because a separator of its own follows it: `message:`. */
  readonly kept: string;
  /** The quote in which the cursor is: `'`, `"` or `$'`; empty outside. */
  readonly quote: string;
}

const ANSI: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  e: '\x1b',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
};

/**
 * @param line up to the cursor
 * @param breaks bash's COMP_WORDBREAKS
 */
export function readBashLine(line: string, breaks: string): BashLine {
  const words: string[] = [];
  let word: string | null = null;
  let kept = '';
  let quote = '';
  const add = (text: string): void => {
    word = (word ?? '') + text;
  };
  for (let at = 0; at < line.length; at++) {
    const letter = line[at]!;
    const next = line[at + 1];
    if (quote === "'" && letter !== "'") add(letter);
    else if (quote === '"' && letter === '\\' && next !== undefined && '"\\$`\n'.includes(next)) add(line[++at]!);
    else if (quote === "$'" && letter === '\\' && next !== undefined) {
      const code = /^\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3}))/.exec(line.slice(at));
      if (code === null) add(ANSI[next] ?? next);
      else add(String.fromCharCode(Number.parseInt(code[1] ?? code[2]!, code[1] === undefined ? 8 : 16)));
      at += (code?.[0].length ?? 2) - 1;
    } else if (quote !== '' && letter === quote.at(-1)) quote = '';
    else if (quote !== '') add(letter);
    else if (letter === '\\') {
      if (next !== undefined) add(line[++at]!);
    } else if (letter === "'" || letter === '"') {
      quote = letter;
      add('');
    } else if (letter === '$' && next === "'") {
      quote = "$'";
      at += 1;
      add('');
    } else if (/\s/.test(letter)) {
      if (word !== null) words.push(word);
      word = null;
      kept = '';
    } else {
      const start: string = word ?? '';
      add(letter);
      // Readline replaces from a separator on that is a prefix of names, but from after any other.
      if (breaks.includes(letter)) kept = '@$'.includes(letter) ? start : `${start}${letter}`;
    }
  }
  const start = words.findIndex((one) => !/^\w+=/.test(one));
  return { words: words.slice(start + 1), typed: word ?? '', kept, quote };
}

/** C0, DEL and C1: a terminal may act on each of them. */
const CONTROLS = /[\x00-\x1f\x7f-\x9f]/;

/** Quotes a word, or the rest of a word in an open quote. */
export function quoteForBash(word: string, quote: string): string {
  switch (quote) {
    case "'":
      return word.replaceAll("'", "'\\''");
    case '"':
      return word.replace(/["\\$`]/g, '\\$&').replaceAll('!', `"'!'"`);
    case "$'":
      return escapeForAnsi(word);
    default:
      return CONTROLS.test(word)
        ? `$'${escapeForAnsi(word)}'`
        : word.replace(/[^\w@%+=:,./~\u0080-\uffff-]|(?<![\w.])~/g, '\\$&');
  }
}

function escapeForAnsi(word: string): string {
  return word
    .replace(/['\\]/g, '\\$&')
    .replace(new RegExp(CONTROLS, 'g'), (letter) => [...Buffer.from(letter)].map(octal).join(''));
}

function octal(byte: number): string {
  return `\\${byte.toString(8).padStart(3, '0')}`;
}
