import { verb, withoutUndefined } from '../verb.ts';

export const drop = verb({
  name: 'drop',
  summary: 'drop single checkpoints and free their space',
  description:
    'Drops the named checkpoints, all or none, and frees the space that only they used. Later checkpoints keep their ' +
    'record of changes, with the content before them. The changes of the checkpoint after a dropped one can still be ' +
    'shown, but not rolled back. Nothing records any more who made the changes of a dropped checkpoint, so a restore ' +
    'across it asks about their files. Refused are the newest checkpoint, pinned ones (unless you ask for them), what ' +
    'the changes in a copy are relative to, the state before an operation that remains, which its undo needs, and an undo or a rollback of something that remains, ' +
    'because its changes would count as being in effect again. This cannot be undone.',
  changes: 'store',
  schemas: ({ z, checkpointId, checkpointName }) => ({
    input: z.strictObject({
      checkpoints: z.array(checkpointName).min(1),
      pinned: z.boolean().optional().describe('drop pinned checkpoints as well'),
      dryRun: z.boolean().optional().describe('only preview what would be dropped'),
    }),
    output: z.strictObject({
      dryRun: z.boolean(),
      dropped: z.array(checkpointId).describe('oldest first; for a dry run, those that would be dropped'),
      refused: z
        .array(z.strictObject({ id: checkpointId, why: z.enum(['newest', 'pinned', 'copy', 'undo', 'reverts']) }))
        .describe('for a dry run: because of these, nothing would be dropped'),
      kept: z.int().min(0).nullable().describe('checkpoints that remain; null for a dry run'),
      bytesBefore: z.int().min(0).nullable().describe('null for a dry run'),
      bytesAfter: z.int().min(0).nullable().describe('null for a dry run'),
      objectsDropped: z.int().min(0).nullable().describe('null for a dry run'),
    }),
  }),

  async handle(savepoint, { checkpoints, pinned, dryRun = false }, { signal }) {
    const options = withoutUndefined({ pinned, signal });
    if (!dryRun) {
      const done = await savepoint.drop(checkpoints, options);
      const { forks: _, dropped, ...rest } = done;
      return { ...rest, dryRun, dropped: [...dropped], refused: [] };
    }
    const { chosen, refused } = await savepoint.previewDrop(checkpoints, options);
    return {
      dryRun,
      dropped: refused.length > 0 ? [] : chosen.map(({ id }) => id),
      refused: [...refused],
      kept: null,
      bytesBefore: null,
      bytesAfter: null,
      objectsDropped: null,
    };
  },
});
