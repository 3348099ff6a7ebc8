/** Which changes of a plan belong to which of its phases. */

import { isWithin, type TreePath, WORKSPACE_ITSELF } from '../model/names.ts';
import type { PlanPhase } from '../model/plan.ts';
import type { PlanChange } from './selection.ts';

/** What of a plan an application is about. */
export interface PlanPart {
  /** The index of the phase; null: the whole plan. */
  readonly phase: number | null;
  /** Only the changes of these paths, which an earlier application left out. Null: all of them. */
  readonly paths: readonly TreePath[] | null;
}

/** A part of the workspace. */
export interface PhaseScope {
  /** These paths and everything below them. */
  readonly within: readonly TreePath[];
  readonly except: readonly TreePath[];
}

/** The index of the first phase that names a path; what no phase names belongs to the last one. */
export function phaseOf(phases: readonly PlanPhase[], path: TreePath): number {
  const found = phases.findIndex(({ paths }) => paths.some((each) => isWithin(path, each)));
  return found === -1 ? phases.length - 1 : found;
}

/** Whether a change belongs to the part. */
export function isInPart(
  phases: readonly PlanPhase[],
  part: PlanPart,
  { change }: Pick<PlanChange, 'change'>,
): boolean {
  const isInPhase = part.phase === null || phaseOf(phases, change.path) === part.phase;
  return isInPhase && (part.paths === null || pathsOf({ change }).some((path) => part.paths?.includes(path)));
}

/** The paths of a change; of a rename, both. */
export function pathsOf({ change: { path, from } }: Pick<PlanChange, 'change'>): readonly TreePath[] {
  return from === null ? [path] : [path, from];
}

/**
 * The whole plan and the last phase also have what no change lists, such as folders that are left empty: it is applied when
 * all others were.
 */
export function scopeOfParts(
  phases: readonly PlanPhase[],
  changes: readonly PlanChange[],
  parts: readonly PlanPart[],
): PhaseScope {
  const hasRest = parts.some(({ phase }) => phase === null || phase === phases.length - 1);
  const isWanted = (one: PlanChange): boolean => parts.some((part) => isInPart(phases, part, one));
  const listed = changes.filter((one) => isWanted(one) !== hasRest).flatMap(pathsOf);
  return hasRest ? { within: [WORKSPACE_ITSELF], except: listed } : { within: listed, except: [] };
}
