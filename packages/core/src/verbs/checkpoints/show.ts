import type { Patch } from '../../content/unified-patch.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import type { Savepoint } from '../../savepoint.ts';
import { checkSummaryShape, checkSummaryToJson } from '../shapes/check-summary-shape.ts';
import { checkpointToJson, patchToJson, rootChangeToJson } from '../shapes/to-json.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const show = verb({
  name: 'show',
  summary: 'show a checkpoint and its changes',
  description:
    'Shows everything that is recorded about a checkpoint, and its changes since the previous one. With `patch`, also ' +
    'as a patch.',
  changes: 'nothing',
  schemas: (shapes) => {
    const { z, checkpointName, checkpoint, rootChange, patch } = shapes;
    return {
      input: z.strictObject({
        checkpoint: checkpointName,
        patch: z.boolean().optional().describe('also return a patch of the changes since `previous`'),
      }),
      output: checkpoint.extend({
        checks: checkSummaryShape(shapes).nullable().describe('how checks went on its state; null if none ran'),
        rootChanges: z.array(rootChange).describe('since `previous`; empty if that has been deleted'),
        patch: patch
          .nullable()
          .describe('null unless requested, for the first checkpoint, and if `previous` has been deleted'),
      }),
    };
  },

  async handle(savepoint, input, context) {
    const checkpoint = await savepoint.show(input.checkpoint);
    const rootChanges = (await savepoint.rootChanges([checkpoint])).get(checkpoint.id) ?? [];
    const checks = (await savepoint.checkSummaries([checkpoint])).get(checkpoint.id) ?? null;
    const patch = input.patch === true ? await patchSincePrevious(savepoint, checkpoint, context.signal) : null;
    return {
      ...checkpointToJson(checkpoint),
      checks: checks && checkSummaryToJson(checks),
      rootChanges: rootChanges.map(rootChangeToJson),
      patch: patch && patchToJson(patch),
    };
  },
});

async function patchSincePrevious(
  savepoint: Savepoint,
  { id, previous }: Checkpoint,
  signal: AbortSignal | undefined,
): Promise<Patch | null> {
  if (previous === null) return null;
  try {
    return (await savepoint.diff(withoutUndefined({ from: previous, to: id, patch: true, signal }))).patch;
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'UNKNOWN_CHECKPOINT') return null;
    throw error;
  }
}
