/** Says what a change between two snapshots of a workspace breaks. Loaded lazily: it needs all languages. */

import type { Dependent } from '../../code/findings/dependents.ts';
import { type CodeGraph, importedPaths } from '../../code/graph/graph.ts';
import {
  analyse,
  CachedFactReader,
  type CodeFinding,
  type FactReader,
  graphOf,
  LANGUAGES,
  LanguageTable,
  LocalFactReader,
} from '../../code/index.ts';
import type { Snapshot } from '../../model/entries.ts';
import type { TreePath } from '../../model/names.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { StoredFactCache } from '../../store/state/fact-cache.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { isOf, type LastGraph } from './last-graph.ts';
import { SnapshotTree } from './snapshot-tree.ts';
import { type CodeUnsaid, tooMany, unsaidOf } from './unsaid.ts';

/** A change between two states of a workspace. */
export interface StatesToAnalyse {
  /** Reads both. */
  readonly objects: ObjectReader;
  readonly base: Snapshot;
  readonly proposed: Snapshot;
}

export interface CodeReport {
  /** The worst first. `follows` is an index of this list. */
  readonly findings: readonly CodeFinding[];
  /** How many more there are. */
  readonly omitted: number;
  /** Files outside the change that depend on it: those with findings first, then the nearest. */
  readonly dependents: readonly Dependent[];
  /** Tests that reach a changed file, the nearest first. */
  readonly tests: readonly TreePath[];
  /** What changed files import of each other, in the proposed state. */
  readonly dependencies: readonly { readonly path: TreePath; readonly needs: TreePath }[];
  /** What cannot be said. */
  readonly unsaid: readonly CodeUnsaid[];
}

/** A larger workspace is not analysed. */
export const MOST_SOURCES = 100_000;
const MOST_FINDINGS = 5_000;
const MOST_PATHS = 5_000;

export interface Analyser {
  readonly languages: LanguageTable;
  readonly reader: FactReader;
  readonly signal?: AbortSignal;
}

/** @throws the signal's reason if it is aborted */
export async function analyseStates(
  workspace: Workspace,
  lastGraph: LastGraph,
  { objects, base, proposed }: StatesToAnalyse,
  signal: AbortSignal | undefined,
): Promise<CodeReport> {
  const { analyser, cache } = analyserFor(workspace, signal);
  const { languages } = analyser;
  // Files of damaged folders are left out: `verify` reports the damage.
  const tree = SnapshotTree.read(objects, base, () => {});
  const { tree: after, changed } = tree.moveTo(objects, proposed, () => {});
  const excess = tooMany(after.files.keys(), languages, MOST_SOURCES);
  if (excess !== null) return { ...NOTHING, unsaid: [excess] };
  try {
    const graph = await baseGraph(workspace, lastGraph, tree, analyser);
    const found = await analyse({ ...analyser, base: tree, proposed: after, graph, changed });
    return reportOf(found, changed, languages);
  } finally {
    cache.save();
  }
}

/** @returns the cache, which the caller saves */
export function analyserFor(
  { ports, store }: Workspace,
  signal: AbortSignal | undefined,
): { readonly analyser: Analyser; readonly cache: StoredFactCache } {
  const languages = new LanguageTable(LANGUAGES);
  const cache = new StoredFactCache(ports.fs, store.layout);
  const reader = new CachedFactReader(languages, cache, ports.facts ?? new LocalFactReader(languages));
  return { analyser: { languages, reader, ...(signal === undefined ? {} : { signal }) }, cache };
}

const NOTHING: CodeReport = { findings: [], omitted: 0, dependents: [], tests: [], dependencies: [], unsaid: [] };

/** The graph of the last base, brought to this one. */
export async function baseGraph(
  { id }: Workspace,
  lastGraph: LastGraph,
  tree: SnapshotTree,
  analyser: Analyser,
): Promise<CodeGraph> {
  const known = lastGraph.of(id);
  if (known !== null && isOf(known, tree.snapshot)) return { ...known.graph, tree };
  const graph =
    known === null
      ? await graphOf(tree, analyser)
      : (await analyse({ ...analyser, base: known.tree, proposed: tree, graph: known.graph })).proposed;
  lastGraph.keep({ workspace: id, tree, graph });
  return graph;
}

function reportOf(
  { findings, dependents, tests, proposed }: Awaited<ReturnType<typeof analyse>>,
  changed: readonly TreePath[],
  languages: LanguageTable,
): CodeReport {
  return {
    findings: findings.slice(0, MOST_FINDINGS).map(withKnownCause),
    omitted: Math.max(0, findings.length - MOST_FINDINGS),
    dependents: dependents.slice(0, MOST_PATHS),
    tests: tests.slice(0, MOST_PATHS),
    dependencies: dependenciesOf(proposed, changed),
    unsaid: unsaidOf(proposed, changed, languages),
  };
}

/** The cause may be among those that are left out. */
function withKnownCause(finding: CodeFinding): CodeFinding {
  const { follows } = finding;
  return follows === null || follows < MOST_FINDINGS ? finding : { ...finding, follows: null };
}

function dependenciesOf({ nodes }: CodeGraph, changed: readonly TreePath[]): CodeReport['dependencies'] {
  const among = new Set(changed);
  return changed
    .flatMap((path) => {
      const node = nodes.get(path);
      const needs = node === undefined ? [] : new Set(importedPaths(node));
      return [...needs].filter((one) => one !== path && among.has(one)).map((one) => ({ path, needs: one }));
    })
    .slice(0, MOST_PATHS);
}
