import { type CheckpointId, checkpointNumber } from '../../model/ids.ts';
import { orNone } from '../given/no-workspace.ts';
import { sessionOf } from '../given/session.ts';
import { briefToJson, rootChangeToJson } from '../shapes/to-json.ts';
import { given, verb } from '../verb.ts';

const DEFAULT_LIMIT = 50;

export const list = verb({
  name: 'list',
  summary: 'list checkpoints, newest first',
  description:
    'The newest 50, or as many as the limit says. Without a view: what matters, which is all but those that were taken ' +
    'only because a call or an act was about to begin; and tiny steps in a row (calls of one session in one file, ' +
    'under ten lines in all, within a minute) are folded into their newest. A checkpoint whose story cannot be read is ' +
    'named with what is wrong; the others are listed all the same.',
  changes: 'nothing',
  schemas: ({ z, checkpointId, checkpointBrief, problem, rootChange }) => ({
    input: z.strictObject({
      view: z
        .enum(['main', 'all', 'manual', 'multi-file'])
        .optional()
        .describe('`main`: what matters; `manual`: what someone asked for; `multi-file`: more than one path changed'),
      session: z.string().optional().describe('only checkpoints of that session: its id, or enough of its beginning'),
      limit: z.int().min(1).optional().describe(`how many at most; ${DEFAULT_LIMIT} without it`),
      before: checkpointId.optional().describe('only older ones than this'),
    }),
    output: z.strictObject({
      checkpoints: z.array(checkpointBrief),
      folded: z
        .array(
          z.strictObject({
            into: checkpointId,
            ids: z.array(checkpointId).describe('newest first'),
            added: z.int().min(0).describe('lines, of all of them together'),
            removed: z.int().min(0),
          }),
        )
        .describe('tiny steps that are told by another one'),
      hidden: z.int().min(0).describe('checkpoints that the view leaves out among these'),
      damaged: z.array(z.strictObject({ id: checkpointId, problem })),
      rootChanges: z
        .array(z.strictObject({ id: checkpointId, changes: z.array(rootChange) }))
        .describe('roots that came, went or moved, by the checkpoint that found it'),
      pinned: z.array(checkpointId).describe('those of them that no clean-up drops'),
      more: z.boolean().describe('there are older ones'),
      next: checkpointId.nullable().describe('give it as `before` to go on; null where there are no older ones'),
    }),
  }),

  async handle(savepoint, input) {
    const session = await sessionOf(savepoint, input.session);
    const before = input.before === undefined ? undefined : checkpointNumber(input.before as CheckpointId);
    const limit = input.limit ?? DEFAULT_LIMIT;
    const found = await orNone(
      savepoint.overview({ view: input.view ?? 'main', limit, ...given({ session, before }) }),
    );
    if (found === null)
      return {
        checkpoints: [],
        folded: [],
        hidden: 0,
        damaged: [],
        rootChanges: [],
        pinned: [],
        more: false,
        next: null,
      };
    const { rows, damaged, hidden, more } = found;
    const told = [...rows.flatMap(({ checkpoint, folded }) => [checkpoint, ...folded]), ...damaged];
    const oldest = Math.min(...told.map(({ id }) => checkpointNumber(id)));
    const pinned = await savepoint.pinned();
    const rootChanges = await savepoint.rootChanges(rows.map(({ checkpoint }) => checkpoint));
    return {
      checkpoints: rows.map(({ checkpoint }) => briefToJson(checkpoint)),
      folded: rows.flatMap(({ checkpoint, folded }) => {
        if (folded.length === 0) return [];
        const totals = [checkpoint, ...folded].map((one) => one.totals);
        return {
          into: checkpoint.id,
          ids: folded.map(({ id }) => id),
          added: totals.reduce((sum, { added }) => sum + added, 0),
          removed: totals.reduce((sum, { removed }) => sum + removed, 0),
        };
      }),
      hidden,
      damaged: damaged.map(({ id, error }) => ({ id, problem: error.toJSON() })),
      rootChanges: [...rootChanges].flatMap(([id, changes]) =>
        changes.length === 0 ? [] : [{ id, changes: changes.map(rootChangeToJson) }],
      ),
      pinned: told.flatMap(({ id }) => (pinned.has(checkpointNumber(id)) ? [id] : [])),
      more,
      next: more ? `cp_${oldest}` : null,
    };
  },
});
