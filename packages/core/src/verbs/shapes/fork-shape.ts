/** The JSON of a fork. */

import type { ForkView } from '../../engine/calls/forks.ts';
import type { ForkOutput, ForkRun } from '../../fork/runs.ts';
import { nameToJson } from '../../model/names.ts';
import type { Shapes } from '../verb.ts';
import { sessionShape } from './conversation-shape.ts';
import { changeToJson, patchToJson, timeToJson } from './to-json.ts';

/** Fields of the output of the verbs about forks. */
export function forkShapes(shapes: Shapes) {
  const { z, jsonName, checkpointId, change, totals, patch } = shapes;
  const run = z.strictObject({
    number: z.int().min(1),
    command: z.array(z.string()),
    started: z.string().describe('ISO 8601'),
    state: z.enum(['running', 'exited', 'killed']).describe('`killed`: it ended without an exit status'),
    exit: z.int().nullable(),
    output: jsonName.describe('the file with what it printed'),
  });
  const checks = z.strictObject({
    time: z.string().describe('ISO 8601'),
    isCurrent: z.boolean().describe('whether the fork still is as it was then'),
    results: z.array(
      z.strictObject({
        name: z.string(),
        comparison: z.enum(['ok', 'same', 'worse', 'unknown']).describe('with what the fork started from'),
        outcome: z.string(),
        why: z.string().nullable(),
        new: z.int().describe('number of new failures'),
      }),
    ),
  });
  const brief = {
    name: z.string(),
    id: z.string().describe('the id of its copy'),
    folder: jsonName.nullable().describe('null for an overlay, which has none until `fork open`'),
    checkpoint: checkpointId.describe('where it left the workspace'),
    created: z.string().describe('ISO 8601'),
    branch: z.string().nullable(),
    plan: z.string().nullable().describe('the plan that it started with'),
    port: z.int().describe('the first of its ports'),
  };
  const fork = z.strictObject({
    ...brief,
    base: checkpointId
      .nullable()
      .describe('`checkpoint`, if the changes are compared with exactly its state; null after a merge, or with a plan'),
    rung: z.string().describe('how it was copied'),
    state: z
      .enum(['unchanged', 'merged', 'changed'])
      .describe('`merged`: everything was merged. `changed`: a merge would bring something'),
    totals: totals.describe('what a merge would bring'),
    common: z
      .array(z.strictObject({ fork: z.string(), paths: z.array(jsonName) }))
      .describe('paths that other forks changed, too'),
    runs: z.array(run).describe('its commands, newest first'),
    checks: checks.nullable().describe('how its checks went last; null: they did not run'),
    bytes: z.int().min(0).describe('what it takes on disk, without what it shares'),
  });
  const created = z.strictObject({
    ...brief,
    continue: sessionShape(shapes).nullable().describe('how the conversation continues in it; null if none was to'),
    notes: z.array(z.string()),
  });
  const changes = { changes: z.array(change), patch: patch.nullable() };
  return { run, checks, created, fork, changes };
}

export function runToJson({ number, command, started, state, exit, output }: ForkRun) {
  return { number, command: [...command], started: timeToJson(started), state, exit, output: nameToJson(output) };
}

export function printedToJson({ number, bytes, size }: ForkOutput) {
  return { number, text: nameToJson(bytes.toString('latin1')), isCut: bytes.length < size };
}

export function forkChecksToJson({ checks }: Pick<ForkView, 'checks'>) {
  if (checks === null) return null;
  const { time, isCurrent, checks: results } = checks;
  return { time: timeToJson(time), isCurrent, results: results.map((one) => ({ ...one })) };
}

/** @param others the other forks of the workspace */
export function forkToJson(view: ForkView, others: readonly ForkView[]) {
  const { name, id, folder, rung, checkpoint, base, created, branch, plan, port, state, difference, runs, bytes } =
    view;
  const own = new Set(difference.changes.map(({ path }) => path));
  const common = others
    .filter((other) => other.id !== id)
    .map((other) => ({
      fork: other.name,
      paths: other.difference.changes.filter(({ path }) => own.has(path)).map(({ path }) => nameToJson(path)),
    }))
    .filter(({ paths }) => paths.length > 0);
  return {
    name,
    id,
    folder: folder && nameToJson(folder),
    base,
    rung,
    checkpoint,
    created: timeToJson(created),
    branch,
    plan,
    port,
    state,
    totals: { ...difference.totals },
    common,
    runs: runs.map(runToJson),
    checks: forkChecksToJson(view),
    bytes,
  };
}

export function changesToJson({ difference }: Pick<ForkView, 'difference'>) {
  return {
    changes: difference.changes.map(changeToJson),
    patch: difference.patch && patchToJson(difference.patch),
  };
}
