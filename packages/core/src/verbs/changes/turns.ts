import { type CheckpointId, checkpointNumber } from '../../model/ids.ts';
import { nullIfNoWorkspace } from '../input/no-workspace.ts';
import { turnFields, turnToJson } from '../shapes/turn-shape.ts';
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
  schemas: (shapes) => {
    const { z, checkpointId, problem } = shapes;
    return {
      input: z.strictObject({
        session: z.string().optional().describe('only turns of this session: its id, or a unique prefix'),
        limit: z.int().min(1).optional().describe(`maximum number of turns (default ${DEFAULT_LIMIT})`),
        before: checkpointId.optional().describe('only turns that began before this checkpoint'),
      }),
      output: z.strictObject({
        turns: z.array(z.strictObject(turnFields(shapes))),
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
      turns: found.turns.map(turnToJson),
      here: found.here,
      damaged: found.damaged.map(({ id, error }) => ({ id, problem: error.toJSON() })),
      next: found.next,
    };
  },
});
