/** Both states of a change, opened for analyses of their code. */

import { type AnalysisInput, CachedFactReader, graphAfter, graphOf, LANGUAGES } from '../../code/index.ts';
import { LanguageTable, LocalFactReader } from '../../code/reader.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Snapshot } from '../../model/entries.ts';
import type { TreePath } from '../../model/names.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { StoredFactCache } from '../../store/state/fact-cache.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Engine } from '../engine.ts';
import { SnapshotTree } from './snapshot-tree.ts';
import { type CodeUnsaid, tooMany } from './unsaid.ts';

/** A change between two states of a workspace. */
export interface StatesToAnalyse {
  /** Reads both. */
  readonly objects: ObjectReader;
  readonly base: Snapshot;
  readonly proposed: Snapshot;
}

/** What an analysis gets: the graph of the base, and the files that differ. */
export type OpenedStates = AnalysisInput & Required<Pick<AnalysisInput, 'graph' | 'changed'>>;

export interface StateAnalysis<T> {
  run(opened: OpenedStates): Promise<T>;
  /** Called instead if there are too many files. */
  refuse(why: CodeUnsaid, before: SnapshotTree, after: SnapshotTree): T;
}

/** A larger workspace is not analysed. */
const MOST_SOURCES = 100_000;
/** Fewer changed files are parsed in less time than the cache of a large workspace is read. */
const FEWEST_CACHED = 50;

/**
 * Opens both states for an analysis, and keeps the facts that it reads, and the graph of the base for the next one.
 * @throws SavepointError CANCELLED
 */
export async function withStates<T>(
  engine: Pick<Engine, 'lastGraph' | 'pace'>,
  { id, ports, store }: Workspace,
  { objects, base, proposed }: StatesToAnalyse,
  options: CallOptions,
  analysis: StateAnalysis<T>,
): Promise<T> {
  const { lastGraph } = engine;
  const known = lastGraph.of(id);
  const { tree: before, changed: moved } =
    known === null
      ? { tree: SnapshotTree.read(objects, base, leaveOut), changed: [] as readonly TreePath[] }
      : known.tree.moveTo(objects, base, leaveOut);
  const { tree: after, changed } = before.moveTo(objects, proposed, leaveOut);
  const languages = new LanguageTable(LANGUAGES);
  const excess = tooMany(after, languages, MOST_SOURCES);
  if (excess !== null) return analysis.refuse(excess, before, after);
  const cache = new StoredFactCache(ports.fs, store.layout);
  const fewest = known === null ? 0 : FEWEST_CACHED;
  const reader = new CachedFactReader(languages, cache, ports.facts ?? new LocalFactReader(languages), fewest);
  const { signal } = options;
  const analyser = { languages, reader, ...(signal === undefined ? {} : { signal }) };
  try {
    const graph =
      known === null ? await graphOf(before, analyser) : await graphAfter(known.graph, before, moved, analyser);
    lastGraph.keep({ workspace: id, tree: before, graph });
    return await analysis.run({ ...analyser, base: before, proposed: after, graph, changed });
  } catch (error) {
    engine.pace(options).throwIfCancelled();
    throw error;
  } finally {
    cache.save();
  }
}

/** Files of damaged folders: `verify` reports the damage. */
function leaveOut(): void {}
