import type { TreePath } from '../../model/names.ts';
import type { Definition } from '../facts.ts';
import type { CodeGraph } from '../graph/graph.ts';
import type { Origin } from '../graph/resolve-name.ts';
import type { Change } from './draft.ts';

/** Finds a definition of a file. */
export function definitionOf(
  graph: CodeGraph,
  path: TreePath,
  name: string,
  container: string | null = null,
): Definition | null {
  const definitions = graph.nodes.get(path)?.facts.definitions;
  return definitions?.find((one) => one.name === name && one.container === container) ?? null;
}

/** Says where a definition probably is now, to be added to a message. */
export function newPlaceOf(origin: Origin, change: Change): string {
  const before = definitionOf(change.base, origin.path, origin.name);
  if (before === null) return '';
  const renamed = renamedTo(origin, before, change);
  if (renamed !== null) return `; it was probably renamed to '${renamed}'`;
  for (const path of change.changed) {
    if (path === origin.path || definitionOf(change.base, path, origin.name) !== null) continue;
    if (definitionOf(change.proposed, path, origin.name) !== null) return `; ${path} defines it now`;
  }
  return '';
}

/** Finds a new definition of the same file that differs in its name only. */
function renamedTo(origin: Origin, before: Definition, change: Change): string | null {
  const path = change.moved.get(origin.path) ?? origin.path;
  const now = change.proposed.nodes.get(path)?.facts.definitions ?? [];
  const old = new Set(change.base.nodes.get(origin.path)?.facts.definitions.map(({ name }) => name));
  const same = now.filter(
    (one) =>
      one.container === null &&
      one.kind === before.kind &&
      !old.has(one.name) &&
      one.signature.replaceAll(one.name, '') === before.signature.replaceAll(before.name, ''),
  );
  return same.length === 1 ? (same[0]?.name ?? null) : null;
}
