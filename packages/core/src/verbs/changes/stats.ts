import { TARGETS } from '../../timeline/query/stats.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const stats = verb({
  name: 'stats',
  summary: 'success and rollback rates, timings, storage',
  description:
    "Success rate: the share of changes by agents' tools and edits that are in effect, that is, not reverted by a " +
    'rollback, restore or undo. Rollback rate: the share of calls and edits of which at least one change or hunk was ' +
    'reverted. Time to apply: from the start of a call to its end. The numbers cover all checkpoints that are still ' +
    'on the timeline. With `by`, also figures for each day or week. What was reverted counts on the day of the call or ' +
    'edit that it reverted.',
  changes: 'nothing',
  schemas: ({ z, checkpointId, problem }) => {
    const count = z.int().min(0);
    const share = z.number().min(0).max(1).nullable().describe('null if there is nothing to count');
    const durations = z.strictObject({
      calls: count,
      median: z.number().nullable().describe('milliseconds'),
      p95: z.number().nullable(),
    });
    return {
      input: z.strictObject({
        by: z.enum(['day', 'week']).optional().describe('also return figures by day or by week, from Monday'),
        most: z
          .int()
          .min(1)
          .max(1_000)
          .optional()
          .describe('how many days (default 30) or weeks (default 12), up to now'),
        utcOffset: z
          .int()
          .min(-840)
          .max(840)
          .optional()
          .describe('where a day begins: minutes east of UTC (default 0)'),
      }),
      output: z.strictObject({
        changes: z.strictObject({ all: count, standing: count, success: share }),
        steps: z.strictObject({ all: count, takenBack: count, rollBackRate: share }),
        acts: z.strictObject({
          restore: count,
          edit: count,
          undo: count,
          redo: count,
          rollback: count,
          apply: count,
          merge: count,
        }),
        timeToApply: durations,
        threeFiles: durations.describe('calls that changed three or more files'),
        targets: z.strictObject({
          success: z.number().describe('the success rate should be above this'),
          rollBackRate: z.number().describe('the rollback rate should be below this'),
          threeFiles: z.number().describe('the median should be below this, in milliseconds'),
        }),
        guard: z
          .strictObject({ turns: count, takenBack: count, repaired: count, left: count })
          .describe('turns that the guard checked, and what became of them'),
        plans: z
          .strictObject({
            all: count,
            approved: count.describe('whatever became of them'),
            applied: count.describe('of which something is in effect'),
            rolledBack: count,
            cancelled: count,
            files: count.describe('paths that all of them propose to change'),
            rejectedFiles: count.describe('of these, those of which nothing would be applied'),
            rejectedHunks: count.describe('rejected hunks of the others'),
            failedChecks: count.describe('runs of their checks that found new failures'),
            overrides: count.describe('that may be, or were, applied although their checks failed'),
            timeToApply: z
              .strictObject({
                applications: count.describe('of plans, or of their phases'),
                median: z.number().nullable().describe('milliseconds'),
                p95: z.number().nullable(),
              })
              .describe('from the approval to the application'),
          })
          .describe('plans that are kept, and what became of them'),
        storage: z
          .strictObject({
            packs: count,
            loose: count,
            refs: count,
            backups: count,
            cache: count,
            calls: count,
            journal: count,
            other: count,
            total: count,
          })
          .describe('bytes'),
        series: z
          .array(
            z.strictObject({
              from: z.string().describe('its first day: `2026-01-31`'),
              turns: count.describe('prompts'),
              checkpoints: count,
              changes: count,
              added: count.describe('lines of these changes'),
              removed: count,
              steps: count,
              takenBack: count,
              rollBackRate: share,
              restores: count,
              rollbacks: count,
              undos: count,
              plansProposed: count,
              plansApproved: count,
              plansApplied: count,
              timeToApproval: z.number().nullable().describe('from the proposal: the median, in milliseconds'),
              timeToApply: z.number().nullable().describe('from the approval: the median, in milliseconds'),
              checksPassed: count,
              checksFailed: count,
              guardTookBack: count.describe('how often the guard took work back'),
            }),
          )
          .nullable()
          .describe('the oldest first; null unless requested with `by`'),
        damaged: z.array(z.strictObject({ id: checkpointId, problem })).describe('their changes are not counted'),
      }),
    };
  },

  async handle(savepoint, input) {
    const { changes, steps, acts, timeToApply, threeFiles, storage, guard, plans, series, damaged } =
      await savepoint.stats(withoutUndefined(input));
    return {
      changes: { ...changes },
      steps: { ...steps },
      acts: { ...acts },
      timeToApply: { ...timeToApply },
      threeFiles: { ...threeFiles },
      targets: { ...TARGETS },
      guard: { ...guard },
      plans: { ...plans, timeToApply: { ...plans.timeToApply } },
      storage: { ...storage },
      series: series?.map((row) => ({ ...row })) ?? null,
      damaged: damaged.map(({ id, error }) => ({ id, problem: error.toJSON() })),
    };
  },
});
