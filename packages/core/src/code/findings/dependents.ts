/** Files outside a change that depend on it, and the tests that reach it. */

import type { TreePath } from '../../model/names.ts';
import type { CodeFinding } from '../finding.ts';
import type { CodeGraph } from '../graph/graph.ts';
import type { Change, Draft } from './draft.ts';

export interface Dependent {
  readonly path: TreePath;
  /** 1: it imports a changed file itself. */
  readonly distance: number;
  /** How many findings are in it. */
  readonly findings: number;
}

export interface Reach {
  /** Files outside the change: those with findings first, then the nearest. */
  readonly dependents: readonly Dependent[];
  /** Tests that reach a changed file, the nearest first. They may be part of the change. */
  readonly tests: readonly TreePath[];
}

const TEST =
  /(?:^|\/)(?:__tests__|tests?|specs?|e2e)\/|[._-](?:test|spec)s?\.[^/.]+$|(?:^|\/)(?:test_[^/]*|conftest)\.py$|_test\.(?:go|py)$/;

export function isTest(path: TreePath): boolean {
  return TEST.test(path);
}

/** @param findings of the change */
export function reachOf(change: Change, findings: readonly CodeFinding[]): Reach {
  const counts = new Map<TreePath, number>();
  for (const { path } of findings) counts.set(path, (counts.get(path) ?? 0) + 1);
  const distances = distancesFrom(change.proposed, [...change.changed, ...importersOfRemoved(change)]);
  for (const path of counts.keys()) if (!distances.has(path)) distances.set(path, 1);
  const all = [...distances].sort(([, one], [, other]) => one - other);
  const dependents = all
    .filter(([path]) => !change.changed.has(path) && !isTest(path))
    .map(([path, distance]): Dependent => ({ path, distance: Math.max(distance, 1), findings: counts.get(path) ?? 0 }))
    .sort((one, other) => Number(other.findings > 0) - Number(one.findings > 0) || one.distance - other.distance);
  return { dependents, tests: all.flatMap(([path]) => (isTest(path) ? [path] : [])) };
}

/** Changed files that no test reaches. Nothing is said where no test reaches anything. */
export function checkTests(change: Change): readonly Draft[] {
  const { proposed, base } = change;
  const tests = [...proposed.nodes.keys()].filter(isTest);
  if (!tests.some((path) => proposed.nodes.get(path)?.targets.some(({ to }) => to === 'files'))) return [];
  const drafts: Draft[] = [];
  for (const path of change.changed) {
    const now = proposed.nodes.get(path)?.facts;
    const before = base.nodes.get(change.movedFrom.get(path) ?? path)?.facts;
    if (now === undefined || isTest(path) || !now.definitions.some(({ arity }) => arity !== null)) continue;
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(now)) continue;
    if ([...distancesFrom(proposed, [path]).keys()].some(isTest)) continue;
    const message = 'No test reaches this file through its imports.';
    drafts.push({ class: 'may-be-affected', rule: 'untested-change', path, line: null, message, evidence: [] });
  }
  return drafts;
}

/** All files that depend on some files, with how far away they are. */
function distancesFrom(graph: CodeGraph, paths: readonly TreePath[]): Map<TreePath, number> {
  const distances = new Map(paths.map((path) => [path, 0]));
  for (const [path, distance] of distances) {
    for (const importer of graph.importers.get(path) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
  }
  return distances;
}

function importersOfRemoved({ base, proposed, changed }: Change): readonly TreePath[] {
  return [...changed].flatMap((path) =>
    proposed.tree.files.has(path) ? [] : [...(base.importers.get(path) ?? [])].filter((one) => proposed.nodes.has(one)),
  );
}
