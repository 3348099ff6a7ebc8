/** Names of modules in strings, such as in `mock.patch("package.module.name")`: those that led somewhere, and do no more. */

import type { TreePath } from '../../model/names.ts';
import { type CodeGraph, type FileNode, pathsOf } from '../graph/graph.ts';
import { resolveExport } from '../graph/resolve-name.ts';
import type { Change, Draft } from './draft.ts';

export interface TextPlace {
  readonly path: TreePath;
  readonly node: FileNode;
  /** The same file in the base. */
  readonly before: FileNode | undefined;
  /** The index of the import. */
  readonly nth: number;
}

export function checkText({ path, node, before, nth }: TextPlace, change: Change): readonly Draft[] {
  const read = node.facts.imports[nth];
  const nthBefore = before?.facts.imports.findIndex(({ kind, from }) => kind === 'text' && from === read?.from) ?? -1;
  if (read === undefined || before === undefined || nthBefore < 0) return [];
  const place = placeOf(change.base, before, nthBefore);
  if (place === null || placeOf(change.proposed, node, nth) !== null) return [];
  return [
    {
      class: read.isGuarded ? 'may-be-affected' : 'breaks',
      rule: 'unresolved-name',
      path,
      line: read.line,
      message: `'${read.from}' in a string leads nowhere any more.`,
      evidence: [{ path: place, line: null, state: 'base', text: 'where it led' }],
    },
  ];
}

/** The file that a dotted name leads to; null: to none, or the file does not have the name. */
function placeOf(graph: CodeGraph, node: FileNode, nth: number): TreePath | null {
  const [name, ...members] = node.texts?.get(nth) ?? [];
  for (const path of pathsOf(node.targets[nth])) {
    const found = name === undefined ? null : resolveExport(graph, path, name);
    if (found?.state === 'missing') continue;
    const [member] = members;
    const origin = found?.state === 'found' ? found.origins[0] : undefined;
    if (origin === undefined || origin.name === '*' || member === undefined) return path;
    const facts = graph.nodes.get(origin.path)?.facts;
    const holder = facts?.definitions.find((one) => one.name === origin.name && one.container === null);
    const isOpen = holder === undefined || holder.kind !== 'class' || holder.hasHiddenMembers === true;
    if (isOpen || facts?.definitions.some((one) => one.name === member && one.container === origin.name)) return path;
  }
  return null;
}
