/** The common part of `undo` and `redo`: both revert the newest operation of one kind and keep later changes. */

import type { UndoOptions } from '../../engine/calls/rewind.ts';
import type { OperationResult, Preview } from '../../operation/operation.ts';
import type { Savepoint } from '../../savepoint.ts';
import { operationToJson } from '../shapes/to-json.ts';
import { verb, withoutUndefined } from '../verb.ts';

interface VerbTexts {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
}

type Invert = (savepoint: Savepoint, options: UndoOptions, dryRun: boolean) => Promise<Preview | OperationResult>;

export function inverseVerb(words: VerbTexts, invert: Invert) {
  return verb({
    ...words,
    changes: 'files',
    schemas: ({ z, inverted }) => ({
      input: z.strictObject({
        dryRun: z.boolean().optional().describe('only preview what would happen'),
        force: z.boolean().optional().describe('also change frozen paths; not available to agents'),
        expected: z.string().optional().describe('the fingerprint of the preview that the user accepted'),
      }),
      output: inverted,
    }),

    async handle(savepoint, { expected, force, dryRun = false }, { signal, toolCall }) {
      const seen = await invert(savepoint, withoutUndefined({ expected, force, signal, toolCall }), dryRun);
      return { ...operationToJson(seen, []), undoes: seen.info.undoes };
    },
  });
}
