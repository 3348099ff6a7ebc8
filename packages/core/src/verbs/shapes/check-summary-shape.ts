import { COMPARISONS, OUTCOMES } from '../../model/check-outcome.ts';
import { checkpointId } from '../../model/ids.ts';
import type { CheckSummary } from '../../store/state/check-summaries.ts';
import type { Shapes } from '../verb.ts';
import { timeToJson } from './to-json.ts';

/** How checks went on a state, without their output. */
export function checkSummaryShape({ z, checkpointId: id }: Shapes) {
  return z.strictObject({
    time: z.iso.datetime().describe('when the last of them ended'),
    base: id.nullable().describe('what they were compared with; null: nothing'),
    checks: z.array(
      z.strictObject({
        name: z.string(),
        outcome: z.enum(OUTCOMES),
        comparison: z
          .enum(COMPARISONS)
          .describe('`same`: it failed as before; `worse`: it has new failures; `unknown`: it gave no answer'),
        new: z.int().min(0).describe('new failures'),
      }),
    ),
  });
}

export function checkSummaryToJson({ time, base, checks }: CheckSummary) {
  return {
    time: timeToJson(time),
    base: base === null ? null : checkpointId(base),
    checks: checks.map((one) => ({ ...one })),
  };
}
