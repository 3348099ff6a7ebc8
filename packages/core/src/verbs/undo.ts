import { actToJson } from './to-json.ts';
import { given, verb } from './verb.ts';

export const undo = verb({
  name: 'undo',
  summary: 'take back the newest act of Savepoint',
  description:
    'Takes back the newest restore (or redo) that stands. Files that changed since are merged three ways; where both ' +
    'changed the same lines it is a conflict, and nothing changes at all. `redo` brings the act again.',
  changes: 'files',
  schemas: ({ z, inverted }) => ({
    input: z.strictObject({
      dryRun: z.boolean().optional().describe('only say what would happen'),
      force: z.boolean().optional().describe('also change what is frozen; an agent may not'),
      expected: z.string().optional().describe('the fingerprint of the dry run that was agreed to'),
    }),
    output: inverted,
  }),

  async handle(savepoint, input, context) {
    const options = given({
      expected: input.expected,
      force: input.force,
      signal: context.signal,
      toolCall: context.toolCall,
    });
    const seen = await (input.dryRun === true ? savepoint.previewUndo(options) : savepoint.undo(options));
    return { ...actToJson(seen, []), undoes: seen.telling.undoes };
  },
});
