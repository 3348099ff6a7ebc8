/** What `bisect` and `replay` have in common, as JSON. */

import type { CommandRun } from '../../bisect/copy-seat.ts';
import type { Step } from '../../bisect/steps.ts';
import { nameToJson, type TreePath } from '../../model/names.ts';
import type { DamagedCheckpoint } from '../../timeline/record/timeline.ts';
import { actorToJson, recordedChangeToJson } from '../shapes/to-json.ts';
import type { Shapes } from '../verb.ts';

export function stateRunInput({ z }: Shapes) {
  return {
    env: z
      .record(z.string(), z.string())
      .optional()
      .describe('the whole environment of the command; nothing is inherited (default: only a PATH)'),
    turns: z.boolean().optional().describe('step by the prompts to agents instead of by checkpoints'),
    clean: z.boolean().optional().describe('make a new copy for each state, so that no build output stays'),
  };
}

export function runShape({ z }: Shapes) {
  return z.strictObject({
    status: z.int().describe('as shells report it: 126 and 127 if it cannot be started, 128 plus a signal'),
    problem: z.string().nullable().describe('why the status is not its own'),
    stdout: z.string().describe('its end'),
    stderr: z.string().describe('its end'),
    took: z.int().describe('milliseconds'),
  });
}

export function stepFields({ z, checkpointId, recordedChange, actor }: Shapes) {
  return {
    changes: z.array(recordedChange),
    complete: z.boolean().describe('false if some changes are not known'),
    prompts: z
      .array(
        z.strictObject({
          session: z.string(),
          actor,
          checkpoint: checkpointId.nullable().describe('the state when it was sent'),
          words: z.string().nullable().describe('shortened; null if no prompt is recorded'),
        }),
      )
      .describe("the prompts to which the changes' possible authors worked"),
  };
}

export function notesFields({ z, checkpointId, jsonName, problem }: Shapes) {
  return {
    states: z.int().describe('different states, the ends included'),
    damaged: z.array(z.strictObject({ id: checkpointId, problem })).describe('left out, because it cannot be read'),
    unknown: z.array(jsonName).describe('paths that were not captured at some state, and were left as they were'),
    notes: z.array(z.string()),
  };
}

export function runToJson(run: CommandRun | null) {
  return run === null ? null : { ...run };
}

export function stepToJson({ changes, isComplete, prompts }: Step) {
  return {
    changes: changes.map(recordedChangeToJson),
    complete: isComplete,
    prompts: prompts.map(({ actor, ...prompt }) => ({ ...prompt, actor: actorToJson(actor) })),
  };
}

export function notesToJson(given: {
  readonly states: number;
  readonly damaged: readonly DamagedCheckpoint[];
  readonly unknown: readonly TreePath[];
  readonly notes: readonly string[];
}) {
  return {
    states: given.states,
    damaged: given.damaged.map(({ id, error }) => ({ id, problem: error.toJSON() })),
    unknown: given.unknown.map(nameToJson),
    notes: [...given.notes],
  };
}
