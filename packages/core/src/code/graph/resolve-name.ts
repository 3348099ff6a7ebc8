import type { TreePath } from '../../model/names.ts';
import type { Export, FileFacts, ImportedName } from '../facts.ts';
import type { Resolution } from '../language.ts';
import { type CodeGraph, type FileNode, pathsOf } from './graph.ts';

/** Where a name is defined. */
export interface Origin {
  readonly path: TreePath;
  /** The name of the definition in that file. `*`: the file itself, as a namespace. */
  readonly name: string;
}

/**
 * What a name that a file exports leads to, through all files that pass it on.
 * - `missing`: the file does not export it. `passedBy`: a file on the way passes it on, but what it passes on is not
 *   there. Its name is `*` if the file passes on everything from a file that is not there.
 * - `unknown`: it cannot be said, because a file on the way may export more than can be seen
 */
export type NameResolution =
  | { readonly state: 'found'; readonly origins: readonly Origin[] }
  | { readonly state: 'missing'; readonly passedBy: Origin | null }
  | { readonly state: 'unknown' | 'outside' };

/** Resolves a name of an import. */
export function resolveImportedName(graph: CodeGraph, node: FileNode, nth: number, name: string): NameResolution {
  return inTarget(graph, node, nth, name, newSearch());
}

/** Resolves a name that other files can import from a file. */
export function resolveExport(graph: CodeGraph, path: TreePath, name: string): NameResolution {
  return inFile(graph, path, name, newSearch());
}

/** Resolves a name that a file imports or defines. */
export function resolveLocal(graph: CodeGraph, path: TreePath, name: string): NameResolution {
  const node = graph.nodes.get(path);
  if (node === undefined) return { state: 'unknown' };
  const place = indexOf(node.facts).locals.get(name);
  if (place !== undefined) return resolveImportedName(graph, node, place.nth, place.name.name);
  return { state: 'found', origins: [{ path, name }] };
}

/** All names that a file exports, with those of `export *`. Null: it may export more than can be seen. */
export function exportedNames(graph: CodeGraph, path: TreePath): ReadonlySet<string> | null {
  const names = new Set<string>();
  const seen = new Set<TreePath>([path]);
  for (const one of seen) {
    const node = graph.nodes.get(one);
    if (node === undefined || node.facts.hasHiddenExports) return null;
    for (const { name } of node.facts.exports) if (one === path || name !== 'default') names.add(name);
    for (const [nth, read] of node.facts.imports.entries()) {
      for (const { exportedAs } of read.names) {
        if (exportedAs === '*') for (const next of pathsOf(node.targets[nth])) seen.add(next);
        else if (exportedAs !== null) names.add(exportedAs);
      }
    }
  }
  return names;
}

/** Whether a file passes on names of other files. */
export function passesOn(facts: FileFacts): boolean {
  const { passed, stars, locals } = indexOf(facts);
  return passed.size > 0 || stars.length > 0 || facts.exports.some(({ local }) => local !== null && locals.has(local));
}

interface Place {
  readonly nth: number;
  readonly name: ImportedName;
}

/** The exports of a file by name. */
interface ExportIndex {
  readonly exports: ReadonlyMap<string, Export>;
  readonly passed: ReadonlyMap<string, Place>;
  /** The imports whose names are all passed on. */
  readonly stars: readonly number[];
  /** Imported names by what the file calls them. */
  readonly locals: ReadonlyMap<string, Place>;
}

const indexes = new WeakMap<FileFacts, ExportIndex>();

function indexOf(facts: FileFacts): ExportIndex {
  let index = indexes.get(facts);
  if (index === undefined) {
    index = makeIndex(facts);
    indexes.set(facts, index);
  }
  return index;
}

function makeIndex(facts: FileFacts): ExportIndex {
  const passed = new Map<string, Place>();
  const locals = new Map<string, Place>();
  const stars: number[] = [];
  for (const [nth, { names }] of facts.imports.entries()) {
    for (const name of names) {
      if (name.exportedAs === '*' && name.name === '*') stars.push(nth);
      else if (name.exportedAs !== null) passed.set(name.exportedAs, { nth, name });
      if (name.local !== null) locals.set(name.local, { nth, name });
    }
  }
  return { exports: new Map(facts.exports.map((one) => [one.name, one])), passed, stars, locals };
}

/** What is being resolved. Files may pass on each other's names in a circle, or in a chain that is too long to follow. */
interface Search {
  readonly seen: Set<string>;
  depth: number;
}

/** Files that pass on a name to each other. A longer chain is not followed. */
const DEEPEST = 500;

function newSearch(): Search {
  return { seen: new Set(), depth: 0 };
}

function inFiles(graph: CodeGraph, paths: readonly TreePath[], name: string, search: Search): NameResolution {
  if (name === '*') return { state: 'found', origins: paths.map((path) => ({ path, name })) };
  return best(paths.map((path) => inFile(graph, path, name, search)));
}

/** What names lead to, by the nodes of a graph: many files import the same names. */
const known = new WeakMap<CodeGraph['nodes'], Map<string, NameResolution>>();

function inFile(graph: CodeGraph, path: TreePath, name: string, search: Search): NameResolution {
  // Within a circle, the result depends on where it was entered.
  if (search.seen.size > 0) return lookedUp(graph, path, name, search);
  const names = known.get(graph.nodes) ?? new Map<string, NameResolution>();
  known.set(graph.nodes, names);
  const key = `${path}\0${name}`;
  const found = names.get(key) ?? lookedUp(graph, path, name, search);
  names.set(key, found);
  return found;
}

function lookedUp(graph: CodeGraph, path: TreePath, name: string, search: Search): NameResolution {
  const key = `${path}\0${name}`;
  if (search.seen.has(key)) return { state: 'missing', passedBy: null };
  search.seen.add(key);
  const node = graph.nodes.get(path);
  if (node === undefined || search.depth === DEEPEST) return { state: 'unknown' };
  search.depth += 1;
  const found = inNode(graph, node, { path, name }, search);
  search.depth -= 1;
  return found;
}

function inNode(graph: CodeGraph, node: FileNode, { path, name }: Origin, search: Search): NameResolution {
  const { facts } = node;
  const index = indexOf(facts);
  const own = index.exports.get(name);
  const place =
    own === undefined ? index.passed.get(name) : own.local === null ? undefined : index.locals.get(own.local);
  if (place !== undefined) return asPassedOn(inTarget(graph, node, place.nth, place.name.name, search), { path, name });
  if (own !== undefined) return { state: 'found', origins: [{ path, name: own.local ?? own.name }] };
  const all = name === 'default' ? [] : index.stars.map((nth) => inStar(graph, { path, name }, node, nth, search));
  const found = best(all);
  if (found.state !== 'missing') return found;
  return facts.hasHiddenExports || facts.problems.length > 0 ? { state: 'unknown' } : found;
}

function inTarget(graph: CodeGraph, node: FileNode, nth: number, name: string, search: Search): NameResolution {
  const target = node.targets[nth];
  const found = target?.to === 'files' ? inFiles(graph, target.paths, name, search) : notInFiles(target);
  const submodule = found.state === 'found' ? undefined : node.submodules?.get(`${nth}:${name}`);
  if (submodule === undefined) return found;
  return { state: 'found', origins: submodule.map((path) => ({ path, name: '*' })) };
}

function notInFiles(target: Exclude<Resolution, { to: 'files' }> | undefined): NameResolution {
  if (target?.to === 'missing') return { state: 'missing', passedBy: null };
  return { state: target?.to ?? 'unknown' };
}

function inStar(graph: CodeGraph, { path, name }: Origin, node: FileNode, nth: number, search: Search): NameResolution {
  const found = inTarget(graph, node, nth, name, search);
  return node.targets[nth]?.to === 'missing' ? asPassedOn(found, { path, name: '*' }) : found;
}

/** The file nearest to the missing definition is the one that is broken. */
function asPassedOn(found: NameResolution, passedBy: Origin): NameResolution {
  return found.state === 'missing' ? { state: 'missing', passedBy: found.passedBy ?? passedBy } : found;
}

function best(all: readonly NameResolution[]): NameResolution {
  const origins = all.flatMap((one) => (one.state === 'found' ? one.origins : []));
  if (origins.length > 0) return { state: 'found', origins };
  return (
    all.find(({ state }) => state === 'unknown') ??
    all.find(({ state }) => state === 'outside') ??
    all.find((one) => one.state === 'missing' && one.passedBy !== null) ??
    all[0] ?? { state: 'missing', passedBy: null }
  );
}
