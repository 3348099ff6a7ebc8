import { given, verb } from '../verb.ts';

export const gc = verb({
  name: 'gc',
  summary: 'drop old checkpoints and give back their space',
  description:
    'Drops what the retention policy no longer keeps, and frees the space that only that needed. Without options the ' +
    'policy is that of the configuration: the newest 1,000 checkpoints of 30 sessions and none older than 90 days, but ' +
    'always the newest 50, in 10 GB. Pinned checkpoints and the newest are never dropped. The same happens by itself at ' +
    'the end of a session, and once there are well over 1,000. What an act that stays would need for its undo stays, too.',
  changes: 'store',
  schemas: ({ z, checkpointId }) => ({
    input: z.strictObject({
      maxCheckpoints: z.int().min(1).optional().describe('keep at most so many'),
      maxAgeDays: z.number().positive().optional().describe('keep none older than this, against the newest one’s time'),
      keepAtLeast: z.int().min(1).optional().describe('but always so many of the newest'),
      maxSessions: z.int().min(1).optional().describe('keep those of so many sessions at most'),
      maxStoreBytes: z.int().min(0).optional().describe('then drop the oldest until the store is no larger than this'),
    }),
    output: z.strictObject({
      dropped: z.array(checkpointId),
      kept: z.int().min(0),
      bytesBefore: z.int().min(0),
      bytesAfter: z.int().min(0),
      objectsDropped: z.int().min(0),
    }),
  }),

  async handle(savepoint, input, context) {
    const retention = given(input);
    const { dropped, kept, bytesBefore, bytesAfter, objectsDropped } = await savepoint.gc(
      given({ retention, signal: context.signal }),
    );
    return { dropped: [...dropped], kept, bytesBefore, bytesAfter, objectsDropped };
  },
});
