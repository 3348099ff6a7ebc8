/** Splits a change between two snapshots along the imports of its files. Loaded lazily: it needs all languages. */

import { buildGraph } from '../../code/graph/graph.ts';
import { type CodeSplit, graphsOf, splitCode } from '../../code/index.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { TreePath } from '../../model/names.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Engine } from '../engine.ts';
import { type StatesToAnalyse, withStates } from './open-states.ts';
import type { SnapshotTree } from './snapshot-tree.ts';

/**
 * @param changes all paths that differ; those of one item stay together
 * @throws SavepointError CANCELLED
 */
export function splitStates(
  engine: Pick<Engine, 'lastGraph' | 'pace'>,
  workspace: Workspace,
  states: StatesToAnalyse,
  changes: readonly (readonly TreePath[])[],
  options: CallOptions,
): Promise<CodeSplit> {
  const unknown = (tree: SnapshotTree) => buildGraph(tree, new Map(), []);
  return withStates(engine, workspace, states, options, {
    run: async (opened) => splitCode({ ...(await graphsOf(opened)), changes }),
    refuse: (_why, before, after) => splitCode({ base: unknown(before), proposed: unknown(after), changes }),
  });
}
