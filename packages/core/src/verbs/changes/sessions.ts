import { nullIfNoWorkspace } from '../input/no-workspace.ts';
import { actorToJson, timeToJson } from '../shapes/to-json.ts';
import { verb } from '../verb.ts';

export const sessions = verb({
  name: 'sessions',
  summary: "list agents' sessions, most recent first",
  description:
    'Shows the agent, the time, the first prompt and the amount of change of each session. Only calls that changed ' +
    'something are counted. A change that several sessions may have made counts for each of them and is marked as ' +
    'unsure.',
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
            first: z.iso.datetime().describe('time of its first checkpoint or change'),
            last: z.iso.datetime(),
            title: z.string().nullable().describe('the first prompt; null if none is recorded'),
            prompts: count,
            calls: count,
            changes: count,
            unsure: count.describe('those that another author may have made'),
            added: count.describe('lines'),
            removed: count,
            counted: count.describe('the changes whose lines were counted, at most 300 of each checkpoint'),
            checkpoints: z.array(checkpointId).describe('its own, newest first'),
          }),
        ),
        damaged: z.array(z.strictObject({ id: checkpointId, problem })).describe('their changes are not counted'),
      }),
    };
  },

  async handle(savepoint) {
    const found = await nullIfNoWorkspace(savepoint.sessions());
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
