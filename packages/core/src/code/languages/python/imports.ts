import type { Import, ImportKind } from '../../facts.ts';
import { NO_NODE, type SyntaxNode, type SyntaxTree } from '../tree-sitter/syntax-tree.ts';
import { UseCounter } from '../use-counter.ts';
import type { ImportBinding, Scopes } from './scopes.ts';

const MOST_TEXTS = 2000;

interface NameDraft {
  readonly name: string;
  readonly local: string | null;
  readonly exportedAs: string | null;
  readonly line: number;
  readonly members: UseCounter;
}

interface Draft {
  readonly kind: ImportKind;
  readonly from: string;
  readonly names: readonly NameDraft[];
  readonly line: number;
  readonly isGuarded: boolean;
}

/** Where in a file imports are for types only, or guarded. */
interface Around {
  readonly isForTypes: boolean;
  readonly isGuarded: boolean;
}

/** The imports of a file, in its order. */
export class PythonImports {
  readonly #tree: SyntaxTree;
  readonly #scopes: Scopes;
  readonly #drafts: Draft[] = [];
  readonly #texts = new Set<string>();

  constructor(tree: SyntaxTree, scopes: Scopes) {
    this.#tree = tree;
    this.#scopes = scopes;
  }

  /** `import a.b`, `import a.b as c` */
  addModules(statement: SyntaxNode, around: Around): void {
    for (const { name, alias, line } of this.#namesOf(statement)) {
      const members = new UseCounter();
      const isBound = alias !== null || !name.includes('.');
      const local = alias ?? name;
      const exportedAs = isBound ? this.#exportedAs(local) : null;
      const draft = { name: '*', local, exportedAs, line, members };
      this.#drafts.push({ ...this.#kindOf(around), from: name, names: [draft], line });
      if (isBound) this.#scopes.bind(local, { members, dotted: name, path: [] });
      else this.#bindPath(name.split('.'), members);
    }
  }

  /** `from a import b as c`, `from . import *` */
  addNames(statement: SyntaxNode, around: Around): void {
    const tree = this.#tree;
    const moduleNode = tree.child(statement, 'module_name');
    if (moduleNode === NO_NODE) return;
    const from = tree.textOf(moduleNode).replace(/\s+/g, '');
    const star = tree.childOfType(statement, 'wildcard_import');
    const names = this.#namesOf(statement).map(({ name, alias, line }): NameDraft => {
      const local = alias ?? name;
      const members = new UseCounter();
      const binding: ImportBinding = { members, dotted: `${from}${from.endsWith('.') ? '' : '.'}${name}`, path: [] };
      const exportedAs = this.#exportedAs(local);
      this.#scopes.bind(local, binding);
      return { name, local, exportedAs, line, members };
    });
    if (star !== NO_NODE) {
      const exportedAs = this.#exportedAs('*');
      names.push({ name: '*', local: null, exportedAs, line: tree.line(star), members: new UseCounter() });
    }
    this.#drafts.push({ ...this.#kindOf(around), from, names, line: tree.line(statement) });
  }

  /** A module that a call loads, such as `import_module('a.b')`. */
  addCall(from: string, line: number, isGuarded: boolean): void {
    const name = { name: '*', local: null, exportedAs: null, line, members: new UseCounter() };
    this.#drafts.push({ kind: 'dynamic', from, names: [name], line, isGuarded });
  }

  /** A dotted name in a string, or members of members of a module. */
  addText(from: string, line: number): void {
    const key = `${line} ${from}`;
    if (this.#texts.size >= MOST_TEXTS || this.#texts.has(key)) return;
    this.#texts.add(key);
    this.#drafts.push({ kind: 'text', from, names: [], line, isGuarded: false });
  }

  all(): Import[] {
    return this.#drafts.map((draft) => ({
      ...draft,
      names: draft.names.map((name) => ({ ...name, members: name.members.all() })),
    }));
  }

  /** `import a.b.c` binds `a`. The members of `a.b.c` are those of the module that is imported. */
  #bindPath(path: readonly string[], members: UseCounter): void {
    this.#scopes.bind(path[0]!, { members, dotted: path[0]!, path: path.slice(1) });
  }

  #namesOf(statement: SyntaxNode): { readonly name: string; readonly alias: string | null; readonly line: number }[] {
    const tree = this.#tree;
    return tree
      .children(statement)
      .filter((child) => tree.hasField(child, 'name'))
      .map((child) => {
        const isAliased = tree.type(child) === 'aliased_import';
        const alias = isAliased ? tree.child(child, 'alias') : NO_NODE;
        const nameNode = isAliased ? tree.child(child, 'name') : child;
        const name = tree.textOf(nameNode === NO_NODE ? child : nameNode).replace(/\s+/g, '');
        return { name, alias: alias === NO_NODE ? null : tree.textOf(alias), line: tree.line(child) };
      });
  }

  /** Other files can import what is bound at the level of the module. */
  #exportedAs(local: string): string | null {
    const { current, module } = this.#scopes;
    return current === module ? local : null;
  }

  /** An import in a function is carried out when the function is called. */
  #kindOf({ isForTypes, isGuarded }: Around): { readonly kind: ImportKind; readonly isGuarded: boolean } {
    const isInFunction = this.#scopes.current.kind === 'function';
    return { kind: isForTypes ? 'type' : isInFunction ? 'dynamic' : 'static', isGuarded };
  }
}
