import { nameToJson } from '../../model/names.ts';
import { pathsOf } from '../../transaction/steps.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const recover = verb({
  name: 'recover',
  summary: 'finish or roll back an interrupted operation',
  description:
    'Finishes or rolls back an interrupted operation. Every command that changes files first does this ' +
    'automatically. If other programs have changed the files in the meantime, recovery needs a decision: `forward` ' +
    'finishes the operation and moves conflicting files to a backup in the store, `back` rolls the operation back.',
  changes: 'files',
  schemas: ({ z, jsonName, kept }) => ({
    input: z.strictObject({
      decision: z.enum(['forward', 'back']).optional().describe('for operations that need a decision'),
    }),
    output: z.strictObject({
      settled: z.array(
        z.strictObject({
          transaction: z.string(),
          direction: z
            .enum(['forward', 'back', 'discarded'])
            .describe('finished, rolled back, or discarded because it had not changed anything yet'),
          paths: z.array(jsonName),
          keptFiles: z.array(kept).describe('files of other programs that were in the way, and their backups'),
        }),
      ),
      waiting: z
        .array(z.strictObject({ transaction: z.string(), roots: z.array(jsonName), paths: z.array(jsonName) }))
        .describe('operations that can be recovered only after these roots are mounted again'),
    }),
  }),

  status: ({ waiting }) => (waiting.length > 0 ? 4 : 0),

  async handle(savepoint, input, context) {
    const { recovered, waiting } = await savepoint.recover(
      withoutUndefined({ decision: input.decision, signal: context.signal }),
    );
    return {
      settled: recovered.map(({ transaction, direction, paths, kept }) => ({
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
