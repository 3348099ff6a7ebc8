import { type CheckpointId, checkpointNumber } from '../../model/ids.ts';
import { nullIfNoWorkspace } from '../input/no-workspace.ts';
import { actorToJson, timeToJson } from '../shapes/to-json.ts';
import { verb, withoutUndefined } from '../verb.ts';

const DEFAULT_LIMIT = 20;

export const turns = verb({
  name: 'turns',
  summary: 'list prompts to agents with what followed, newest first',
  description:
    'A turn is a prompt with all that its session did until its next prompt. Work without a recorded prompt is a turn ' +
    'without words. A change that several sessions may have made counts for each of them. `restore` with the checkpoint ' +
    'in `before` brings back the state before the work.',
  changes: 'nothing',
  schemas: ({ z, actor, checkpointId, problem }) => {
    const count = z.int().min(0);
    return {
      input: z.strictObject({
        session: z.string().optional().describe('only turns of this session: its id, or a unique prefix'),
        limit: z.int().min(1).optional().describe(`maximum number of turns (default ${DEFAULT_LIMIT})`),
        before: checkpointId.optional().describe('only turns that began before this checkpoint'),
      }),
      output: z.strictObject({
        turns: z.array(
          z.strictObject({
            before: checkpointId
              .nullable()
              .describe('the state before the work; null if it was dropped or never taken'),
            after: checkpointId.nullable().describe('the state after the work; null if nothing was recorded'),
            session: z.string(),
            actor,
            prompt: z.string().nullable().describe('its words, shortened; null if no prompt is recorded'),
            messageId: z.string().nullable().describe("the agent's own id of the prompt"),
            began: z.iso.datetime(),
            ended: z.iso.datetime(),
            calls: count.describe('that changed something'),
            files: count.describe('different paths'),
            added: count.describe('lines, summed over all changes'),
            removed: count,
            changes: count,
            takenBack: count.describe('the changes that were taken back since'),
            isCurrent: z.boolean().describe("the workspace's newest state is in this turn"),
          }),
        ),
        here: checkpointId
          .nullable()
          .describe("the checkpoint with the workspace's newest state: an older one after a restore"),
        damaged: z.array(z.strictObject({ id: checkpointId, problem })).describe('their changes are not counted'),
        next: checkpointId.nullable().describe('pass it as `before` to get the next page; null on the last page'),
      }),
    };
  },

  async handle(savepoint, input) {
    const before = input.before === undefined ? undefined : checkpointNumber(input.before as CheckpointId);
    const query = { limit: input.limit ?? DEFAULT_LIMIT, ...withoutUndefined({ session: input.session, before }) };
    const found = await nullIfNoWorkspace(savepoint.turns(query));
    if (found === null) return { turns: [], here: null, damaged: [], next: null };
    return {
      turns: found.turns.map(({ actor, began, ended, ...rest }) => ({
        ...rest,
        actor: actorToJson(actor),
        began: timeToJson(began),
        ended: timeToJson(ended),
      })),
      here: found.here,
      damaged: found.damaged.map(({ id, error }) => ({ id, problem: error.toJSON() })),
      next: found.more ? (found.turns.at(-1)?.before ?? null) : null,
    };
  },
});
