import { nameToJson } from '../model/names.ts';
import { given, verb } from './verb.ts';

export const recover = verb({
  name: 'recover',
  summary: 'settle what a dead process left half done',
  description:
    'Every verb that changes files does this first by itself. Where files were changed by someone else meanwhile it ' +
    'needs a decision: `forward` finishes the act and keeps what stands in its way under the store, `back` takes the act back.',
  changes: 'files',
  schemas: ({ z, jsonName, kept }) => ({
    input: z.strictObject({ decision: z.enum(['forward', 'back']).optional().describe('for what needs one') }),
    output: z.strictObject({
      settled: z.array(
        z.strictObject({
          transaction: z.string(),
          direction: z
            .enum(['forward', 'back', 'discarded'])
            .describe('finished, taken back, or thrown away before it had changed anything'),
          paths: z.array(jsonName),
          keptFiles: z.array(kept).describe('bytes of someone else, and where they lie now'),
        }),
      ),
    }),
  }),

  async handle(savepoint, input, context) {
    const settled = await savepoint.recover(given({ decision: input.decision, signal: context.signal }));
    return {
      settled: settled.map(({ transaction, direction, paths, kept }) => ({
        transaction,
        direction,
        paths: paths.map(nameToJson),
        keptFiles: kept.map(({ path, backup }) => ({ path: nameToJson(path), backup: nameToJson(backup) })),
      })),
    };
  },
});
