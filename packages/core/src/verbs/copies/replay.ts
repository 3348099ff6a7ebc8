import type { ReplayAnswer, ReplayStep } from '../../bisect/replay.ts';
import type { ReplayOptions } from '../../engine/calls/state-runs.ts';
import { type JsonName, nameToJson } from '../../model/names.ts';
import type { Savepoint } from '../../savepoint.ts';
import { briefToJson } from '../shapes/to-json.ts';
import { type OrUndefined, type VerbContext, verb, withoutUndefined } from '../verb.ts';
import { notesFields, notesToJson, runShape, runToJson, stateRunInput, stepFields, stepToJson } from './state-run.ts';

export const replay = verb({
  name: 'replay',
  summary: 'go through the states between two checkpoints, one by one',
  description:
    'Takes a copy of the workspace through the states between two checkpoints, in order, and runs a command at each if ' +
    'one is given. The workspace is not changed. States with the same files as the one before are left out.',
  changes: 'store',
  schemas: (shapes) => {
    const { z, checkpointName, checkpointBrief } = shapes;
    return {
      input: z.strictObject({
        from: checkpointName.optional().describe('default: the oldest'),
        to: checkpointName.optional().describe('default: the newest'),
        command: z.array(z.string()).min(1).optional().describe('the program and its arguments; there is no shell'),
        stopOnFailure: z.boolean().optional().describe('end at the first exit status other than 0'),
        ...stateRunInput(shapes),
      }),
      output: z.strictObject({
        steps: z.array(
          z.strictObject({
            checkpoint: checkpointBrief,
            run: runShape(shapes).nullable(),
            problem: z.string().nullable().describe('why the state could not be made, or the command not be run'),
            ...stepFields(shapes),
          }),
        ),
        ...notesFields(shapes),
      }),
    };
  },
  status: ({ steps }) => (steps.some(({ run, problem }) => problem !== null || (run?.status ?? 0) !== 0) ? 1 : 0),

  handle: (savepoint, input, context) => runReplayVerb(savepoint, input, context, {}),
});

/** What a front end does at each state. */
export interface ReplayListener {
  /** Whether the files of each state are wanted, also without a command. */
  readonly withFiles?: boolean;
  /** @param files where they are until the answer; null unless wanted */
  readonly onStep?: (step: ReturnType<typeof replayStepToJson>, files: JsonName | null) => Promise<ReplayAnswer>;
}

/** The same, for front ends that show each state. */
export async function runReplayVerb(
  savepoint: Savepoint,
  input: OrUndefined<Omit<ReplayOptions, keyof ReplayListener | 'signal' | 'toolCall' | 'force' | 'rungs'>>,
  { signal }: VerbContext,
  { withFiles, onStep }: ReplayListener,
) {
  const replayed = await savepoint.replay({
    ...withoutUndefined({ ...input, signal, withFiles }),
    // The files of an overlay are visible only inside of it.
    ...(withFiles === true ? { rungs: ['reflink', 'copy'] as const } : {}),
    ...(onStep === undefined
      ? {}
      : {
          onStep: (step) => onStep(replayStepToJson(step), step.files === null ? null : nameToJson(step.files)),
        }),
  });
  return { steps: replayed.steps.map(replayStepToJson), ...notesToJson(replayed) };
}

function replayStepToJson(step: ReplayStep) {
  return { checkpoint: briefToJson(step.to), run: runToJson(step.run), problem: step.problem, ...stepToJson(step) };
}
