/** Verbs that check plans, apply them, and roll them back. */

import type { PlanRun, PlanStep } from '../../engine/plans/run-plan.ts';
import { nameToJson } from '../../model/names.ts';
import { checkFields, checkOptionsOf, checkResultShape, checkResultToJson, statusOfReport } from '../checks/check.ts';
import { conflictChoicesOf } from '../input/conflict-choices.ts';
import { phaseName, planShapes, planToJson } from '../shapes/plan-shape.ts';
import { filesOutcomeToJson, operationToJson } from '../shapes/to-json.ts';
import { verb, withoutUndefined } from '../verb.ts';
import { commitFields, commitsShape, commitsToJson } from './commit.ts';
import { phasesOf, phasesShape } from './phases.ts';

export const planCheck = verb({
  name: 'plan check',
  summary: 'run the checks of the project on a plan',
  description:
    'Says first what the plan breaks elsewhere in the code, as `findings` with `types` does: what is proven counts like a ' +
    'failed check.\n\n' +
    'Makes the folder with the plan real in a copy, and runs the checks of the project there. Their failures are compared ' +
    'with those of the folder as it is: only new failures count. The workspace is not changed. If the folder changes ' +
    'meanwhile, the checks that this may affect run once more.\n\n' +
    'The results are kept with the plan, for exactly what was checked: if the plan or what is decided about it changes, ' +
    'they are stale. A plan whose checks failed is applied only with `override`. If the plan changes what a check runs, that ' +
    'needs to be trusted first. As long as one of the checks is not trusted, none runs, and only findings are made.',
  changes: 'store',
  schemas: (shapes) => {
    const { z, checkpointId, jsonName } = shapes;
    return {
      input: z.strictObject({ id: z.string(), ...checkFields(shapes) }),
      output: z.strictObject({
        plan: planShapes(shapes).whole,
        base: checkpointId.describe('the folder that the plan was checked on'),
        moved: z.array(jsonName).describe('what changed in the folder after the checks started, for the last time'),
        checks: z.array(checkResultShape(shapes)),
        notRun: z.array(z.string()).describe('checks that were found and not run'),
        untrusted: z.array(z.string()).describe('checks that a person has to trust first; none ran'),
        notes: z.array(z.string()),
        notIsolated: z.array(z.string()).describe('what the copy did not isolate'),
      }),
    };
  },
  async handle(savepoint, { id, ...input }, { signal, toolCall, isSandboxed, onOutput }) {
    const sandboxed = await isSandboxed?.();
    const options = { ...checkOptionsOf(input), signal, toolCall, sandboxed, onOutput };
    const report = await savepoint.checkPlan(id, withoutUndefined(options));
    return {
      plan: planToJson(report.plan),
      base: report.base.id,
      moved: report.moved.map(nameToJson),
      checks: report.checks.map(checkResultToJson),
      notRun: [...report.notRun],
      untrusted: [...report.untrusted],
      notes: [...report.notes],
      notIsolated: [...report.notIsolated],
    };
  },
  status: (report) => (report.plan.checked === 'failed' ? 1 : statusOfReport(report)),
});

export const planPhases = verb({
  name: 'plan phases',
  summary: 'split a plan into phases, which are applied one after the other',
  description:
    'Each phase has a name and paths. `plan apply` then applies the phases in their order, each with its own checkpoints, ' +
    'and checks if they are wanted. What no phase names belongs to the last one. Once something is applied, the phases stay.',
  changes: 'store',
  schemas: (shapes) => {
    const { z } = shapes;
    return {
      input: z.strictObject({
        id: z.string(),
        phases: phasesShape(shapes).describe('in their order; empty: no phases'),
        add: z.boolean().optional().describe('keep the other phases; one with the same name is replaced'),
      }),
      output: planShapes(shapes).whole,
    };
  },
  async handle(savepoint, { id, phases, add }, { signal, toolCall }) {
    const place = await savepoint.place();
    const wanted = phasesOf(place, phases);
    return planToJson(await savepoint.setPlanPhases(id, wanted, withoutUndefined({ add, signal, toolCall })));
  },
});

export const planApply = verb({
  name: 'plan apply',
  summary: 'apply an approved plan to the workspace',
  description:
    'Changes the workspace as the plan says, without what was rejected: all or nothing, with a checkpoint before and after. ' +
    'Exactly what a person approved is applied. If one of its paths changed since it was made, that is a conflict, unless ' +
    '`rebase` merges both changes. If checks of exactly this failed, it is refused, unless `override` says why not.\n\n' +
    'A plan with phases is applied phase by phase: each is all or nothing. With `validate`, checks run after it, or after each ' +
    'phase, on a copy. New failures stop it. If a run was interrupted, the next one continues where it stopped. With `commit`, ' +
    'its files are committed at the end, as `plan commit` does, unless a check failed.\n\nTo try an approved plan in a folder ' +
    'of its own first: `fork create` from the plan. The merge of that fork applies it.\n\nWhat `skipConflicts` leaves out stays open: the ' +
    'next `plan apply` tries it again. If all files are already as the plan says, it counts as applied without a checkpoint.',
  changes: 'files',
  schemas: (shapes) => {
    const { z, inverted, conflictFields, checkpointId, problem, jsonName } = shapes;
    const { only: _, ...limits } = checkFields(shapes);
    return {
      input: z.strictObject({
        id: z.string(),
        rebase: z.boolean().optional().describe('merge with what changed since the plan was made'),
        ...conflictFields,
        override: z
          .string()
          .optional()
          .describe('why it is applied although its checks failed; not available to agents'),
        validate: z
          .array(z.string())
          .optional()
          .describe('checks to run after it: names of checks, tools or kinds; empty: all'),
        onFailure: z
          .enum(['keep', 'rollback', 'rollback-all'])
          .optional()
          .describe('if they find new failures; `rollback`: only the last phase; default keep'),
        ...limits,
        force: z.boolean().optional().describe('also change frozen paths; not available to agents'),
        commit: z.strictObject(commitFields(shapes)).optional().describe('then commit its files'),
        dryRun: z.boolean().optional().describe('only preview what would happen'),
        expected: z.string().optional().describe('the fingerprint of the preview that the user accepted'),
      }),
      output: inverted.omit({ undoes: true, openCalls: true }).extend({
        steps: z
          .array(
            z.strictObject({
              phase: z.string().nullable().describe('null: the whole plan'),
              checkpoint: checkpointId
                .nullable()
                .describe('null: there was nothing to apply, or it was applied before'),
              checks: z.array(checkResultShape(shapes)).nullable().describe('null: no checks ran after it'),
              failed: z.boolean().describe('whether checks found new failures, or gave no answer'),
              rolledBack: checkpointId.nullable().describe('the checkpoint that reverted it'),
            }),
          )
          .describe('what was done; the other fields describe the last operation'),
        left: z.array(z.string()).describe('the phases that are not applied yet, or only in part'),
        leftOut: z
          .array(jsonName)
          .describe('what was left out because it did not merge; the next `plan apply` tries it again'),
        stopped: problem.nullable().describe('why it stopped before its end, although something was applied'),
        commit: commitsShape(shapes).nullable().describe('null: no commit was asked for, or it was refused'),
      }),
    };
  },
  status: ({ dryRun, outcome, steps, stopped }) => {
    if (dryRun) return outcome === 'conflict' ? 3 : 0;
    return stopped !== null || steps.some(({ failed }) => failed) ? 1 : 0;
  },
  async handle(savepoint, given, { signal, toolCall, onOutput }) {
    const { id, rebase, force, dryRun, expected, override, validate, onFailure, commit: choices } = given;
    const commit = choices && withoutUndefined(choices);
    const { only: _, ...limits } = checkOptionsOf(given);
    const applying = {
      ...withoutUndefined({ rebase, force, override, expected, signal, toolCall }),
      ...(await conflictChoicesOf(savepoint, given)),
    };
    if (dryRun === true) {
      const seen = await savepoint.previewPlan(id, applying);
      return {
        ...operationToJson(seen, []),
        ...filesOutcomeToJson(seen),
        steps: [],
        left: [],
        leftOut: [],
        stopped: null,
        commit: null,
      };
    }
    const run = await savepoint.runPlan(id, {
      ...applying,
      ...withoutUndefined({ validate, onFailure, commit, onOutput, ...limits }),
    });
    const operations = run.steps.flatMap(({ applied, rolledBack }) =>
      [rolledBack, applied].filter((one) => one !== null),
    );
    const seen = operations.at(-1) ?? (await savepoint.previewPlan(id, withoutUndefined({ signal })));
    return {
      ...operationToJson(seen, []),
      ...filesOutcomeToJson(seen),
      dryRun: false,
      steps: run.steps.map((step) => stepToJson(run, step)),
      left: run.plan.status === 'applied' ? [] : run.plan.phases.flatMap((one) => (one.isDone ? [] : [one.name])),
      leftOut: run.plan.left.map(nameToJson),
      stopped: run.stopped?.toJSON() ?? null,
      commit: run.commits && commitsToJson(run.commits),
    };
  },
});

export const planRollback = verb({
  name: 'plan rollback',
  summary: 'roll back what a plan applied',
  description:
    'Reverts everything that the plan applied, or only its last phase, all or nothing. What was changed later stays; if both ' +
    'affect the same lines, that is a conflict. The plan can then be applied again.',
  changes: 'files',
  schemas: ({ z, inverted, conflictFields }) => ({
    input: z.strictObject({
      id: z.string(),
      last: z.boolean().optional().describe('only the phase that was applied last'),
      ...conflictFields,
      force: z.boolean().optional().describe('also change frozen paths; not available to agents'),
      dryRun: z.boolean().optional().describe('only preview what would happen'),
      expected: z.string().optional().describe('the fingerprint of the preview that the user accepted'),
    }),
    output: inverted.omit({ undoes: true, openCalls: true }),
  }),
  status: ({ dryRun, outcome }) => (dryRun && outcome === 'conflict' ? 3 : 0),
  async handle(savepoint, { id, dryRun, last, force, expected, ...input }, { signal, toolCall }) {
    const options = {
      ...withoutUndefined({ last, force, expected, signal, toolCall }),
      ...(await conflictChoicesOf(savepoint, input)),
    };
    const seen =
      dryRun === true ? await savepoint.previewRollBackPlan(id, options) : await savepoint.rollBackPlan(id, options);
    return { ...operationToJson(seen, []), ...filesOutcomeToJson(seen) };
  },
});

function stepToJson({ plan }: PlanRun, { phase, applied, checks, isFailed, rolledBack }: PlanStep) {
  return {
    phase: phaseName(plan, phase),
    checkpoint: applied?.checkpoint?.id ?? null,
    checks: checks?.map(checkResultToJson) ?? null,
    failed: isFailed,
    rolledBack: rolledBack?.checkpoint?.id ?? null,
  };
}
