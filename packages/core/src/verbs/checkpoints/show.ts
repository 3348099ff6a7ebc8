import { checkpointToJson, rootChangeToJson } from '../shapes/to-json.ts';
import { verb } from '../verb.ts';

export const show = verb({
  name: 'show',
  summary: 'show one checkpoint and what changed in it',
  description: 'Everything that is known of a checkpoint, with its changes against the one before it.',
  changes: 'nothing',
  schemas: ({ z, checkpointName, checkpoint, rootChange }) => ({
    input: z.strictObject({ checkpoint: checkpointName }),
    output: checkpoint.extend({
      rootChanges: z.array(rootChange).describe('against `previous`; none where that is gone'),
    }),
  }),

  async handle(savepoint, input) {
    const shown = await savepoint.show(input.checkpoint);
    const changes = (await savepoint.rootChanges([shown])).get(shown.id) ?? [];
    return { ...checkpointToJson(shown), rootChanges: changes.map(rootChangeToJson) };
  },
});
