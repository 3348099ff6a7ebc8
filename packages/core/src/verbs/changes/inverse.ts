/** The common part of `undo` and `redo`: both revert the newest operation of one kind and keep later changes. */

import type { UndoOptions } from '../../engine/calls/rewind.ts';
import type { OperationResult, Preview } from '../../operation/operation.ts';
import type { Savepoint } from '../../savepoint.ts';
import type { OpenCall } from '../../store/state/open-calls.ts';
import { conflictChoicesOf } from '../input/conflict-choices.ts';
import { filesOutcomeToJson, openCallToJson, operationToJson } from '../shapes/to-json.ts';
import { type VerbContext, verb, withoutUndefined } from '../verb.ts';

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
    schemas: ({ z, inverted, conflictFields }) => ({
      input: z.strictObject({
        ...conflictFields,
        dryRun: z.boolean().optional().describe('only preview what would happen'),
        force: z.boolean().optional().describe('also change frozen paths; not available to agents'),
        expected: z.string().optional().describe('the fingerprint of the preview that the user accepted'),
      }),
      output: inverted,
    }),

    status: ({ dryRun, outcome }) => (dryRun && outcome === 'conflict' ? 3 : 0),

    async handle(savepoint, { expected, force, dryRun = false, ...input }, { signal, toolCall }) {
      const choices = await conflictChoicesOf(savepoint, input);
      const options = { ...withoutUndefined({ expected, force, signal, toolCall }), ...choices };
      const open = await callsOfOthers(savepoint, toolCall);
      const seen = await invert(savepoint, options, dryRun);
      return {
        ...operationToJson(seen, []),
        ...filesOutcomeToJson(seen),
        undoes: seen.info.undoes,
        openCalls: open.map(openCallToJson),
      };
    },
  });
}

/** Calls that may write after the operation. They do not stop it, because what they write is recorded as theirs. */
async function callsOfOthers(savepoint: Savepoint, toolCall: VerbContext['toolCall']): Promise<readonly OpenCall[]> {
  const calls = await savepoint.openCalls();
  if (calls.length === 0) return [];
  const { session } = await savepoint.caller(withoutUndefined({ toolCall }));
  return calls.filter((call) => call.session !== session && call.hosts !== true && !call.own && call.expired !== true);
}
