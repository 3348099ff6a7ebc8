import { given, verb } from '../verb.ts';

export const deleteSession = verb({
  name: 'sessions delete',
  summary: "drop a session's checkpoints, and what only they needed",
  description:
    "Drops the session's own checkpoints and gives back the space that only they took. The workspace's newest " +
    'checkpoint stays, and so does the state before an act that stays, which its undo needs; both are named. What ' +
    "checkpoints of others say of the session's changes stays there, with the content before them. It cannot be undone.",
  changes: 'store',
  schemas: ({ z, checkpointId }) => ({
    input: z.strictObject({ session: z.string() }),
    output: z.strictObject({
      session: z.string(),
      dropped: z.array(checkpointId),
      stayed: z.array(z.strictObject({ id: checkpointId, why: z.enum(['newest', 'undo']) })),
      kept: z.int().min(0).describe('checkpoints of the workspace that are left'),
      bytesBefore: z.int().min(0),
      bytesAfter: z.int().min(0),
      objectsDropped: z.int().min(0),
    }),
  }),

  async handle(savepoint, input, context) {
    const { dropped, stayed, ...rest } = await savepoint.forgetSession(
      input.session,
      given({ signal: context.signal }),
    );
    return { ...rest, dropped: [...dropped], stayed: [...stayed] };
  },
});
