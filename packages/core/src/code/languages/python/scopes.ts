import type { Call, Use } from '../../facts.ts';
import type { SyntaxNode } from '../tree-sitter/syntax-tree.ts';
import { UseCounter } from '../use-counter.ts';
import { PYTHON_BUILTINS } from './builtins.ts';

export type ScopeKind = 'module' | 'class' | 'function' | 'comprehension';

/** A name that an import binds, and what is done with it. */
export interface ImportBinding {
  readonly members: UseCounter;
  /** What the name means, as a dotted name; null: it cannot be said. */
  readonly dotted: string | null;
  /** The members in between: of `import a.b.c`, which binds `a`, they are `b` and `c`. */
  readonly path: readonly string[];
}

export interface Scope {
  readonly kind: ScopeKind;
  readonly parent: Scope | null;
  /** The name of a class; null for all others. */
  readonly name: string | null;
  /** The first node after it. */
  readonly end: SyntaxNode;
  /** Null: not by an import. A name may be imported in several ways, such as in `try` and `except`. */
  readonly bindings: Map<string, ImportBinding[] | null>;
  /** Names that `global` and `nonlocal` declare: where they are bound. */
  readonly declared: Map<string, Scope>;
}

interface PendingUse {
  readonly scope: Scope;
  /** The name, then the members: `a.b.c`. */
  readonly chain: readonly string[];
  readonly line: number;
  /** Whether the name may be something else, such as text. */
  readonly isUncertain: boolean;
  /** The call of the last of the chain. */
  readonly call: Call | undefined;
}

/** Which name means what. Names are resolved at the end, because a function may use what is defined below it. */
export class Scopes {
  readonly module: Scope;
  current: Scope;
  readonly #pending: PendingUse[] = [];

  constructor(end: SyntaxNode) {
    this.module = newScope('module', null, end, null);
    this.current = this.module;
  }

  /** Ends the scopes that this node is not in. Call it for each node. */
  reach(node: SyntaxNode): void {
    while (this.current.parent !== null && node >= this.current.end) this.current = this.current.parent;
  }

  enter(scope: Scope): void {
    this.current = scope;
  }

  create(kind: ScopeKind, end: SyntaxNode, name: string | null = null): Scope {
    return newScope(kind, this.current, end, name);
  }

  /** Binds a name in the current scope, or where it is declared. Returns the scope. */
  bind(name: string, binding: ImportBinding | null, scope: Scope = this.current): Scope {
    const home = scope.declared.get(name) ?? scope;
    const known = home.bindings.get(name);
    if (binding === null) home.bindings.set(name, known ?? null);
    else home.bindings.set(name, [...(known ?? []), binding]);
    return home;
  }

  /** `global name`, or `nonlocal name` in the function around this one. */
  declare(name: string, kind: 'global' | 'nonlocal'): void {
    let home: Scope = this.module;
    if (kind === 'nonlocal') {
      home = this.current.parent ?? this.module;
      while (home.parent !== null && !home.bindings.has(name)) home = home.parent;
    }
    this.current.declared.set(name, home);
    if (kind === 'global' && !this.module.bindings.has(name)) this.module.bindings.set(name, null);
  }

  /** The scope that a walrus in a comprehension binds its name in. */
  get aroundComprehensions(): Scope {
    let scope = this.current;
    while (scope.kind === 'comprehension' && scope.parent !== null) scope = scope.parent;
    return scope;
  }

  /** The class whose method the current scope is, or is in; null: none. */
  get classAround(): Scope | null {
    let scope: Scope | null = this.current;
    while (scope !== null && scope.kind !== 'class') scope = scope.parent;
    return scope;
  }

  use(chain: readonly string[], line: number, call?: Call): void {
    this.#pending.push({ scope: this.current, chain, line, isUncertain: false, call });
  }

  /** A use if the name is bound, such as one in a string. */
  useIfBound(chain: readonly string[], line: number): void {
    this.#pending.push({ scope: this.current, chain, line, isUncertain: true, call: undefined });
  }

  /**
   * Resolves all uses. The members that are used of imported names are added to their bindings.
   * @param onModule called for members of members of an imported name, which may be a package: its dotted name
   * @returns names that the file does not bind, and those that it binds for others
   */
  resolve(onModule: (dotted: string, line: number) => void): Use[] {
    const uses = new UseCounter();
    for (const { scope, chain, line, isUncertain, call } of this.#pending) {
      const name = chain[0]!;
      const home = homeOf(name, scope);
      if (home === null) {
        if (!isUncertain && !PYTHON_BUILTINS.has(name)) uses.add(name, line, chain.length === 1 ? call : undefined);
        continue;
      }
      if (home === this.module) uses.add(name, line, chain.length === 1 ? call : undefined);
      for (const binding of home.bindings.get(name) ?? []) {
        const { members, dotted, path } = binding;
        const member = chain[path.length + 1];
        const isOfModule = member !== undefined && path.every((part, index) => chain[index + 1] === part);
        if (isOfModule) members.add(member, line, chain.length === path.length + 2 ? call : undefined);
        const isDeep = chain.length > path.length + 2 || (!isOfModule && chain.length > 1);
        if (isDeep && dotted !== null) onModule([dotted, ...chain.slice(1)].join('.'), line);
      }
    }
    return uses.all();
  }
}

function newScope(kind: ScopeKind, parent: Scope | null, end: SyntaxNode, name: string | null): Scope {
  return { kind, parent, name, end, bindings: new Map(), declared: new Map() };
}

function homeOf(name: string, from: Scope): Scope | null {
  // What a class binds is not seen by its methods, but by comprehensions in its body.
  let seesClass = true;
  for (let scope: Scope | null = from; scope !== null; scope = scope.parent) {
    const declared = scope.declared.get(name);
    if (declared !== undefined) return declared;
    if ((scope.kind !== 'class' || seesClass) && scope.bindings.has(name)) return scope;
    if (scope.kind === 'function') seesClass = false;
  }
  return null;
}
