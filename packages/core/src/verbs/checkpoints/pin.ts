import type { Savepoint } from '../../savepoint.ts';
import { briefToJson } from '../shapes/to-json.ts';
import { type Shapes, type VerbContext, verb, withoutUndefined } from '../verb.ts';

const schemas = ({ z, checkpointName, checkpointBrief }: Shapes) => ({
  input: z.strictObject({ checkpoint: checkpointName }),
  output: z.strictObject({
    checkpoint: checkpointBrief,
    changed: z.boolean().describe('false: it was already in that state'),
  }),
});

export const pin = verb({
  name: 'pin',
  summary: 'exclude a checkpoint from clean-up',
  description:
    'Clean-up never drops a pinned checkpoint, regardless of its age, the number of checkpoints and the size of the ' +
    'store. The data of pinned checkpoints still counts towards the size of the store.',
  changes: 'store',
  schemas,
  handle: (savepoint, { checkpoint }, context) => setPin(savepoint, checkpoint, false, context),
});

export const unpin = verb({
  name: 'unpin',
  summary: 'allow clean-up to drop a pinned checkpoint again',
  description: 'The checkpoint is kept until clean-up drops it by age, number of checkpoints or size of the store.',
  changes: 'store',
  schemas,
  handle: (savepoint, { checkpoint }, context) => setPin(savepoint, checkpoint, true, context),
});

async function setPin(savepoint: Savepoint, name: string, isUnpin: boolean, { signal }: VerbContext) {
  const { checkpoint, changed } = await savepoint.pin(name, withoutUndefined({ unpin: isUnpin, signal }));
  return { checkpoint: briefToJson(checkpoint), changed };
}
