/** Verbs that make plans and look at them. */

import { fileEditsOf } from '../changes/edit.ts';
import { planBriefToJson, planShapes, planToJson } from '../shapes/plan-shape.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const planNew = verb({
  name: 'plan new',
  summary: 'propose changes of several files, without applying them',
  description:
    'Keeps proposed edits as a plan: what the files would be is stored, and the workspace is not changed. A person reviews ' +
    'it, and it is applied all or nothing with `plan apply`. The request is that of `edit`.',
  changes: 'store',
  schemas: (shapes, { editRequest }) => ({
    input: editRequest.omit({ dry_run: true, include_content: true, message: true }).extend({
      intent: shapes.z.string().min(1).describe('what the plan is for'),
    }),
    output: planShapes(shapes).whole,
  }),
  async handle(savepoint, { intent, ...request }, { signal, toolCall }) {
    const options = withoutUndefined({ signal, toolCall });
    const files = await fileEditsOf(savepoint, request, options);
    return planToJson(await savepoint.proposeEdits(files, { ...options, intent }));
  },
});

export const planList = verb({
  name: 'plan list',
  summary: 'list the plans of the workspace',
  description: 'Lists the plans, oldest first, with their status and the size of what they change.',
  changes: 'nothing',
  schemas: (shapes) => {
    const { z } = shapes;
    return {
      input: z.strictObject({
        all: z.boolean().optional().describe('also those that are applied, rolled back or cancelled'),
      }),
      output: z.strictObject({
        plans: z.array(planShapes(shapes).brief),
        warnings: z.array(z.string()).describe('plans that cannot be read'),
      }),
    };
  },
  async handle(savepoint, { all = false }, { signal }) {
    const { plans, problems } = await savepoint.plans(withoutUndefined({ signal }));
    const open = plans.filter(({ status }) => all || status === 'pending' || status === 'approved');
    return { plans: open.map(planBriefToJson), warnings: [...problems] };
  },
});

export const planShow = verb({
  name: 'plan show',
  summary: 'show a plan: its changes, and what was decided about them',
  description: 'Shows one plan with its changes and numbered hunks.',
  changes: 'nothing',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({
      id: shapes.z.string(),
      patch: shapes.z.boolean().optional().describe('also return a patch of all proposed changes'),
    }),
    output: planShapes(shapes).whole,
  }),
  async handle(savepoint, { id, patch }, { signal }) {
    return planToJson(await savepoint.plan(id, withoutUndefined({ patch, signal })));
  },
});
