import { nameToJson } from '../../model/names.ts';
import { given, verb } from '../verb.ts';

export const verify = verb({
  name: 'verify',
  summary: 'look for damage in the store',
  description:
    'Makes sure that everything is there that the checkpoints need. `deep` reads every byte of the store and hashes it. ' +
    'Damage is named with the checkpoints that it hurts; the others still restore. The next checkpoint reads every ' +
    'file again, and so saves anew what is damaged here and sound on disk.',
  changes: 'nothing',
  schemas: ({ z, jsonName, objectId, checkpointId }) => ({
    input: z.strictObject({ deep: z.boolean().optional().describe('read and hash every byte') }),
    output: z.strictObject({
      deep: z.boolean(),
      checkpoints: z.int().min(0),
      sound: z.int().min(0).describe('checkpoints that restore whole'),
      damage: z.array(
        z.strictObject({
          object: objectId.nullable(),
          file: jsonName.nullable().describe('where it was found; null where the object is nowhere'),
          problem: z.string(),
          checkpoints: z.array(checkpointId).describe('those that cannot be restored whole because of it'),
        }),
      ),
    }),
  }),

  async handle(savepoint, input, context) {
    const { deep, checkpoints, sound, damage } = await savepoint.verify(
      given({ deep: input.deep, signal: context.signal }),
    );
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

  isFailure: ({ damage }) => damage.length > 0,
});
