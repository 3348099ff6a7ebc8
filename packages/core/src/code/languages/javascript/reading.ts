import type { Node } from 'oxc-parser';
import type { Call, Definition, Export, ImportKind } from '../../facts.ts';
import {
  type Access,
  type BoundImport,
  type OpenChain,
  type OpenImport,
  type Reference,
  Scope,
  UseTable,
} from './names.ts';

/** The names of the properties of each type of node that contain other nodes. */
export type ChildKeys = Readonly<Record<string, readonly string[]>>;

/** The types of a definition, to be looked up when all names of the file are known. */
export interface OpenTypes {
  /** One of each overload. */
  readonly types: readonly (OpenChain | null)[];
  /** Null: nothing is known of what it inherits. */
  readonly bases: readonly (OpenChain | null)[] | null;
}

/** What is known about a file while it is read. */
export class Reading {
  readonly text: string;
  readonly childKeys: ChildKeys;
  /** Whether the file is TypeScript, where too many arguments are errors. */
  readonly isTyped: boolean;
  readonly module = new Scope(null, true);
  readonly imports: OpenImport[] = [];
  readonly exports: Export[] = [];
  readonly definitions: Definition[] = [];
  readonly references: Reference[] = [];
  /** Of those definitions that have one. */
  readonly types = new Map<Definition, OpenTypes>();
  readonly accesses: Access[] = [];
  /** What the code has checked to be of a narrower type. */
  readonly narrowed: OpenChain[] = [];
  /** Members that the code looks for with `in`. */
  readonly lookedFor = new Set<string>();
  /** Types of other files, or global ones, to which the file adds members. */
  readonly augmented = new Set<string>();
  readonly memberUses = new UseTable();
  readonly memberNames = new Set<string>();
  hasHiddenExports = false;
  /** How many `try` blocks surround the current node. */
  guards = 0;
  readonly #lineStarts: readonly number[];

  constructor(text: string, childKeys: ChildKeys, isTyped: boolean) {
    this.text = text;
    this.childKeys = childKeys;
    this.isTyped = isTyped;
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#lineStarts = starts;
  }

  /** From 1. */
  lineOf(offset: number): number {
    let low = 0;
    let high = this.#lineStarts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }

  addImport(kind: ImportKind, from: string, offset: number): OpenImport {
    const made = { kind, from, line: this.lineOf(offset), isGuarded: this.guards > 0, names: [] };
    this.imports.push(made);
    return made;
  }

  /** @param at the node that names it */
  addExport(name: string, local: string | null, at: Node): void {
    this.exports.push({ name, local, line: this.lineOf(at.start) });
  }

  refer(name: string, scope: Scope, offset: number, member: string | null = null, call: Call | null = null): void {
    this.references.push({ name, scope, line: this.lineOf(offset), member, call });
  }

  /**
   * Only in TypeScript: elsewhere, nothing is known of a member that is missing.
   * @param chain what has the member, with the member; null: it is not known
   */
  access(chain: OpenChain | null, offset: number, call: Call | null = null): void {
    if (chain !== null && this.isTyped) this.accesses.push({ chain, line: this.lineOf(offset), call });
  }

  nameOf(name: string, local: string | null, exportedAs: string | null, offset: number): BoundImport {
    return { name, local, exportedAs, line: this.lineOf(offset), members: new UseTable() };
  }

  /** The text of a part of the file, with spaces normalised. */
  slice(start: number, end: number): string {
    return this.text.slice(start, end).replace(/\s+/g, ' ').trim();
  }
}
