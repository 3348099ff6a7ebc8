import type { Savepoint } from '../../savepoint.ts';
import { briefToJson } from '../shapes/to-json.ts';
import { given, type Shapes, type VerbContext, verb } from '../verb.ts';

const schemas = ({ z, checkpointName, checkpointBrief }: Shapes) => ({
  input: z.strictObject({ checkpoint: checkpointName }),
  output: z.strictObject({
    checkpoint: checkpointBrief,
    changed: z.boolean().describe('false: it was so already'),
  }),
});

export const pin = verb({
  name: 'pin',
  summary: 'keep a checkpoint through every clean-up',
  description:
    'No clean-up drops a pinned checkpoint, whatever its age, its number and the size of the store. What pins hold counts ' +
    'for the size of the store all the same.',
  changes: 'store',
  schemas,
  handle: (savepoint, { checkpoint }, context) => carryOut(savepoint, checkpoint, false, context),
});

export const unpin = verb({
  name: 'unpin',
  summary: 'let a pinned checkpoint go with the others again',
  description: 'The checkpoint stays until a clean-up finds it too old, too many, or the store too large.',
  changes: 'store',
  schemas,
  handle: (savepoint, { checkpoint }, context) => carryOut(savepoint, checkpoint, true, context),
});

async function carryOut(savepoint: Savepoint, name: string, isUnpin: boolean, { signal }: VerbContext) {
  const { checkpoint, changed } = await savepoint.pin(name, given({ unpin: isUnpin, signal }));
  return { checkpoint: briefToJson(checkpoint), changed };
}
