/** What `undo` and `redo` have in common: both take the newest operation of a kind back, on top of what changed since. */

import type { UndoOptions } from '../../engine/calls/rewind.ts';
import type { OperationResult, Preview } from '../../operation/operation.ts';
import type { Savepoint } from '../../savepoint.ts';
import { actToJson } from '../shapes/to-json.ts';
import { given, verb } from '../verb.ts';

interface Words {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
}

type Invert = (savepoint: Savepoint, options: UndoOptions, dryRun: boolean) => Promise<Preview | OperationResult>;

export function inverse(words: Words, invert: Invert) {
  return verb({
    ...words,
    changes: 'files',
    schemas: ({ z, inverted }) => ({
      input: z.strictObject({
        dryRun: z.boolean().optional().describe('only say what would happen'),
        force: z.boolean().optional().describe('also change what is frozen; an agent may not'),
        expected: z.string().optional().describe('the fingerprint of the dry run that was agreed to'),
      }),
      output: inverted,
    }),

    async handle(savepoint, { expected, force, dryRun = false }, { signal, toolCall }) {
      const seen = await invert(savepoint, given({ expected, force, signal, toolCall }), dryRun);
      return { ...actToJson(seen, []), undoes: seen.telling.undoes };
    },
  });
}
