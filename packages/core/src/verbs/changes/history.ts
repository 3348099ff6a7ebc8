import { treePathOf } from '../../io/locate-path.ts';
import type { ChangeId } from '../../model/ids.ts';
import { exactName } from '../../model/names.ts';
import { nullIfNoWorkspace } from '../input/no-workspace.ts';
import { parseTime } from '../input/time.ts';
import { recordedChangeToJson, timeToJson } from '../shapes/to-json.ts';
import { verb, withoutUndefined } from '../verb.ts';

const DEFAULT_LIMIT = 100;

export const history = verb({
  name: 'history',
  summary: 'list changes, newest first, and who made them',
  description:
    'Lists the newest 100 changes, or as many as the limit allows. A change must match all given filters. If the ' +
    'author of a change is not certain, all possible authors are listed. Checkpoints without a list of changes, and ' +
    'damaged ones, are reported separately, because they may hold matching changes. The time of a change is that of ' +
    'its checkpoint.',
  changes: 'nothing',
  schemas: ({ z, authorScope, jsonName, changeId, checkpointId, recordedChange, problem }) => ({
    input: z.strictObject({
      scope: authorScope.optional(),
      session: z.string().optional().describe('only changes of this session: its id, or a unique prefix'),
      agent: z
        .string()
        .optional()
        .describe('only changes of this agent; also `user`, `outside`, `agent` (any), `name/id`'),
      tool: z
        .string()
        .optional()
        .describe('only changes by this tool, under the name the agent uses, or by an operation such as `edit`'),
      file: jsonName.optional().describe('only changes of this file, or below this folder'),
      since: z
        .string()
        .optional()
        .describe('at or after: `2026-01-31 12:00`, `2026-01-31T12:00:00Z`, `10 minutes ago`'),
      until: z.string().optional().describe('at or before'),
      limit: z.int().min(1).optional().describe(`maximum number of changes (default ${DEFAULT_LIMIT})`),
      before: changeId.optional().describe('only changes older than this one'),
      fold: z
        .boolean()
        .optional()
        .describe('list one change of each restore, rollback, undo and redo, with the number of the others'),
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
              'the operation that reverted it: rollback, restore, undo, redo or the revert of a frozen path; ' +
                'null if the change is in effect',
            ),
          takenBackHunks: z
            .array(z.strictObject({ hunk: z.int().min(1), by: checkpointId }))
            .describe('hunks that were rolled back one by one; the rest of the change is in effect'),
          folded: z.int().min(0).describe('with `fold`: other changes of this operation, which are not listed'),
        }),
      ),
      unlisted: z.array(
        z.strictObject({
          id: checkpointId,
          why: z
            .enum(['first', 'too-many', 'damaged'])
            .describe(
              '`first`: there is no earlier checkpoint to compare with; `damaged`: a folder of the earlier one is ' +
                'damaged and could not be compared',
            ),
          files: z.int().min(0),
        }),
      ),
      damaged: z.array(z.strictObject({ id: checkpointId, problem })),
      more: z.boolean().describe('older changes exist'),
    }),
  }),

  async handle(savepoint, input, { toolCall }) {
    const { session, agent, tool, file, before, fold } = input;
    const limit = input.limit ?? DEFAULT_LIMIT;
    const [since, until] = [parseTime(savepoint, input.since), parseTime(savepoint, input.until)];
    const own =
      input.scope === 'own' ? await nullIfNoWorkspace(savepoint.caller(withoutUndefined({ toolCall }))) : null;
    const place = file === undefined ? null : await nullIfNoWorkspace(savepoint.place());
    const path = place === null || file === undefined ? undefined : exactName(treePathOf(place, file));
    const page = await nullIfNoWorkspace(
      savepoint.history({
        limit,
        ...withoutUndefined({
          own: own ?? undefined,
          session,
          agent,
          tool,
          path,
          since,
          until,
          fold,
          before: before as ChangeId | undefined,
        }),
      }),
    );
    if (page === null) return { changes: [], unlisted: [], damaged: [], more: false };
    return {
      changes: page.entries.map(({ change, checkpoint, takenBack, takenBackHunks, folded }) => ({
        ...recordedChangeToJson(change),
        checkpoint: checkpoint.id,
        time: timeToJson(checkpoint.time),
        trigger: checkpoint.trigger,
        takenBack,
        takenBackHunks: [...takenBackHunks],
        folded,
      })),
      unlisted: page.unlisted.map(({ id, why, files }) => ({ id, why, files })),
      damaged: page.damaged.map(({ id, error }) => ({ id, problem: error.toJSON() })),
      more: page.more,
    };
  },
});
