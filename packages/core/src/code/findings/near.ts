import type { TreePath } from '../../model/names.ts';
import type { CodeGraph } from '../graph/graph.ts';
import type { Change } from './draft.ts';

/** Whether a file imports another one, directly or through one more file: then it very probably means its members. */
export function isNear({ base }: Change, path: TreePath, definer: TreePath): boolean {
  if (path === definer) return true;
  return (
    importsOf(base, definer).has(path) || [...importsOf(base, definer)].some((one) => importsOf(base, one).has(path))
  );
}

function importsOf(graph: CodeGraph, path: TreePath): ReadonlySet<TreePath> {
  return graph.importers.get(path) ?? new Set();
}
