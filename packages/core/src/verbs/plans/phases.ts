/** The phases of a plan in the input of verbs. */

import type { PhaseRequest } from '../../engine/plans/plan-phases.ts';
import { type PathContext, treePathOf } from '../../io/locate-path.ts';
import { exactName, type JsonName } from '../../model/names.ts';
import type { Shapes } from '../verb.ts';

export function phasesShape({ z, jsonName }: Pick<Shapes, 'z' | 'jsonName'>) {
  const phase = z.strictObject({
    name: z.string(),
    paths: z.array(jsonName).min(1).describe('these paths and everything below them; none is in two phases'),
  });
  return z.array(phase);
}

export function phasesOf(
  place: PathContext,
  phases: readonly { readonly name: string; readonly paths: readonly JsonName[] }[],
): readonly PhaseRequest[] {
  return phases.map(({ name, paths }) => ({ name, paths: paths.map((path) => exactName(treePathOf(place, path))) }));
}
