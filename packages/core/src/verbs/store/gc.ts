import { verb, withoutUndefined } from '../verb.ts';

export const gc = verb({
  name: 'gc',
  summary: 'drop old checkpoints and free their space',
  description:
    'Drops checkpoints that retention no longer keeps, and frees the space that only they used. Without options, ' +
    'the configuration decides. Its defaults keep the newest 1,000 checkpoints of 30 sessions, none older than 90 ' +
    'days, but always the newest 50, within 10 GB. Limits that you set yourself also apply to these 50, unless you set ' +
    '`keep_at_least`. Pinned checkpoints, the newest checkpoint, and those that the ' +
    'undo of a remaining operation needs are never dropped. The last state of a dropped fork is kept as long as a checkpoint ' +
    'of its age, at most 100 of them, and goes before any checkpoint if the store is too large. Clean-up also runs automatically at the end of a ' +
    'session, and when there are well over 1,000 checkpoints.',
  changes: 'store',
  schemas: ({ z, checkpointId }) => ({
    input: z.strictObject({
      maxCheckpoints: z.int().min(1).optional().describe('keep at most this many checkpoints'),
      maxAgeDays: z
        .number()
        .positive()
        .optional()
        .describe('drop checkpoints older than this, measured from the newest one'),
      keepAtLeast: z.int().min(1).optional().describe('always keep this many of the newest'),
      maxSessions: z.int().min(1).optional().describe('keep the checkpoints of at most this many sessions'),
      maxStoreBytes: z
        .int()
        .min(0)
        .optional()
        .describe('drop the oldest checkpoints while the store is larger than this'),
      dryRun: z.boolean().optional().describe('only preview what would be dropped'),
    }),
    output: z.strictObject({
      dryRun: z.boolean(),
      dropped: z.array(checkpointId).describe('oldest first; for a dry run, those that would be dropped'),
      tooLarge: z
        .boolean()
        .describe('for a dry run: the store is larger than its limit, so the oldest of the others may go as well'),
      forks: z
        .array(z.string())
        .describe('dropped forks that can no longer be restored; for a dry run, those that would go'),
      kept: z.int().min(0),
      bytesBefore: z.int().min(0),
      bytesAfter: z.int().min(0).nullable().describe('null for a dry run'),
      objectsDropped: z.int().min(0).nullable().describe('null for a dry run'),
    }),
  }),

  async handle(savepoint, input, context) {
    const { dryRun = false, ...given } = input;
    const retention = withoutUndefined(given);
    if (dryRun) {
      const seen = await savepoint.previewGc(withoutUndefined({ retention, signal: context.signal }));
      return {
        dryRun,
        dropped: [...seen.dropped],
        tooLarge: seen.isTooLarge,
        forks: [...seen.forks],
        kept: seen.kept,
        bytesBefore: seen.bytes,
        bytesAfter: null,
        objectsDropped: null,
      };
    }
    const { dropped, forks, kept, bytesBefore, bytesAfter, objectsDropped } = await savepoint.gc(
      withoutUndefined({ retention, signal: context.signal }),
    );
    return {
      dryRun,
      dropped: [...dropped],
      forks: [...forks],
      tooLarge: false,
      kept,
      bytesBefore,
      bytesAfter,
      objectsDropped,
    };
  },
});
