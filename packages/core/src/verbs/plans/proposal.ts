/** Verbs that make or revise a plan, and say what it breaks: for callers that see nothing but this answer. */

import type * as z from 'zod';
import { SavepointError } from '../../model/errors.ts';
import type { Savepoint } from '../../savepoint.ts';
import { findingShape, findingToJson, unsaidShape, unsaidToJson } from '../shapes/findings-shape.ts';
import { planShapes } from '../shapes/plan-shape.ts';
import { type EditShapes, type Shapes, type Verb, type VerbContext, verb } from '../verb.ts';
import { planNew, planRevise } from './propose.ts';

/** An agent waits for the answer, and `plan check` has all findings. */
const MAX_MS = 5_000;

export const planProposed = withFindings(planNew);
export const planRevised = withFindings(planRevise);

function withFindings<Input extends z.ZodType>({
  name,
  summary,
  description,
  schemas,
  handle,
}: Verb<Input, PlanSchema>): Verb<Input, ReturnType<typeof proposalShape>> {
  return verb({
    name,
    summary,
    description: `${description} The answer also has what the plan breaks elsewhere in the code, if that takes no longer than 5 seconds.`,
    changes: 'store',
    schemas: (shapes: Shapes, editShapes: EditShapes) => ({
      input: schemas(shapes, editShapes).input,
      output: proposalShape(shapes),
    }),
    async handle(savepoint, input, context) {
      const plan = await handle(savepoint, input, context);
      return { plan, found: await foundIn(savepoint, plan.id, context) };
    },
  });
}

type PlanSchema = ReturnType<typeof planShapes>['whole'];

function proposalShape(shapes: Shapes) {
  const { z } = shapes;
  return z.strictObject({
    plan: planShapes(shapes).whole,
    found: z.strictObject({
      findings: z.array(findingShape(shapes)).describe('the worst first'),
      omitted: z.int().min(0),
      unsaid: unsaidShape(shapes),
      unfinished: z.string().nullable().describe('why there are no findings; null: they are all found'),
    }),
  });
}

type Found = z.output<ReturnType<typeof proposalShape>>['found'];

/** The plan is made already. So this never fails, also if the caller cancels it. */
async function foundIn(savepoint: Savepoint, plan: string, { signal: given }: VerbContext): Promise<Found> {
  const signal = AbortSignal.any([AbortSignal.timeout(MAX_MS), ...(given === undefined ? [] : [given])]);
  try {
    const { findings, omitted, unsaid } = await savepoint.findings({ plan }, { signal });
    return { findings: findings.map(findingToJson), omitted, unsaid: unsaidToJson(unsaid), unfinished: null };
  } catch (error) {
    if (!(error instanceof SavepointError)) throw error;
    const unfinished = error.code === 'CANCELLED' ? `they take longer than ${MAX_MS / 1_000} seconds` : error.message;
    return { findings: [], omitted: 0, unsaid: [], unfinished };
  }
}
