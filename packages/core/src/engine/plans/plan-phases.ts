/** Sets the phases of a plan. */

import { type GivenPathContext, givenPaths } from '../../io/given-path.ts';
import { SavepointError } from '../../model/errors.ts';
import { isWithin, type JsonName, nameToJson } from '../../model/names.ts';
import type { Plan, PlanPhase } from '../../model/plan.ts';
import { phaseOf } from '../../plan/phases.ts';
import type { PlanChange } from '../../plan/selection.ts';

/** A part of a plan that is applied and checked on its own. */
export interface PhaseRequest {
  readonly name: string;
  /** These paths and everything below them. */
  readonly paths: readonly JsonName[];
}

const MAX_NAME = 100;
const MAX_PHASES = 100;

/**
 * @param changes those of the plan
 * @param keep the phases that the plan has stay; one with the same name is replaced
 * @throws SavepointError USAGE if something was applied, if a path is not in the plan, or if an earlier phase has all of it
 */
export function withPhases(
  context: GivenPathContext,
  plan: Plan,
  changes: readonly PlanChange[],
  requests: readonly PhaseRequest[],
  keep: boolean,
): Plan {
  if (plan.applications.length > 0) {
    const message = `Something of ${plan.id} was applied, so its phases stay as they are.`;
    throw new SavepointError(
      'USAGE',
      message,
      { argument: 'phases' },
      { hint: 'Propose the rest as a plan of its own.' },
    );
  }
  const made = requests.map(({ name, paths: given }): PlanPhase => {
    const paths = givenPaths(context, given);
    if (name.trim() === '' || name.length > MAX_NAME || /[\u0000-\u001f\u007f]/.test(name)) {
      throw usage(`The name of a phase must be one line of at most ${MAX_NAME} characters.`);
    }
    for (const [index, path] of paths.entries()) {
      if (changes.some(({ change }) => isWithin(change.path, path))) continue;
      throw usage(`The plan does not change ${JSON.stringify(given[index])}.`);
    }
    if (paths.length === 0) throw usage(`Phase ${JSON.stringify(name)} has no paths.`);
    return { name, paths };
  });
  const names = made.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw usage(`Two phases have the name ${JSON.stringify(twice)}.`);
  const phases = keep
    ? [
        ...plan.phases.map((one) => made.find(({ name }) => name === one.name) ?? one),
        ...made.filter(({ name }) => plan.phases.every((one) => one.name !== name)),
      ]
    : made;
  if (phases.length > MAX_PHASES) throw usage(`A plan has at most ${MAX_PHASES} phases.`);
  assertNoneTwice(phases, changes);
  return { ...plan, phases };
}

/** A path goes to the first phase that names it, so one that comes again would be without effect. */
function assertNoneTwice(phases: readonly PlanPhase[], changes: readonly PlanChange[]): void {
  for (const [index, { name, paths }] of phases.entries()) {
    for (const [place, path] of paths.entries()) {
      const within = changes.filter(({ change }) => isWithin(change.path, path));
      const earlier = paths.slice(0, place);
      const isOwn = within.some(
        ({ change }) => phaseOf(phases, change.path) === index && !earlier.some((each) => isWithin(change.path, each)),
      );
      if (isOwn || within.length === 0) continue;
      throw usage(
        `Phase ${JSON.stringify(name)} names ${JSON.stringify(nameToJson(path))}, which is in a phase already.`,
      );
    }
  }
}

function usage(message: string): SavepointError {
  return new SavepointError('USAGE', message, { argument: 'phases' });
}
