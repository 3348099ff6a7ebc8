import type { Language, TreeCursor } from 'web-tree-sitter';

/** A node: its index in the order in which nodes start, parents first. */
export type SyntaxNode = number;

export const NO_NODE: SyntaxNode = -1;

/** The id that tree-sitter gives to what does not fit its grammar. */
const ERROR_TYPE = 0xffff;

/**
 * A syntax tree as a table. Tree-sitter's own tree is in the memory of WebAssembly: each question to it costs a call, and
 * it must be deleted. This one is copied from it in one pass. It is valid until the next file is read.
 */
export class SyntaxTree {
  text = '';
  count = 0;
  /** Nodes that do not fit the grammar, the outermost only. */
  readonly errors: SyntaxNode[] = [];
  /** Tokens that the parser inserted. */
  readonly missing: SyntaxNode[] = [];
  readonly #language: Language;
  readonly #names: readonly string[];
  readonly #fieldIds = new Map<string, number>();
  #types = new Uint16Array(0);
  #fields = new Uint16Array(0);
  #starts = new Uint32Array(0);
  #ends = new Uint32Array(0);
  #nexts = new Uint32Array(0);
  #lineStarts: number[] = [];

  constructor(language: Language) {
    this.#language = language;
    this.#names = language.types;
    language.fields.forEach((name, id) => {
      if (name !== null) this.#fieldIds.set(name, id);
    });
  }

  /** Copies a tree of tree-sitter, and deletes nothing. */
  fill(text: string, cursor: TreeCursor): void {
    this.text = text;
    this.count = 0;
    this.errors.length = 0;
    this.missing.length = 0;
    this.#lineStarts = [];
    const open: SyntaxNode[] = [];
    let errorEnd = 0;
    for (;;) {
      const node = this.#add(cursor);
      if (this.#types[node] === ERROR_TYPE && this.#starts[node]! >= errorEnd) {
        this.errors.push(node);
        errorEnd = Math.max(this.#ends[node]!, this.#starts[node]! + 1);
      } else if (this.#starts[node] === this.#ends[node] && cursor.nodeIsMissing) this.missing.push(node);
      if (cursor.gotoFirstChild()) {
        open.push(node);
        continue;
      }
      this.#nexts[node] = this.count;
      while (!cursor.gotoNextSibling()) {
        const parent = open.pop();
        if (parent === undefined) return;
        this.#nexts[parent] = this.count;
        cursor.gotoParent();
      }
    }
  }

  /** The handlers of node types, by their ids, for {@link handlerOf}. Names that the grammar does not have are an error. */
  byType<T>(handlers: Readonly<Record<string, T>>): readonly (T | undefined)[] {
    const table: (T | undefined)[] = new Array(this.#names.length).fill(undefined);
    for (const [name, handler] of Object.entries(handlers)) {
      const ids = [this.#language.idForNodeType(name, true), this.#language.idForNodeType(name, false)];
      const known = ids.filter((id) => id !== null && id > 0);
      if (known.length === 0) throw new TypeError(`the grammar has no node ${name}`);
      table[known[0]!] = handler;
    }
    return table;
  }

  handlerOf<T>(table: readonly (T | undefined)[], node: SyntaxNode): T | undefined {
    return table[this.#types[node]!];
  }

  type(node: SyntaxNode): string {
    return this.#names[this.#types[node]!] ?? 'ERROR';
  }

  /** The first node after this one and everything in it. The children of a node: from `node + 1`, by `next`. */
  next(node: SyntaxNode): SyntaxNode {
    return this.#nexts[node]!;
  }

  start(node: SyntaxNode): number {
    return this.#starts[node]!;
  }

  end(node: SyntaxNode): number {
    return this.#ends[node]!;
  }

  textOf(node: SyntaxNode): string {
    return this.text.slice(this.#starts[node], this.#ends[node]);
  }

  /** From 1. */
  line(node: SyntaxNode): number {
    return this.lineAt(this.#starts[node]!);
  }

  endLine(node: SyntaxNode): number {
    const end = this.#ends[node]!;
    return this.lineAt(end > this.#starts[node]! && this.text[end - 1] === '\n' ? end - 1 : end);
  }

  /** From 1. */
  lineAt(position: number): number {
    const starts = this.#lines();
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= position) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  /** A line without its end. @param line from 1 */
  textOfLine(line: number): string {
    const starts = this.#lines();
    return this.text.slice(starts[line - 1], starts[line]).replace(/\r?\n$/, '');
  }

  /** The first child with this field; {@link NO_NODE}: none. */
  child(node: SyntaxNode, field: string): SyntaxNode {
    const id = this.#fieldIds.get(field);
    const end = this.#nexts[node]!;
    for (let at = node + 1; at < end; at = this.#nexts[at]!) if (this.#fields[at] === id) return at;
    return NO_NODE;
  }

  hasField(node: SyntaxNode, field: string): boolean {
    return this.#fields[node] === this.#fieldIds.get(field);
  }

  /** The first child of this type; {@link NO_NODE}: none. */
  childOfType(node: SyntaxNode, type: string): SyntaxNode {
    const end = this.#nexts[node]!;
    for (let at = node + 1; at < end; at = this.#nexts[at]!) if (this.type(at) === type) return at;
    return NO_NODE;
  }

  /** All children, also those that have no name in the grammar, such as commas. */
  children(node: SyntaxNode): SyntaxNode[] {
    const found: SyntaxNode[] = [];
    const end = this.#nexts[node]!;
    for (let at = node + 1; at < end; at = this.#nexts[at]!) found.push(at);
    return found;
  }

  hasChildren(node: SyntaxNode): boolean {
    return this.#nexts[node]! > node + 1;
  }

  #add(cursor: TreeCursor): SyntaxNode {
    const node = this.count++;
    if (node >= this.#types.length) this.#grow();
    this.#types[node] = cursor.nodeTypeId;
    this.#fields[node] = cursor.currentFieldId;
    this.#starts[node] = cursor.startIndex;
    this.#ends[node] = cursor.endIndex;
    return node;
  }

  #grow(): void {
    const size = Math.max(4096, this.#types.length * 2);
    const enlarged = <T extends Uint16Array | Uint32Array>(made: T, old: T): T => {
      made.set(old);
      return made;
    };
    this.#types = enlarged(new Uint16Array(size), this.#types);
    this.#fields = enlarged(new Uint16Array(size), this.#fields);
    this.#starts = enlarged(new Uint32Array(size), this.#starts);
    this.#ends = enlarged(new Uint32Array(size), this.#ends);
    this.#nexts = enlarged(new Uint32Array(size), this.#nexts);
  }

  #lines(): readonly number[] {
    if (this.#lineStarts.length === 0) {
      this.#lineStarts.push(0);
      for (let at = this.text.indexOf('\n'); at >= 0; at = this.text.indexOf('\n', at + 1))
        this.#lineStarts.push(at + 1);
    }
    return this.#lineStarts;
  }
}
