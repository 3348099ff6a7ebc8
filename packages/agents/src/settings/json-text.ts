/**
 * JSON as a person keeps it: with comments, with commas before the end, in their own layout. It is read into a tree that
 * knows where everything stands, so that one place can be changed and every other byte stays.
 */

interface Span {
  /** From the first character of the value to behind its last. */
  readonly start: number;
  readonly end: number;
}

export interface JsonMember {
  readonly key: string;
  readonly keyStart: number;
  readonly value: JsonNode;
}

export type JsonNode = Span &
  (
    | { readonly kind: 'object'; readonly members: readonly JsonMember[] }
    | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
    | { readonly kind: 'plain'; readonly plain: unknown }
  );

/** What is no JSON, and where. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError';
}

const DEEPEST = 100;

/** @throws JsonTextError */
export function parseJsonText(text: string): JsonNode {
  const reader = new Reader(text);
  reader.space();
  const node = reader.value(0);
  reader.space();
  if (reader.at < text.length) reader.fail('something follows its end');
  return node;
}

export function plainOf(node: JsonNode): unknown {
  switch (node.kind) {
    case 'plain':
      return node.plain;
    case 'array':
      return node.items.map(plainOf);
    case 'object':
      return Object.fromEntries(node.members.map(({ key, value }) => [key, plainOf(value)]));
  }
}

export function memberOf(node: JsonNode, key: string): JsonNode | null {
  if (node.kind !== 'object') return null;
  return node.members.findLast((member) => member.key === key)?.value ?? null;
}

/** Where the children of an object or a list begin and end: a member with its key. */
export function childSpans(node: JsonNode): readonly Span[] {
  if (node.kind === 'array') return node.items;
  if (node.kind === 'object') return node.members.map(({ keyStart, value }) => ({ start: keyStart, end: value.end }));
  return [];
}

/** Behind white space and comments. */
export function behindSpace(text: string, at: number): number {
  const reader = new Reader(text, at);
  reader.space();
  return reader.at;
}

class Reader {
  constructor(
    private readonly text: string,
    public at = 0,
  ) {}

  value(depth: number): JsonNode {
    if (depth > DEEPEST) this.fail(`it is nested more than ${DEEPEST} levels deep`);
    const sign = this.text[this.at];
    if (sign === '{') return this.#object(depth);
    if (sign === '[') return this.#array(depth);
    return sign === '"' ? this.#string() : this.#word();
  }

  space(): void {
    for (;;) {
      const from = this.at;
      const blank = /[\s\ufeff]*/y;
      blank.lastIndex = from;
      blank.exec(this.text);
      this.at = blank.lastIndex;
      if (this.text.startsWith('//', this.at)) this.at = this.#indexOr('\n', this.text.length);
      else if (this.text.startsWith('/*', this.at)) {
        const end = this.text.indexOf('*/', this.at + 2);
        if (end < 0) this.fail('a comment has no end');
        this.at = end + 2;
      }
      if (this.at === from) return;
    }
  }

  fail(why: string): never {
    const before = this.text.slice(0, this.at);
    const line = before.split('\n').length;
    const column = this.at - before.lastIndexOf('\n');
    throw new JsonTextError(`${why} (line ${line}, column ${column})`);
  }

  #object(depth: number): JsonNode {
    const start = this.at;
    const members: JsonMember[] = [];
    this.#each('}', () => {
      const keyStart = this.at;
      if (this.text[this.at] !== '"') this.fail('a name in quotes is missing');
      const key = this.#string();
      this.space();
      if (this.text[this.at] !== ':') this.fail('a colon is missing');
      this.at += 1;
      this.space();
      members.push({ key: String(key.kind === 'plain' ? key.plain : ''), keyStart, value: this.value(depth + 1) });
    });
    return { kind: 'object', start, end: this.at, members };
  }

  #array(depth: number): JsonNode {
    const start = this.at;
    const items: JsonNode[] = [];
    this.#each(']', () => items.push(this.value(depth + 1)));
    return { kind: 'array', start, end: this.at, items };
  }

  #each(close: string, read: () => void): void {
    this.at += 1;
    for (;;) {
      this.space();
      if (this.text[this.at] === close) break;
      read();
      this.space();
      if (this.text[this.at] === ',') this.at += 1;
      else if (this.text[this.at] !== close) this.fail('a comma or an end is missing');
    }
    this.at += 1;
  }

  #string(): JsonNode {
    const start = this.at;
    let end = start + 1;
    while (end < this.text.length && this.text[end] !== '"' && this.text[end] !== '\n')
      end += this.text[end] === '\\' ? 2 : 1;
    if (this.text[end] !== '"') this.fail('a text has no end');
    return this.#plain(start, end + 1);
  }

  #word(): JsonNode {
    const word = /[^\s,:[\]{}"/]*/y;
    word.lastIndex = this.at;
    word.exec(this.text);
    if (word.lastIndex === this.at) this.fail('a value is missing');
    return this.#plain(this.at, word.lastIndex);
  }

  #plain(start: number, end: number): JsonNode {
    let plain: unknown;
    try {
      plain = JSON.parse(this.text.slice(start, end));
    } catch {
      this.fail(`${this.text.slice(start, Math.min(end, start + 40))} is no value`);
    }
    this.at = end;
    return { kind: 'plain', start, end, plain };
  }

  #indexOr(what: string, otherwise: number): number {
    const found = this.text.indexOf(what, this.at);
    return found < 0 ? otherwise : found;
  }
}
