import type { Call, Definition, Parameter } from '../../facts.ts';
import { NO_NODE, type SyntaxNode, type SyntaxTree } from '../tree-sitter/syntax-tree.ts';
import { UseCounter } from '../use-counter.ts';
import { PythonImports } from './imports.ts';
import { type Scope, Scopes } from './scopes.ts';

/** What is known of a file while its tree is walked. */
export interface PythonWalk {
  readonly tree: SyntaxTree;
  readonly scopes: Scopes;
  readonly imports: PythonImports;
  readonly definitions: Definition[];
  readonly memberUses: UseCounter;
  /** The parameters that the fields of data classes make, by the names of the classes. */
  readonly fields: Map<string, Parameter[]>;
  /** Names that are given to members of objects. */
  readonly memberNames: Set<string>;
  /** The calls, by the nodes of what they call. */
  readonly calls: Map<SyntaxNode, Call>;
  /** Nodes that are not uses, or were read before: names of definitions, parameters and keywords. */
  readonly handled: Set<SyntaxNode>;
  /** The scopes of the bodies that begin at these nodes. */
  readonly bodies: Map<SyntaxNode, Scope>;
  /** Definitions with decorators: where these begin. */
  readonly decorated: Map<SyntaxNode, SyntaxNode>;
  /** Variables and attributes that are known, as `container.name`. */
  readonly variables: Set<string>;
  readonly guarded: Regions;
  readonly forTypes: Regions;
  /** Strings before this node are annotations. */
  annotationUntil: SyntaxNode;
  readonly starNames: string[];
  /** Null: there is no `__all__`. */
  starNamesAre: 'known' | 'unknown' | null;
  hasHiddenExports: boolean;
  /** Blocks without statements, which the grammar accepts. */
  readonly emptyBlocks: SyntaxNode[];
}

/** Parts of a file that are still to come, or that the walk is in. */
export class Regions {
  #regions: { readonly start: SyntaxNode; readonly end: SyntaxNode }[] = [];

  add(tree: SyntaxTree, node: SyntaxNode): void {
    if (node !== NO_NODE) this.#regions.push({ start: node, end: tree.next(node) });
  }

  /** Nodes must be asked about in their order. */
  includes(node: SyntaxNode): boolean {
    this.#regions = this.#regions.filter(({ end }) => end > node);
    return this.#regions.some(({ start }) => start <= node);
  }
}

export function newWalk(tree: SyntaxTree): PythonWalk {
  const scopes = new Scopes(tree.count);
  return {
    tree,
    scopes,
    imports: new PythonImports(tree, scopes),
    definitions: [],
    memberUses: new UseCounter(),
    fields: new Map(),
    memberNames: new Set(),
    calls: new Map(),
    handled: new Set(),
    bodies: new Map(),
    decorated: new Map(),
    variables: new Set(),
    guarded: new Regions(),
    forTypes: new Regions(),
    annotationUntil: NO_NODE,
    starNames: [],
    starNamesAre: null,
    hasHiddenExports: false,
    emptyBlocks: [],
  };
}
