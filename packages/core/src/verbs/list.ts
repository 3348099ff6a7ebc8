import { type CheckpointId, checkpointNumber } from '../model/ids.ts';
import { orNone } from './no-workspace.ts';
import { briefToJson } from './to-json.ts';
import { verb } from './verb.ts';

const DEFAULT_LIMIT = 50;

export const list = verb({
  name: 'list',
  summary: 'list checkpoints, newest first',
  description:
    'The newest 50, or as many as the limit says. A checkpoint whose story cannot be read is named with what is wrong; ' +
    'the others are listed all the same.',
  changes: 'nothing',
  schemas: ({ z, checkpointId, checkpointBrief, problem }) => ({
    input: z.strictObject({
      limit: z.int().min(1).optional().describe(`how many at most; ${DEFAULT_LIMIT} without it`),
      before: checkpointId.optional().describe('only older ones than this'),
    }),
    output: z.strictObject({
      checkpoints: z.array(checkpointBrief),
      damaged: z.array(z.strictObject({ id: checkpointId, problem })),
      more: z.boolean().describe('there are older ones'),
    }),
  }),

  async handle(savepoint, input) {
    const limit = input.limit ?? DEFAULT_LIMIT;
    const before = input.before === undefined ? {} : { before: checkpointNumber(input.before as CheckpointId) };
    // One more than wanted tells whether there are more.
    const found = await orNone(savepoint.list({ ...before, limit: limit + 1 }));
    if (found === null) return { checkpoints: [], damaged: [], more: false };
    const numbers = [...found.checkpoints, ...found.damaged]
      .map(({ id }) => checkpointNumber(id))
      .sort((a, b) => b - a);
    const oldest = numbers[limit - 1] ?? 0;
    const isWanted = ({ id }: { readonly id: CheckpointId }): boolean => checkpointNumber(id) >= oldest;
    return {
      checkpoints: found.checkpoints.filter(isWanted).map(briefToJson),
      damaged: found.damaged.filter(isWanted).map(({ id, error }) => ({ id, problem: error.toJSON() })),
      more: numbers.length > limit,
    };
  },
});
