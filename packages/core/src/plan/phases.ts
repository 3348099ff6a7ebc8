/** Which changes of a plan belong to which of its phases. */

import { isWithin, type TreePath, WORKSPACE_ITSELF } from '../model/names.ts';
import type { PlanPhase } from '../model/plan.ts';
import type { PlanChange } from './selection.ts';

/** A part of the workspace. */
export interface PhaseScope {
  /** These paths and everything below them. */
  readonly within: readonly TreePath[];
  readonly except: readonly TreePath[];
}

const WHOLE_PLAN: PhaseScope = { within: [WORKSPACE_ITSELF], except: [] };

/** The index of the first phase that names a path; what no phase names belongs to the last one. */
export function phaseOf(phases: readonly PlanPhase[], path: TreePath): number {
  const found = phases.findIndex(({ paths }) => paths.some((each) => isWithin(path, each)));
  return found === -1 ? phases.length - 1 : found;
}

/**
 * The last phase also has what no change lists, such as folders that are left empty: it is applied when all others were.
 * @param wanted indexes of phases; null: the whole plan
 */
export function scopeOfPhases(
  phases: readonly PlanPhase[],
  changes: readonly PlanChange[],
  wanted: readonly number[] | null,
): PhaseScope {
  if (wanted === null) return WHOLE_PLAN;
  const hasLast = wanted.includes(phases.length - 1);
  const listed = changes
    .filter(({ change }) => wanted.includes(phaseOf(phases, change.path)) !== hasLast)
    .flatMap(({ change: { path, from } }) => (from === null ? [path] : [path, from]));
  return hasLast ? { ...WHOLE_PLAN, except: listed } : { within: listed, except: [] };
}
