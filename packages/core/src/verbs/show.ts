import { checkpointToJson } from './to-json.ts';
import { verb } from './verb.ts';

export const show = verb({
  name: 'show',
  summary: 'show one checkpoint and what changed in it',
  description: 'Everything that is known of a checkpoint, with its changes against the one before it.',
  changes: 'nothing',
  schemas: ({ z, checkpointName, checkpoint }) => ({
    input: z.strictObject({ checkpoint: checkpointName }),
    output: checkpoint,
  }),

  async handle(savepoint, input) {
    return checkpointToJson(await savepoint.show(input.checkpoint));
  },
});
