/** Splits a change between two snapshots along the imports of its files. Loaded lazily: it needs all languages. */

import { buildGraph } from '../../code/graph/graph.ts';
import { analyse, type CodeSplit, splitCode } from '../../code/index.ts';
import type { TreePath } from '../../model/names.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { analyserFor, baseGraph, MOST_SOURCES, type StatesToAnalyse } from './analysis.ts';
import type { LastGraph } from './last-graph.ts';
import { SnapshotTree } from './snapshot-tree.ts';
import { tooMany } from './unsaid.ts';

/**
 * @param changes all paths that differ; those of one item stay together
 * @throws the signal's reason if it is aborted
 */
export async function splitStates(
  workspace: Workspace,
  lastGraph: LastGraph,
  { objects, base, proposed }: StatesToAnalyse,
  changes: readonly (readonly TreePath[])[],
  signal: AbortSignal | undefined,
): Promise<CodeSplit> {
  const { analyser, cache } = analyserFor(workspace, signal);
  const before = SnapshotTree.read(objects, base, () => {});
  const { tree: after } = before.moveTo(objects, proposed, () => {});
  if (tooMany(after.files.keys(), analyser.languages, MOST_SOURCES) !== null) {
    const unknown = (tree: SnapshotTree) => buildGraph(tree, new Map(), []);
    return splitCode({ base: unknown(before), proposed: unknown(after), changes });
  }
  try {
    const graph = await baseGraph(workspace, lastGraph, before, analyser);
    const found = await analyse({ ...analyser, base: before, proposed: after, graph });
    return splitCode({ base: graph, proposed: found.proposed, changes });
  } finally {
    cache.save();
  }
}
