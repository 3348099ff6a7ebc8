import type { Turn } from '../../conversation/turn.ts';
import type { Shapes } from '../verb.ts';
import { checkSummaryShape, checkSummaryToJson } from './check-summary-shape.ts';
import { actorToJson, timeToJson } from './to-json.ts';

/** The fields of a turn. */
export function turnFields(shapes: Shapes) {
  const { z, actor, checkpointId } = shapes;
  const count = z.int().min(0);
  return {
    before: checkpointId.nullable().describe('the state before the work; null if it was dropped or never taken'),
    after: checkpointId.nullable().describe('the state after the work; null if nothing was recorded'),
    session: z.string(),
    actor,
    prompt: z.string().nullable().describe('its words, shortened; null if no prompt is recorded'),
    messageId: z.string().nullable().describe("the agent's own id of the prompt"),
    began: z.iso.datetime(),
    ended: z.iso.datetime(),
    calls: count.describe('that changed something'),
    files: count.describe('different paths; those of a call with more than 10,000 changes count as others'),
    added: count.describe('lines, summed over all changes'),
    removed: count,
    counted: count.describe('the files whose lines were counted, at most 300 of each checkpoint'),
    changes: count,
    takenBack: count.describe('the changes that were taken back since'),
    testResult: z.enum(['pass', 'fail']).nullable().describe('of the state after the work, as of its checkpoint'),
    checks: checkSummaryShape(shapes)
      .nullable()
      .describe('how checks went on the state after the work; null if none ran'),
    isCurrent: z.boolean().describe("the workspace's newest state is in this turn"),
  };
}

export function turnToJson<T extends Turn>({ actor, began, ended, checks, ...rest }: T) {
  return {
    ...rest,
    actor: actorToJson(actor),
    began: timeToJson(began),
    ended: timeToJson(ended),
    checks: checks && checkSummaryToJson(checks),
  };
}
