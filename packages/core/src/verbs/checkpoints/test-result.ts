import { briefToJson } from '../shapes/to-json.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const setTestResult = verb({
  name: 'test-result',
  summary: 'set the test result of a checkpoint',
  description:
    'Sets the test result of a checkpoint that was taken before. `list` and `show` then show it in place of the one that ' +
    'was known when the checkpoint was taken. `none` removes a result that was set later. The checkpoint itself does ' +
    'not change, and bundles contain only the result that it was taken with.',
  changes: 'store',
  schemas: ({ z, checkpointName, checkpointBrief }) => ({
    input: z.strictObject({
      checkpoint: checkpointName,
      result: z.enum(['pass', 'fail', 'none']),
    }),
    output: z.strictObject({ checkpoint: checkpointBrief }),
  }),

  async handle(savepoint, { checkpoint, result }, context) {
    const wanted = result === 'none' ? null : result;
    const set = await savepoint.setTestResult(checkpoint, wanted, withoutUndefined({ signal: context.signal }));
    return { checkpoint: briefToJson(set) };
  },
});
