import { orNone } from '../given/no-workspace.ts';
import { actorToJson, timeToJson } from '../shapes/to-json.ts';
import { verb } from '../verb.ts';

export const sessions = verb({
  name: 'sessions',
  summary: "list agents' sessions, the one that worked last first",
  description:
    'Who worked in it, when, what was said first, and how much changed. Calls count where they changed something; a ' +
    'change that several may have made counts for each of them, and is said to be unsure.',
  changes: 'nothing',
  schemas: ({ z, actor, checkpointId, problem }) => {
    const count = z.int().min(0);
    return {
      input: z.strictObject({}),
      output: z.strictObject({
        sessions: z.array(
          z.strictObject({
            id: z.string(),
            actor,
            first: z.iso.datetime().describe('of its first checkpoint or change'),
            last: z.iso.datetime(),
            title: z.string().nullable().describe('the first prompt; null where none is on record'),
            prompts: count,
            calls: count,
            changes: count,
            unsure: count.describe('of those, the ones that others may have made'),
            added: count.describe('lines'),
            removed: count,
            checkpoints: z.array(checkpointId).describe('its own, newest first'),
          }),
        ),
        damaged: z.array(z.strictObject({ id: checkpointId, problem })).describe('what they did is not counted'),
      }),
    };
  },

  async handle(savepoint) {
    const found = await orNone(savepoint.sessions());
    if (found === null) return { sessions: [], damaged: [] };
    return {
      sessions: found.sessions.map(({ actor, first, last, checkpoints, ...rest }) => ({
        ...rest,
        actor: actorToJson(actor),
        first: timeToJson(first),
        last: timeToJson(last),
        checkpoints: [...checkpoints],
      })),
      damaged: found.damaged.map(({ id, error }) => ({ id, problem: error.toJSON() })),
    };
  },
});
