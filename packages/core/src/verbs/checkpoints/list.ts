import { type CheckpointId, checkpointId, checkpointNumber } from '../../model/ids.ts';
import type { Savepoint } from '../../savepoint.ts';
import type { OverviewQuery } from '../../timeline/query/overview.ts';
import { nullIfNoWorkspace } from '../input/no-workspace.ts';
import { checkSummaryShape, checkSummaryToJson } from '../shapes/check-summary-shape.ts';
import { briefToJson, notHappenedToJson, rootChangeToJson } from '../shapes/to-json.ts';
import { turnFields, turnToJson } from '../shapes/turn-shape.ts';
import { verb, withoutUndefined } from '../verb.ts';

const DEFAULT_LIMIT = 50;

export const list = verb({
  name: 'list',
  summary: 'list checkpoints, newest first',
  description:
    'Lists the newest 50 checkpoints, or as many as the limit allows. The default view hides automatic checkpoints, ' +
    'which are taken before a call or an operation starts (trigger `before`), unless they have a test result or ' +
    'recorded changes that no agent made. It also folds runs of small steps ' +
    '(calls of one session in one file, under ten lines in total, within a minute) into the newest of the run. The view ' +
    '`turns` shows the work of agents as turns instead: a prompt with all that its session did until its next prompt. A ' +
    'checkpoint whose record cannot be read is listed with its error; all others are listed as usual.',
  changes: 'nothing',
  schemas: (shapes) => {
    const { z, checkpointId, checkpointBrief, problem, rootChange, notHappened } = shapes;
    return {
      input: z.strictObject({
        view: z
          .enum(['turns', 'main', 'all', 'manual', 'multi-file'])
          .optional()
          .describe(
            "`main`: the default; `turns`: agents' turns, and other checkpoints; `manual`: taken on request; " +
              '`multi-file`: more than one path changed',
          ),
        session: z.string().optional().describe('only checkpoints of this session: its id, or a unique prefix'),
        limit: z.int().min(1).optional().describe(`maximum number of checkpoints (default ${DEFAULT_LIMIT})`),
        before: checkpointId.optional().describe('only checkpoints older than this one'),
      }),
      output: z.strictObject({
        checkpoints: z.array(checkpointBrief),
        turns: z
          .array(
            z.strictObject({
              ...turnFields(shapes),
              place: checkpointId.describe('its place among the checkpoints of the list'),
            }),
          )
          .describe('only in the view `turns`'),
        current: checkpointId
          .nullable()
          .describe(
            'only in the view `turns`: the id of the checkpoint, or the place of the turn, that has the newest state',
          ),
        sameFiles: z
          .array(checkpointId)
          .describe(
            'only in the view `turns`: other listed checkpoints, and states that listed turns ended with, that have ' +
              'the same files as the newest state',
          ),
        folded: z
          .array(
            z.strictObject({
              into: checkpointId,
              ids: z.array(checkpointId).describe('newest first'),
              added: z.int().min(0).describe('lines, summed over all of them'),
              removed: z.int().min(0),
            }),
          )
          .describe('small steps that are folded into another checkpoint'),
        hidden: z.int().min(0).describe('checkpoints in this range that the view hides'),
        damaged: z.array(z.strictObject({ id: checkpointId, problem })),
        rootChanges: z
          .array(z.strictObject({ id: checkpointId, changes: z.array(rootChange) }))
          .describe('roots that were added, removed or moved, by checkpoint'),
        pinned: z.array(checkpointId).describe('the listed checkpoints that are pinned'),
        checks: z
          .array(z.strictObject({ id: checkpointId, ...checkSummaryShape(shapes).shape }))
          .describe('how checks went on the states of listed checkpoints'),
        notHappened,
        more: z.boolean().describe('older checkpoints exist'),
        next: checkpointId.nullable().describe('pass it as `before` to get the next page; null on the last page'),
      }),
    };
  },

  // The calls share one reading of the refs, of which a long timeline has many.
  handle: (savepoint, input) => savepoint.once((once) => answer(once, input)),
});

interface Request {
  readonly view?: OverviewQuery['view'] | undefined;
  readonly session?: string | undefined;
  readonly limit?: number | undefined;
  readonly before?: string | undefined;
}

async function answer(savepoint: Savepoint, input: Request) {
  const { session } = input;
  const before = input.before === undefined ? undefined : checkpointNumber(input.before as CheckpointId);
  const limit = input.limit ?? DEFAULT_LIMIT;
  const found = await nullIfNoWorkspace(
    savepoint.overview({ view: input.view ?? 'main', limit, ...withoutUndefined({ session, before }) }),
  );
  if (found === null)
    return {
      checkpoints: [],
      turns: [],
      current: null,
      sameFiles: [],
      folded: [],
      hidden: 0,
      damaged: [],
      rootChanges: [],
      pinned: [],
      checks: [],
      notHappened: null,
      more: false,
      next: null,
    };
  const { rows, turns, position, damaged, hidden, more, next } = found;
  const listed = [...rows.flatMap(({ checkpoint, folded }) => [checkpoint, ...folded]), ...damaged];
  const pinned = await savepoint.pinned();
  const checks = await savepoint.checkSummaries(rows.map(({ checkpoint }) => checkpoint));
  const rootChanges = await savepoint.rootChanges(rows.map(({ checkpoint }) => checkpoint));
  return {
    checkpoints: rows.map(({ checkpoint }) => briefToJson(checkpoint)),
    turns: turns.map(({ place, ...turn }) => ({ ...turnToJson(turn), place: checkpointId(place) })),
    current: position === null ? null : checkpointId(position.place),
    sameFiles: [...(position?.sameFiles ?? [])],
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
    checks: [...checks].map(([id, summary]) => ({ id, ...checkSummaryToJson(summary) })),
    pinned: listed.flatMap(({ id }) => (pinned.has(checkpointNumber(id)) ? [id] : [])),
    notHappened: notHappenedToJson(await savepoint.notHappened()),
    more,
    next,
  };
}
