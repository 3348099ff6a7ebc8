/** Splits a change along the graph. */

import type { TreePath } from '../../model/names.ts';
import { isTest } from '../findings/dependents.ts';
import { connected, cyclesTogether, type Edges } from './components.ts';
import { type ChangedCode, needsOf } from './needs.ts';

export type { ChangedCode } from './needs.ts';

export interface CodeSplit {
  /** No file is in an earlier phase than one that it needs. Files that need each other are in one phase. */
  readonly phases: readonly (readonly TreePath[])[];
  /** No file needs one of another group. The group with what is not known comes last, the others by size. */
  readonly groups: readonly (readonly TreePath[])[];
  /** Files of which it is not known what they need. They are in the first phase and in one group, unless a file needs them. */
  readonly unknown: readonly TreePath[];
}

/** A plan has at most as many phases. */
const MAX_PARTS = 100;

export function splitCode(code: ChangedCode): CodeSplit {
  const needs = needsOf(code);
  const unknown = [...needs.keys()].filter((path) => !isKnown(code, path)).sort();
  return { phases: phasesOf(needs), groups: groupsOf(needs, new Set(unknown)), unknown };
}

/** Leaves first. Tests are in the phase of the last file that they need, so that they can be run after it. */
function phasesOf(needs: Edges<TreePath>): readonly (readonly TreePath[])[] {
  const phaseOf = new Map<TreePath, number>();
  for (const component of cyclesTogether(needs.keys(), needs)) {
    const own = new Set(component);
    const before = component
      .flatMap((path) => [...(needs.get(path) ?? [])])
      .flatMap((path) => (own.has(path) ? [] : [phaseOf.get(path) ?? 0]));
    const last = before.reduce((one, other) => Math.max(one, other), -1);
    const phase = component.every(isTest) ? Math.max(last, 0) : Math.min(last + 1, MAX_PARTS - 1);
    for (const path of component) phaseOf.set(path, phase);
  }
  const phases: TreePath[][] = [];
  for (const path of [...needs.keys()].sort()) {
    const phase = phaseOf.get(path) ?? 0;
    for (let at = phases.length; at <= phase; at += 1) phases.push([]);
    phases[phase]?.push(path);
  }
  return phases;
}

function groupsOf(needs: Edges<TreePath>, unknown: ReadonlySet<TreePath>): readonly (readonly TreePath[])[] {
  const all = connected(needs.keys(), needs);
  const isRest = (group: readonly TreePath[]): boolean => group.every((path) => unknown.has(path));
  const known = all.filter((group) => !isRest(group)).sort((one, other) => other.length - one.length);
  const rest = all.filter(isRest).flat();
  const most = rest.length === 0 ? MAX_PARTS : MAX_PARTS - 1;
  // The smallest ones together.
  const groups = known.length <= most ? known : [...known.slice(0, most - 1), known.slice(most - 1).flat()];
  return [...groups, ...(rest.length === 0 ? [] : [rest])].map((group) => [...group].sort());
}

/** Of a file that goes, the base knows it. */
function isKnown({ base, proposed }: ChangedCode, path: TreePath): boolean {
  return (proposed.tree.files.has(path) ? proposed : base).nodes.has(path);
}
