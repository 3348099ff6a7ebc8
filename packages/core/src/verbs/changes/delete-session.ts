import { verb, withoutUndefined } from '../verb.ts';

export const deleteSession = verb({
  name: 'sessions delete',
  summary: "delete a session's checkpoints and the data that only they used",
  description:
    "Deletes the session's own checkpoints and frees the space that only they used. Some are kept and listed: " +
    "the workspace's newest checkpoint, pinned ones, those that copies need, and a checkpoint that the undo of a remaining operation needs. " +
    'Their prompts, answers, tool arguments and descriptions are removed, and those of its calls that are still open. ' +
    "Checkpoints of other sessions keep their record of this session's changes, with the content before them. Nothing " +
    'records any more who made the other changes of a deleted checkpoint, so a restore across it asks about their ' +
    'files. The intent, words and prompts of plans that the session had a part in are removed; what they propose stays. ' +
    'Comments on lines of the session are removed, also those that no agent has received. This cannot be undone.',
  changes: 'store',
  schemas: ({ z, checkpointId }) => ({
    input: z.strictObject({ session: z.string().describe('its id, or a unique prefix') }),
    output: z.strictObject({
      session: z.string(),
      dropped: z.array(checkpointId),
      stayed: z.array(z.strictObject({ id: checkpointId, why: z.enum(['newest', 'pinned', 'copy', 'undo']) })),
      plans: z.array(z.string()).describe('plans whose texts were removed; what they propose stays'),
      unsentComments: z.int().min(0).describe('comments that were removed before an agent received them'),
      kept: z.int().min(0).describe('checkpoints that remain in the workspace'),
      bytesBefore: z.int().min(0),
      bytesAfter: z.int().min(0),
      objectsDropped: z.int().min(0),
    }),
  }),

  async handle(savepoint, input, context) {
    const {
      dropped,
      stayed,
      plans,
      forks: _,
      ...rest
    } = await savepoint.forgetSession(input.session, withoutUndefined({ signal: context.signal }));
    return { ...rest, dropped: [...dropped], stayed: [...stayed], plans: [...plans] };
  },
});
