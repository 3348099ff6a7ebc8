import { TARGETS } from '../../timeline/query/stats.ts';
import { verb } from '../verb.ts';

export const stats = verb({
  name: 'stats',
  summary: 'show how often changes stand, how long they take, and what is stored',
  description:
    "Success: of all changes by agents' tools and by edits, those that were not rolled back or undone. Roll-back rate: " +
    'of all calls and edits that changed something, those of which something was taken back. Time to apply: from the ' +
    'beginning of a call to its end. What a restore brought back is no roll-back of single changes and counts for ' +
    'neither. Over what the timeline still has.',
  changes: 'nothing',
  schemas: ({ z, checkpointId, problem }) => {
    const count = z.int().min(0);
    const share = z.number().min(0).max(1).nullable().describe('null where there is nothing to take a share of');
    const durations = z.strictObject({
      calls: count,
      median: z.number().nullable().describe('milliseconds'),
      p95: z.number().nullable(),
    });
    return {
      input: z.strictObject({}),
      output: z.strictObject({
        changes: z.strictObject({ all: count, standing: count, success: share }),
        steps: z.strictObject({ all: count, takenBack: count, rollBackRate: share }),
        acts: z.strictObject({ restore: count, edit: count, undo: count, redo: count, rollback: count }),
        timeToApply: durations,
        threeFiles: durations.describe('of calls that changed three files or more'),
        targets: z.strictObject({
          success: z.number().describe('above this'),
          rollBackRate: z.number().describe('below this'),
          threeFiles: z.number().describe('milliseconds; below this'),
        }),
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
        damaged: z.array(z.strictObject({ id: checkpointId, problem })).describe('what they tell is not counted'),
      }),
    };
  },

  async handle(savepoint) {
    const { changes, steps, acts, timeToApply, threeFiles, storage, damaged } = await savepoint.stats();
    return {
      changes: { ...changes },
      steps: { ...steps },
      acts: { ...acts },
      timeToApply: { ...timeToApply },
      threeFiles: { ...threeFiles },
      targets: { ...TARGETS },
      storage: { ...storage },
      damaged: damaged.map(({ id, error }) => ({ id, problem: error.toJSON() })),
    };
  },
});
