/** Sets the phases of a plan. */

import { givenPaths } from '../../io/given-path.ts';
import type { Pace } from '../../io/pace.ts';
import { SavepointError } from '../../model/errors.ts';
import { isWithin, type JsonName } from '../../model/names.ts';
import type { Plan, PlanPhase } from '../../model/plan.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { selectionIn } from './plan-view.ts';

/** A part of a plan that is applied and checked on its own. */
export interface PhaseRequest {
  readonly name: string;
  /** These paths and everything below them. */
  readonly paths: readonly JsonName[];
}

const MAX_NAME = 100;
const MAX_PHASES = 100;

/** @param keep the phases that the plan has stay; one with the same name is replaced */
export async function withPhases(
  workspace: Workspace,
  plan: Plan,
  requests: readonly PhaseRequest[],
  keep: boolean,
  pace: Pace,
): Promise<Plan> {
  if (plan.applications.length > 0) {
    const message = `Something of ${plan.id} was applied, so its phases stay as they are.`;
    throw new SavepointError(
      'USAGE',
      message,
      { argument: 'phases' },
      { hint: 'Propose the rest as a plan of its own.' },
    );
  }
  const { changes } = await selectionIn(workspace, plan, pace);
  const made = requests.map(({ name, paths: given }): PlanPhase => {
    const paths = givenPaths(workspace, given);
    if (name.trim() === '' || name.length > MAX_NAME || /[\u0000-\u001f\u007f]/.test(name)) {
      throw usage(`The name of a phase must be one line of at most ${MAX_NAME} characters.`);
    }
    for (const [index, path] of paths.entries()) {
      if (changes.some(({ change }) => isWithin(change.path, path))) continue;
      throw usage(`${plan.id} does not change ${JSON.stringify(given[index])}.`);
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
  return { ...plan, phases };
}

function usage(message: string): SavepointError {
  return new SavepointError('USAGE', message, { argument: 'phases' });
}
