import { nameToJson } from '../../model/names.ts';
import { pathsOf } from '../../transaction/steps.ts';
import { given, verb } from '../verb.ts';

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
      waiting: z
        .array(z.strictObject({ transaction: z.string(), roots: z.array(jsonName), paths: z.array(jsonName) }))
        .describe('what can be settled when these roots are mounted again'),
    }),
  }),

  async handle(savepoint, input, context) {
    const { settled, waiting } = await savepoint.recover(given({ decision: input.decision, signal: context.signal }));
    return {
      settled: settled.map(({ transaction, direction, paths, kept }) => ({
        transaction,
        direction,
        paths: paths.map(nameToJson),
        keptFiles: kept.map(({ path, backup }) => ({ path: nameToJson(path), backup: nameToJson(backup) })),
      })),
      waiting: waiting.map(({ journal, missing }) => ({
        transaction: journal.transaction,
        roots: missing.map(({ path }) => nameToJson(path)),
        paths: pathsOf(journal).map(nameToJson),
      })),
    };
  },
});
