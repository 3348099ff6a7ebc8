import { nameToJson } from '../../model/names.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const verify = verb({
  name: 'verify',
  summary: 'check the store for damage',
  description:
    'Checks that the store has everything the checkpoints need. With `deep`, reads and hashes every byte of the ' +
    'store. Damage is listed with the checkpoints it affects; all others can still be restored. After damage was ' +
    'found, the next checkpoint reads every file again, and repairs the damaged objects whose content is still in ' +
    'the workspace.',
  changes: 'nothing',
  schemas: ({ z, jsonName, objectId, checkpointId }) => ({
    input: z.strictObject({ deep: z.boolean().optional().describe('read and hash every byte') }),
    output: z.strictObject({
      deep: z.boolean(),
      checkpoints: z.int().min(0),
      sound: z.int().min(0).describe('checkpoints that can be restored completely'),
      damage: z.array(
        z.strictObject({
          object: objectId.nullable(),
          file: jsonName.nullable().describe('where it was found; null if the object is missing'),
          problem: z.string(),
          checkpoints: z.array(checkpointId).describe('those that cannot be restored completely because of it'),
        }),
      ),
    }),
  }),

  async handle(savepoint, input, context) {
    const {
      deep,
      checkpoints,
      valid: sound,
      damage,
    } = await savepoint.verify(withoutUndefined({ deep: input.deep, signal: context.signal }));
    return {
      deep,
      checkpoints,
      sound,
      damage: damage.map((one) => ({
        object: one.object,
        file: one.file === null ? null : nameToJson(one.file),
        problem: one.problem,
        checkpoints: [...one.checkpoints],
      })),
    };
  },

  status: ({ damage }) => (damage.length > 0 ? 1 : 0),
});
