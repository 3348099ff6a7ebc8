/** Which changed files need which other changed files. */

import { baseName, foldersAbove, parentPath, type TreePath } from '../../model/names.ts';
import { isTest } from '../findings/dependents.ts';
import { type CodeGraph, importedPaths } from '../graph/graph.ts';
import { passesOn } from '../graph/resolve-name.ts';
import type { Edges } from './components.ts';

/** Both states of a change. */
export interface ChangedCode {
  readonly base: CodeGraph;
  readonly proposed: CodeGraph;
  /** All paths that differ. Those of one item cannot be separated, such as both names of a file that is moved. */
  readonly changes: readonly (readonly TreePath[])[];
}

/**
 * - A file needs what it imports, also through unchanged files that pass names on.
 * - A file that goes needs that its importers were changed.
 * - A test needs the file that has its name.
 * - Where a folder is one scope, a file needs those that define the names that it uses.
 * - Paths that cannot be separated need each other.
 */
export function needsOf({ base, proposed, changes }: ChangedCode): Edges<TreePath> {
  const changed = new Set(changes.flat());
  const needs = new Map<TreePath, Set<TreePath>>([...changed].map((path) => [path, new Set()]));
  const add = (from: TreePath, to: TreePath): void => {
    if (from !== to && changed.has(to)) needs.get(from)?.add(to);
  };
  for (const path of changed) {
    for (const target of reachedFrom(proposed, path, changed)) add(path, target);
    if (!proposed.tree.files.has(path)) for (const importer of base.importers.get(path) ?? []) add(path, importer);
    // A file that becomes a folder, or the reverse.
    for (const folder of foldersAbove(path)) {
      add(path, folder);
      if (changed.has(folder)) add(folder, path);
    }
  }
  for (const together of changes) {
    for (const [index, path] of together.entries()) add(path, together[(index + 1) % together.length] ?? path);
  }
  for (const [test, tested] of testsByName(changed)) add(test, tested);
  for (const [path, defining] of withoutImports(proposed, changed)) for (const one of defining) add(path, one);
  return needs;
}

/** In these languages, files of a folder see each other's names without an import. */
const FOLDER_IS_SCOPE: ReadonlySet<string> = new Set(['go', 'java', 'csharp']);

/** The changed files that a file imports, also through others that pass names on. */
function reachedFrom(graph: CodeGraph, path: TreePath, changed: ReadonlySet<TreePath>): ReadonlySet<TreePath> {
  const reached = new Set<TreePath>();
  const start = graph.nodes.get(path);
  const through = new Set(start === undefined ? [] : importedPaths(start));
  for (const next of through) {
    if (changed.has(next)) {
      reached.add(next);
      continue;
    }
    const node = graph.nodes.get(next);
    if (node !== undefined && passesOn(node.facts)) for (const one of importedPaths(node)) through.add(one);
  }
  return reached;
}

/** Tests with the one file that has their name: `a.test.ts` with `a.ts`, `test_a.py` with `a.py`, `a_test.go` with `a.go`. */
function testsByName(changed: ReadonlySet<TreePath>): ReadonlyMap<TreePath, TreePath> {
  const byName = new Map<string, TreePath[]>();
  const tests: TreePath[] = [];
  for (const path of changed) {
    if (isTest(path)) tests.push(path);
    else byName.set(baseName(path), [...(byName.get(baseName(path)) ?? []), path]);
  }
  const found = new Map<TreePath, TreePath>();
  for (const test of tests) {
    const tested = byName.get(baseName(test).replace(/^test_|[._-](?:test|spec)s?(?=\.)/g, '')) ?? [];
    const near = tested.filter((path) => parentPath(path) === parentPath(test));
    const [one, ...others] = near.length > 0 ? near : tested;
    if (one !== undefined && others.length === 0) found.set(test, one);
  }
  return found;
}

/** For files that see names of their folder: the changed files that define what they use. */
function withoutImports(
  graph: CodeGraph,
  changed: ReadonlySet<TreePath>,
): ReadonlyMap<TreePath, ReadonlySet<TreePath>> {
  const seeing = [...changed].flatMap((path) => {
    const facts = graph.nodes.get(path)?.facts;
    return facts !== undefined && FOLDER_IS_SCOPE.has(facts.language) ? [{ path, facts }] : [];
  });
  const scopeOf = (path: TreePath, language: string, name: string): string =>
    `${language} ${parentPath(path)}\0${name}`;
  const defining = new Map<string, TreePath[]>();
  for (const { path, facts } of seeing) {
    for (const { name } of facts.definitions) {
      const key = scopeOf(path, facts.language, name);
      defining.set(key, [...(defining.get(key) ?? []), path]);
    }
  }
  return new Map(
    seeing.map(({ path, facts }) => {
      const own = new Set(facts.definitions.map(({ name }) => name));
      const used = [...facts.uses, ...facts.memberUses].filter(({ name }) => !own.has(name));
      return [path, new Set(used.flatMap(({ name }) => defining.get(scopeOf(path, facts.language, name)) ?? []))];
    }),
  );
}
