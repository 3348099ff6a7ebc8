/** Import cycles that a change adds. Imports of types, and imports that are carried out later, make none. */

import type { TreePath } from '../../model/names.ts';
import { type CodeGraph, type FileNode, pathsOf } from '../graph/graph.ts';
import type { Change, Draft } from './draft.ts';

/** How many files are looked at to find the way back from one import. */
const MOST_FILES = 50_000;

export function checkCycles(change: Change): readonly Draft[] {
  const drafts = new Map<string, Draft>();
  const explained = new Set<TreePath>();
  for (const path of change.renewed) {
    const node = change.proposed.nodes.get(path);
    const before = change.base.nodes.get(change.movedFrom.get(path) ?? path);
    if (node === undefined || node === before) continue;
    const known = new Set(
      before === undefined ? [] : runtimeImports(before).map(({ to }) => change.moved.get(to) ?? to),
    );
    for (const { to, line } of runtimeImports(node)) {
      if (known.has(to) || (explained.has(path) && explained.has(to))) continue;
      const way = wayBetween(change.proposed, to, path);
      if (way === null || wasCycle(change, path, to)) continue;
      for (const one of way) explained.add(one);
      const cycle = [path, ...way];
      drafts.set([...way].sort().join('\0'), {
        class: 'may-be-affected',
        rule: 'import-cycle',
        path,
        line,
        message: `This import closes a cycle of ${way.length} ${way.length === 1 ? 'file' : 'files'}: ${inShort(cycle)}.`,
        evidence: [{ path, line, state: 'proposed', text: cycle.join(' → ') }],
      });
    }
  }
  return [...drafts.values()];
}

function runtimeImports(node: FileNode): readonly { readonly to: TreePath; readonly line: number }[] {
  return node.facts.imports.flatMap(({ kind, line }, nth) =>
    kind === 'static' ? pathsOf(node.targets[nth]).map((to) => ({ to, line })) : [],
  );
}

/** The shortest way along imports, without its start, with its end; null: there is none. */
function wayBetween(graph: CodeGraph, from: TreePath, to: TreePath): readonly TreePath[] | null {
  const cameFrom = new Map<TreePath, TreePath | null>([[from, null]]);
  for (const path of cameFrom.keys()) {
    if (path === to) return wayTo(path, cameFrom);
    const node = cameFrom.size > MOST_FILES ? undefined : graph.nodes.get(path);
    for (const next of node === undefined ? [] : runtimeImports(node)) {
      if (!cameFrom.has(next.to)) cameFrom.set(next.to, path);
    }
  }
  return null;
}

function wayTo(end: TreePath, cameFrom: ReadonlyMap<TreePath, TreePath | null>): readonly TreePath[] {
  const way: TreePath[] = [];
  for (let at: TreePath | null = end; at !== null; at = cameFrom.get(at) ?? null) way.unshift(at);
  return way;
}

/** Whether both files already imported each other, on any way. */
function wasCycle({ base, movedFrom }: Change, path: TreePath, to: TreePath): boolean {
  const one = movedFrom.get(path) ?? path;
  const other = movedFrom.get(to) ?? to;
  if (!base.nodes.has(one) || !base.nodes.has(other)) return false;
  if (one === other) return false;
  return wayBetween(base, one, other) !== null && wayBetween(base, other, one) !== null;
}

function inShort(cycle: readonly TreePath[]): string {
  if (cycle.length <= 6) return cycle.join(' → ');
  return [...cycle.slice(0, 3), '…', ...cycle.slice(-2)].join(' → ');
}
