import { treePathOf } from '../../io/given-path.ts';
import type { ChangeId } from '../../model/ids.ts';
import { orNone } from '../given/no-workspace.ts';
import { sessionOf } from '../given/session.ts';
import { timeOf } from '../given/time.ts';
import { recordedToJson, timeToJson } from '../shapes/to-json.ts';
import { given, verb } from '../verb.ts';

const DEFAULT_LIMIT = 100;

export const history = verb({
  name: 'history',
  summary: 'list changes, newest first, and who made them',
  description:
    'The newest 100 changes, or as many as the limit says; all conditions that are given must fit. Where nobody knows ' +
    'who made a change, everybody who may have is named. Checkpoints that keep no list of their changes, and damaged ' +
    'ones, are named: changes in them may fit as well. Times are those of the checkpoints that found the changes.',
  changes: 'nothing',
  schemas: ({ z, jsonName, changeId, checkpointId, recordedChange, problem }) => ({
    input: z.strictObject({
      session: z.string().optional().describe('only changes of that session: its id, or enough of its beginning'),
      agent: z.string().optional().describe('only changes of an agent of that name; also `user`, `outside`, `name/id`'),
      tool: z.string().optional().describe('only changes by that tool, as the agent calls it, or by an act, as `edit`'),
      file: jsonName.optional().describe('only changes of that file, or of what lies in that folder'),
      since: z.string().optional().describe('not older: `2026-01-31 12:00`, `2026-01-31T12:00:00Z`, `10 minutes ago`'),
      until: z.string().optional().describe('not younger'),
      limit: z.int().min(1).optional().describe(`how many at most; ${DEFAULT_LIMIT} without it`),
      before: changeId.optional().describe('only changes older than this one: the last of the page before'),
    }),
    output: z.strictObject({
      changes: z.array(
        recordedChange.extend({
          checkpoint: checkpointId,
          time: z.iso.datetime(),
          trigger: z.string().describe('of the checkpoint'),
          takenBack: checkpointId
            .nullable()
            .describe(
              'the operation that took it back: roll-back, restore, undo, redo or put-back; null where it is in effect',
            ),
          takenBackHunks: z
            .array(z.strictObject({ hunk: z.int().min(1), by: checkpointId }))
            .describe('hunks that were rolled back one by one; the rest of the change is in effect'),
        }),
      ),
      unlisted: z.array(
        z.strictObject({
          id: checkpointId,
          why: z.enum(['first', 'too-many']).describe('`first`: everything in it is new'),
          files: z.int().min(0),
        }),
      ),
      damaged: z.array(z.strictObject({ id: checkpointId, problem })),
      more: z.boolean().describe('there are older ones'),
    }),
  }),

  async handle(savepoint, input) {
    const { agent, tool, file, before } = input;
    const session = await sessionOf(savepoint, input.session);
    const limit = input.limit ?? DEFAULT_LIMIT;
    const [since, until] = [timeOf(savepoint, input.since), timeOf(savepoint, input.until)];
    const place = file === undefined ? null : await orNone(savepoint.place());
    const path = place === null || file === undefined ? undefined : treePathOf(place, file);
    const page = await orNone(
      savepoint.history({
        limit,
        ...given({ session, agent, tool, path, since, until, before: before as ChangeId | undefined }),
      }),
    );
    if (page === null) return { changes: [], unlisted: [], damaged: [], more: false };
    return {
      changes: page.entries.map(({ change, checkpoint, takenBack, takenBackHunks }) => ({
        ...recordedToJson(change),
        checkpoint: checkpoint.id,
        time: timeToJson(checkpoint.time),
        trigger: checkpoint.trigger,
        takenBack,
        takenBackHunks: [...takenBackHunks],
      })),
      unlisted: page.unlisted.map(({ id, why, files }) => ({ id, why, files })),
      damaged: page.damaged.map(({ id, error }) => ({ id, problem: error.toJSON() })),
      more: page.more,
    };
  },
});
