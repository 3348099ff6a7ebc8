/** Names that packages of the workspace no longer offer to others. */

import type { TreePath } from '../../model/names.ts';
import { canMoveTargets, type FileNode } from '../graph/graph.ts';
import { exportedNames, resolveExport } from '../graph/resolve-name.ts';
import { type PublicEntry, publicEntriesOf } from '../languages/javascript/resolver/public-entries.ts';
import { definitionOf, newPlaceOf } from './definition-of.ts';
import type { Change, Draft } from './draft.ts';

export function checkApi(change: Change): readonly Draft[] {
  const { base, proposed, changed } = change;
  const isMoved = canMoveTargets(base.tree, proposed.tree, changed);
  if (!isMoved && [...changed].every((path) => exportsOf(base.nodes.get(path)) === exportsOf(proposed.nodes.get(path))))
    return [];
  const before = publicEntriesOf(base.tree);
  const entries = isMoved ? publicEntriesOf(proposed.tree) : before;
  const now = new Map(entries.map((one) => [`${one.package}\0${one.entry}`, one]));
  return before.flatMap((entry) => {
    const after = now.get(`${entry.package}\0${entry.entry}`);
    // A package that is gone is not broken.
    return after === undefined ? [] : checkEntry(entry, after, change);
  });
}

function checkEntry(entry: PublicEntry, after: PublicEntry, change: Change): readonly Draft[] {
  const names = new Set(entry.paths.flatMap((path) => [...(exportedNames(change.base, path) ?? [])]));
  const imported = entry.entry === '' ? entry.package : `${entry.package}/${entry.entry}`;
  return [...names].flatMap((name): readonly Draft[] => {
    const before = entry.paths
      .map((path) => resolveExport(change.base, path, name))
      .find(({ state }) => state === 'found');
    const states = after.paths.map((path) => resolveExport(change.proposed, path, name).state);
    if (before?.state !== 'found' || states.some((state) => state !== 'missing') || states.length === 0) return [];
    const [origin] = before.origins;
    if (origin === undefined) return [];
    const definition = definitionOf(change.base, origin.path, origin.name);
    const path = placeOf([origin.path, ...entry.paths], change);
    if (path === null) return [];
    return [
      {
        class: 'breaks',
        rule: 'broken-api',
        path,
        line: null,
        message: `'${imported}' no longer exports '${name}'${newPlaceOf(origin, change)}. Users outside this workspace may import it.`,
        evidence: [
          { path: origin.path, line: definition?.line ?? null, state: 'base', text: definition?.signature ?? name },
        ],
      },
    ];
  });
}

/** All that decides what the names lead to that others import from a file. */
function exportsOf(node: FileNode | undefined): string | null {
  if (node === undefined) return null;
  const { facts, targets, submodules } = node;
  return JSON.stringify([
    facts.exports.map(({ name, local }) => [name, local]),
    facts.imports.map(({ names }) => names.map(({ name, local, exportedAs }) => [name, local, exportedAs])),
    [facts.hasHiddenExports, facts.problems.length > 0],
    [targets, [...(submodules ?? [])]],
  ]);
}

/** The changed file that the finding is about. */
function placeOf(paths: readonly TreePath[], { changed, proposed }: Change): TreePath | null {
  return (
    paths.find((path) => changed.has(path) && proposed.tree.files.has(path)) ??
    [...changed].find((path) => proposed.tree.files.has(path)) ??
    null
  );
}
