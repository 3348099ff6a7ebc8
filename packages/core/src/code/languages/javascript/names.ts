import type { Call, Import, ImportedName, ImportKind, Use } from '../../facts.ts';

/** How many lines and calls are kept of each name. */
const MOST_PLACES = 20;

/** A name that is imported, while the file is read. */
export interface BoundImport {
  readonly name: string;
  readonly local: string | null;
  readonly exportedAs: string | null;
  readonly line: number;
  readonly members: UseTable;
}

/** An import, while the file is read. */
export interface OpenImport {
  readonly kind: ImportKind;
  readonly from: string;
  readonly line: number;
  readonly isGuarded: boolean;
  readonly names: BoundImport[];
}

/** A name that is used, to be looked up when all names of the file are known. */
export interface Reference {
  readonly name: string;
  readonly scope: Scope;
  readonly line: number;
  /** The member of it that is used, if any; `call` is then a call of the member. */
  readonly member: string | null;
  readonly call: Call | null;
}

/** A chain of members whose root is not looked up yet, because the names of the file are not all known. */
export interface OpenChain {
  /** What surrounds the rest: `[` a list of it, `~` a promise of it, `(` a function that returns it. */
  readonly wraps: string;
  readonly root: string;
  readonly isType: boolean;
  readonly scope: Scope;
  /** `.name`, `()` a call, `[]` an element, `~` what a promise gives. */
  readonly steps: string;
}

/** A member of something whose type is perhaps known. */
export interface Access {
  readonly chain: OpenChain;
  readonly line: number;
  readonly call: Call | null;
}

/** The names that a part of the file binds. */
export class Scope {
  readonly parent: Scope | null;
  /** Whether `var` declares names here. */
  readonly isOfFunction: boolean;
  #names: Map<string, BoundImport | null> | null = null;
  #sources: Map<string, OpenChain | null> | null = null;

  constructor(parent: Scope | null, isOfFunction: boolean) {
    this.parent = parent;
    this.isOfFunction = isOfFunction;
  }

  /** @param imported what the name is imported from; null: it is not an import */
  bind(name: string, imported: BoundImport | null = null): void {
    this.#names ??= new Map();
    if (imported !== null || !this.#names.has(name)) this.#names.set(name, imported);
  }

  /** Remembers what a name of this scope has the type of. Null: it is not known, as if it is said twice. */
  giveSource(name: string, source: OpenChain | null): void {
    if (source === null && this.#sources === null) return;
    this.#sources ??= new Map();
    this.#sources.set(name, this.#sources.has(name) ? null : source);
  }

  sourceOf(name: string): OpenChain | null {
    return this.#sources?.get(name) ?? null;
  }

  get ofFunction(): Scope {
    return this.isOfFunction || this.parent === null ? this : this.parent.ofFunction;
  }

  /** Finds the scope that binds a name; null: none does. */
  find(name: string): { readonly scope: Scope; readonly imported: BoundImport | null } | null {
    for (let scope: Scope | null = this; scope !== null; scope = scope.parent) {
      const imported = scope.#names?.get(name);
      if (imported !== undefined) return { scope, imported };
    }
    return null;
  }
}

/** Counts uses by name. */
export class UseTable {
  #uses: Map<string, { lines: number[]; count: number; calls: Call[] }> | null = null;

  add(name: string, line: number, call: Call | null): void {
    this.#uses ??= new Map();
    let use = this.#uses.get(name);
    if (use === undefined) {
      use = { lines: [], count: 0, calls: [] };
      this.#uses.set(name, use);
    }
    use.count += 1;
    if (use.lines.length < MOST_PLACES && use.lines.at(-1) !== line) use.lines.push(line);
    if (call !== null && isKept(call, use.calls)) use.calls.push(call);
  }

  all(): readonly Use[] {
    if (this.#uses === null) return [];
    return [...this.#uses].map(([name, { lines, count, calls }]) => ({
      name,
      lines,
      count,
      ...(calls.length > 0 ? { calls } : {}),
    }));
  }
}

export function closedImport(open: OpenImport): Import {
  const names = open.names.map(({ members, ...name }): ImportedName => ({ ...name, members: members.all() }));
  return { kind: open.kind, from: open.from, names, line: open.line, isGuarded: open.isGuarded };
}

/** Keeps the first calls, and later ones that have other arguments. */
function isKept(call: Call, calls: readonly Call[]): boolean {
  if (calls.length < MOST_PLACES) return true;
  if (calls.length >= 2 * MOST_PLACES) return false;
  return !calls.some((one) => one.arguments === call.arguments && one.isOpen === call.isOpen);
}
