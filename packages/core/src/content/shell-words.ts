/**
 * Splits a shell command into simple commands and their words, roughly: for evidence, never to run it. Whatever is not
 * understood only leads to more or fewer words.
 */

/** One program with its arguments. */
export interface SimpleCommand {
  /** Without quotes. The first one is the program. */
  readonly words: readonly string[];
  /** The files of output redirections: `> a.txt`. */
  readonly targets: readonly string[];
  /** The lines of its here-documents. */
  readonly text: string;
}

/** In characters. The rest of a longer command is not read. */
const MAX_LENGTH = 64 * 1024;

/** The number of steps is proportional to the length of the command. */
export function simpleCommands(command: string): readonly SimpleCommand[] {
  return new Splitter(command.slice(0, MAX_LENGTH)).split();
}

type Redirection = 'output' | 'input' | 'here-document' | null;

const SEPARATORS = new Set([';', '&', '|', '\n', '\r', '(', ')', '`']);

class Splitter {
  readonly #text: string;
  readonly #found: SimpleCommand[] = [];
  #words: string[] = [];
  #targets: string[] = [];
  #body = '';
  /** Null between two words. */
  #word: string | null = null;
  #redirection: Redirection = null;
  /** The ends of the here-documents that begin at the next line. */
  #ends: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  split(): readonly SimpleCommand[] {
    const text = this.#text;
    let at = 0;
    while (at < text.length) at = this.#step(at);
    this.#endCommand();
    return this.#found;
  }

  /** @returns where to continue */
  #step(at: number): number {
    const text = this.#text;
    const character = text[at]!;
    if (character === '\\') {
      if (text[at + 1] !== '\n') this.#add(text[at + 1] ?? '');
      return at + 2;
    }
    if (character === "'" || character === '"') return this.#quoted(at, character);
    if (character === ' ' || character === '\t') {
      this.#endWord();
      return at + 1;
    }
    if (character === '#' && this.#word === null) {
      const end = text.indexOf('\n', at);
      return end < 0 ? text.length : end;
    }
    if (character === '>' || character === '<') return this.#redirect(at, character);
    if (character === '\n') {
      this.#endWord();
      if (this.#ends.length > 0) return this.#hereDocuments(at + 1);
    }
    if (SEPARATORS.has(character)) {
      // `&>` is a redirection.
      if (character === '&' && text[at + 1] === '>') return at + 1;
      this.#endCommand();
      return at + 1;
    }
    this.#add(character);
    return at + 1;
  }

  #quoted(at: number, quote: string): number {
    const text = this.#text;
    let content = '';
    let next = at + 1;
    for (; next < text.length && text[next] !== quote; next++) {
      if (quote === '"' && text[next] === '\\') next++;
      content += text[next] ?? '';
    }
    this.#add(content);
    return next + 1;
  }

  #redirect(at: number, character: string): number {
    const text = this.#text;
    // The number of a stream: `2>`.
    if (this.#word !== null && /^\d+$/.test(this.#word)) this.#word = null;
    this.#endWord();
    let next = at + 1;
    while (text[next] === character) next++;
    const count = next - at;
    if (text[next] === '|') next++;
    if (text[next] === '-' && count === 2) next++;
    // `>&2` names a stream.
    if (text[next] === '&') next++;
    this.#redirection = character === '>' ? 'output' : count === 2 ? 'here-document' : 'input';
    return next;
  }

  #hereDocuments(at: number): number {
    const ends = this.#ends;
    this.#ends = [];
    let next = at;
    for (const end of ends) {
      while (next < this.#text.length) {
        const found = this.#text.indexOf('\n', next);
        const lineEnd = found < 0 ? this.#text.length : found;
        const line = this.#text.slice(next, lineEnd);
        next = lineEnd + 1;
        if (line.trim() === end) break;
        this.#body += `${line}\n`;
      }
    }
    this.#endCommand();
    return next;
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  #endWord(): void {
    const word = this.#word;
    this.#word = null;
    if (word === null) return;
    const redirection = this.#redirection;
    this.#redirection = null;
    if (redirection === 'output') this.#targets.push(word);
    else if (redirection === 'here-document') this.#ends.push(word);
    else if (redirection === null) this.#words.push(word);
  }

  #endCommand(): void {
    this.#endWord();
    this.#redirection = null;
    const [words, targets, text] = [this.#words, this.#targets, this.#body];
    [this.#words, this.#targets, this.#body] = [[], [], ''];
    if (words.length > 0 || targets.length > 0) this.#found.push({ words, targets, text });
  }
}
