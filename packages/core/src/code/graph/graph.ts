/** Which file of a state imports which, resolved once and updated by what changes. */

import type { TreePath } from '../../model/names.ts';
import type { FileFacts } from '../facts.ts';
import type { CodeTree, Language, Resolution, Resolver } from '../language.ts';

/** A file with what its imports lead to. */
export interface FileNode {
  readonly facts: FileFacts;
  /** For each import of the facts, in order. */
  readonly targets: readonly Resolution[];
  /** Names of imports that are modules themselves: `<index of the import>:<name>`. */
  readonly submodules: ReadonlyMap<string, readonly TreePath[]> | null;
  /** For dotted names in strings, by the index of the import: what follows the module. */
  readonly texts: ReadonlyMap<number, readonly string[]> | null;
}

export interface CodeGraph {
  readonly tree: CodeTree;
  readonly nodes: ReadonlyMap<TreePath, FileNode>;
  /** The files that import a file, in any way. */
  readonly importers: ReadonlyMap<TreePath, ReadonlySet<TreePath>>;
}

/** Changes of these files change what imports lead to. */
const CONFIGURATION = /\.(?:json|jsonc|ya?ml|toml|cfg|mod|xml|gradle)$|(?:^|\/)setup\.py$/;

/** Whether imports, and the entries of packages, may lead to other files than before. */
export function canMoveTargets(before: CodeTree, after: CodeTree, changed: Iterable<TreePath>): boolean {
  for (const path of changed) {
    if (before.files.has(path) !== after.files.has(path) || CONFIGURATION.test(path)) return true;
  }
  return false;
}

/** Builds the graph of a state. */
export function buildGraph(
  tree: CodeTree,
  facts: ReadonlyMap<TreePath, FileFacts>,
  languages: readonly Language[],
): CodeGraph {
  const resolvers = new Resolvers(tree, languages);
  const nodes = new Map<TreePath, FileNode>();
  const importers = new Importers(new Map());
  for (const [path, one] of facts) {
    const node = nodeOf(path, one, resolvers);
    nodes.set(path, node);
    importers.add(path, node);
  }
  return { tree, nodes, importers: importers.all };
}

/**
 * Returns the graph of another state. The given graph stays as it is.
 * @param changed the facts of all files that differ between the states; null: the file has none, or is gone
 */
export function updateGraph(
  graph: CodeGraph,
  tree: CodeTree,
  changed: ReadonlyMap<TreePath, FileFacts | null>,
  languages: readonly Language[],
): CodeGraph {
  if (changed.size === 0) return { ...graph, tree };
  const resolvers = new Resolvers(tree, languages);
  const nodes = new Map(graph.nodes);
  const importers = new Importers(graph.importers);
  const replace = (path: TreePath, node: FileNode | null): void => {
    const before = nodes.get(path);
    if (before !== undefined) importers.remove(path, before);
    if (node === null) nodes.delete(path);
    else {
      nodes.set(path, node);
      importers.add(path, node);
    }
  };
  for (const [path, facts] of changed) replace(path, facts === null ? null : nodeOf(path, facts, resolvers));
  if (!canMoveTargets(graph.tree, tree, changed.keys())) return { tree, nodes, importers: importers.all };
  for (const [path, before] of graph.nodes) {
    if (changed.has(path)) continue;
    const node = nodeOf(path, before.facts, resolvers);
    if (!sameTargets(before, node)) replace(path, node);
  }
  return { tree, nodes, importers: importers.all };
}

/** The files that an import leads to; none if it leads nowhere in the workspace. */
export function pathsOf(target: Resolution | undefined): readonly TreePath[] {
  return target?.to === 'files' ? target.paths : [];
}

/** All files that a file imports. */
export function importedPaths(node: FileNode): readonly TreePath[] {
  const direct = node.targets.flatMap(pathsOf);
  return node.submodules === null ? direct : [...direct, ...[...node.submodules.values()].flat()];
}

class Resolvers {
  readonly #tree: CodeTree;
  readonly #languages: ReadonlyMap<string, Language>;
  readonly #resolvers = new Map<string, Resolver>();

  constructor(tree: CodeTree, languages: readonly Language[]) {
    this.#tree = tree;
    this.#languages = new Map(languages.map((one) => [one.id, one]));
  }

  of(language: string): Resolver | null {
    let resolver = this.#resolvers.get(language);
    if (resolver === undefined) {
      resolver = this.#languages.get(language)?.resolverOf(this.#tree);
      if (resolver === undefined) return null;
      this.#resolvers.set(language, resolver);
    }
    return resolver;
  }
}

/** The reverse of the imports. Sets of the graph that it starts from are copied before they change. */
class Importers {
  readonly all: Map<TreePath, Set<TreePath>>;
  readonly #own = new Set<TreePath>();

  constructor(from: ReadonlyMap<TreePath, ReadonlySet<TreePath>>) {
    this.all = new Map(from) as Map<TreePath, Set<TreePath>>;
  }

  add(path: TreePath, node: FileNode): void {
    for (const target of importedPaths(node)) this.#ownSet(target).add(path);
  }

  remove(path: TreePath, node: FileNode): void {
    for (const target of importedPaths(node)) {
      const set = this.#ownSet(target);
      set.delete(path);
      if (set.size === 0) {
        this.all.delete(target);
        this.#own.delete(target);
      }
    }
  }

  #ownSet(target: TreePath): Set<TreePath> {
    const known = this.all.get(target);
    if (known !== undefined && this.#own.has(target)) return known;
    const own = new Set(known);
    this.all.set(target, own);
    this.#own.add(target);
    return own;
  }
}

function nodeOf(path: TreePath, facts: FileFacts, resolvers: Resolvers): FileNode {
  const resolver = resolvers.of(facts.language);
  const texts = new Map<number, readonly string[]>();
  const targets = facts.imports.map(({ kind, from }, nth): Resolution => {
    if (kind !== 'text' || resolver?.resolveText === undefined)
      return resolver?.resolve(path, from) ?? { to: 'unknown' };
    const found = resolver.resolveText(path, from);
    if (found === null) return { to: 'outside' };
    texts.set(nth, found.rest);
    return { to: 'files', paths: found.paths };
  });
  const submodules = submodulesOf(path, facts, resolver);
  return { facts, targets, submodules, texts: texts.size === 0 ? null : texts };
}

function submodulesOf(path: TreePath, facts: FileFacts, resolver: Resolver | null): FileNode['submodules'] {
  if (resolver?.resolveName === undefined) return null;
  const submodules = new Map<string, readonly TreePath[]>();
  for (const [nth, { from, names }] of facts.imports.entries()) {
    for (const { name } of names) {
      const found = name === '*' ? null : resolver.resolveName(path, from, name);
      if (found?.to === 'files') submodules.set(`${nth}:${name}`, found.paths);
    }
  }
  return submodules.size === 0 ? null : submodules;
}

function sameTargets(one: FileNode, other: FileNode): boolean {
  return textOf(one) === textOf(other);
}

function textOf({ targets, submodules, texts }: FileNode): string {
  return JSON.stringify([targets, [...(submodules ?? [])], [...(texts ?? [])]]);
}
