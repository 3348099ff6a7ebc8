import type { BisectStep } from '../../bisect/bisect.ts';
import type { BisectOptions } from '../../engine/calls/state-runs.ts';
import type { Savepoint } from '../../savepoint.ts';
import { briefToJson, patchToJson } from '../shapes/to-json.ts';
import { type OrUndefined, type VerbContext, verb, withoutUndefined } from '../verb.ts';
import { notesFields, notesToJson, runShape, runToJson, stateRunInput, stepFields, stepToJson } from './state-run.ts';

export const bisect = verb({
  name: 'bisect',
  summary: 'find the change because of which a command fails',
  description:
    'Runs a command at checkpoints between a good and a bad one, in copies, until the first bad one is found. The ' +
    'workspace is not changed. A status of 0 means good, 125 unknown, 126, 127 and above end the search, ' +
    'and all others mean bad.\n\n' +
    'Only states with other files are tested. Each end is tested once a run contradicts it. Test results of checkpoints ' +
    'shorten the search. Captured files are reset between runs; what is not captured, such as build output and ' +
    'dependencies, is as in the folder now and stays between runs, unless `clean` is set.',
  changes: 'store',
  schemas: (shapes) => {
    const { z, checkpointName, checkpointBrief, checkpointId, patch } = shapes;
    const run = runShape(shapes).nullable();
    return {
      input: z.strictObject({
        good: checkpointName,
        bad: checkpointName,
        command: z.array(z.string()).min(1).describe('the program and its arguments; there is no shell'),
        jobs: z.int().min(1).max(64).optional().describe('how many states to test at the same time (default 1)'),
        trustEnds: z.boolean().optional().describe('do not test the ends, or what test results say'),
        keepGoing: z.boolean().optional().describe('a command that cannot be started skips the state'),
        ignoreResults: z.boolean().optional().describe('do not use the test results of checkpoints'),
        ...stateRunInput(shapes),
      }),
      output: z.strictObject({
        outcome: z
          .enum([
            'found',
            'range',
            'stopped',
            'good-end-is-bad',
            'bad-end-is-good',
            'good-end-is-skipped',
            'bad-end-is-skipped',
          ])
          .describe('`range`: one of the skipped states, or `bad`, is the first bad one'),
        good: checkpointBrief.describe('the newest good state that is known'),
        bad: checkpointBrief.describe('the first bad state after it'),
        tested: z.array(
          z.strictObject({
            checkpoint: checkpointId,
            verdict: z.enum(['good', 'bad', 'skip']),
            run,
            problem: z.string().nullable(),
          }),
        ),
        skipped: z.array(checkpointId).describe('states between `good` and `bad` that are not decided'),
        repaired: z.array(checkpointId).describe('bad states older than a good one: another fault, which was repaired'),
        fromResults: z.array(checkpointId).describe('states whose test result counted'),
        ...stepFields(shapes),
        patch: patch.nullable().describe('what changed from `good` to `bad`; null unless found'),
        rollback: z.string().nullable().describe('the command that rolls the changes back'),
        ...notesFields(shapes),
      }),
    };
  },
  status: ({ outcome }) => (outcome === 'found' ? 0 : 1),

  handle: (savepoint, input, context) => runBisectVerb(savepoint, input, context, () => undefined),
});

/** The same, for front ends that show each run. */
export async function runBisectVerb(
  savepoint: Savepoint,
  input: OrUndefined<Omit<BisectOptions, 'onStep' | 'signal' | 'toolCall' | 'force' | 'rungs'>>,
  { signal }: VerbContext,
  onStep: (step: BisectStep) => void,
) {
  const found = await savepoint.bisect({
    ...withoutUndefined({ ...input, signal }),
    good: input.good,
    bad: input.bad,
    command: input.command,
    onStep,
  });
  const { outcome, good, bad, tested, skipped, repaired, fromResults, step } = found;
  const isFound = outcome === 'found';
  const { patch } = isFound ? await savepoint.diff({ from: good.id, to: bad.id, patch: true }) : { patch: null };
  const isShared = step.changes.some(({ by }) => by.grade === 'open');
  const changes = step.changes.map(({ id }) => `--change ${id}`).concat(isShared ? ['--include-shared'] : []);
  return {
    outcome,
    good: briefToJson(good),
    bad: briefToJson(bad),
    tested: tested.map(({ checkpoint, verdict, run, problem }) => ({
      checkpoint: checkpoint.id,
      verdict,
      run: runToJson(run),
      problem,
    })),
    skipped: skipped.map(({ id }) => id),
    repaired: repaired.map(({ id }) => id),
    fromResults: fromResults.map(({ id }) => id),
    ...stepToJson(step),
    patch: patch === null ? null : patchToJson(patch),
    rollback: isFound && step.isComplete && step.changes.length > 0 ? `savepoint rollback ${changes.join(' ')}` : null,
    ...notesToJson(found),
  };
}
