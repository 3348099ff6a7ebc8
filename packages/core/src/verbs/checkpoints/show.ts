import { checkpointToJson, rootChangeToJson } from '../shapes/to-json.ts';
import { verb } from '../verb.ts';

export const show = verb({
  name: 'show',
  summary: 'show a checkpoint and its changes',
  description: 'Shows everything that is recorded about a checkpoint, and its changes since the previous one.',
  changes: 'nothing',
  schemas: ({ z, checkpointName, checkpoint, rootChange }) => ({
    input: z.strictObject({ checkpoint: checkpointName }),
    output: checkpoint.extend({
      rootChanges: z.array(rootChange).describe('since `previous`; empty if that has been deleted'),
    }),
  }),

  async handle(savepoint, input) {
    const checkpoint = await savepoint.show(input.checkpoint);
    const rootChanges = (await savepoint.rootChanges([checkpoint])).get(checkpoint.id) ?? [];
    return { ...checkpointToJson(checkpoint), rootChanges: rootChanges.map(rootChangeToJson) };
  },
});
