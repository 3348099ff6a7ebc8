/** Verbs that decide about plans. */

import { treePathOf } from '../../io/locate-path.ts';
import { exactName, WORKSPACE_ITSELF } from '../../model/names.ts';
import { planShapes, planToJson } from '../shapes/plan-shape.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const planReview = verb({
  name: 'plan review',
  summary: 'accept or reject changes and hunks of a plan, and approve it',
  description:
    'Records decisions about changes and hunks. Rejected ones are not applied. With `approve`, exactly what remains is ' +
    'approved, and can be applied; only a person may do that, and only if the plan is still what they saw.',
  changes: 'store',
  schemas: (shapes) => {
    const { z, jsonName } = shapes;
    const part = {
      path: jsonName.describe('a change, or a folder: all changes below it'),
      hunk: z.int().min(1).optional().describe('its number; absent: the whole change'),
    };
    return {
      input: z.strictObject({
        id: z.string(),
        decisions: z.array(z.strictObject({ ...part, accepted: z.boolean() })).optional(),
        only: z
          .array(z.strictObject(part))
          .optional()
          .describe('accept these and reject everything else; before the decisions'),
        approve: z
          .string()
          .regex(/^[0-9a-f]{16,64}$/)
          .optional()
          .describe(
            'the fingerprint of the plan as the person saw it, before these decisions; 16 characters are enough',
          ),
      }),
      output: planShapes(shapes).whole,
    };
  },
  async handle(savepoint, { id, decisions = [], only = [], approve }, { signal, toolCall }) {
    const options = withoutUndefined({ signal, toolCall });
    const place = await savepoint.place();
    const everything = { path: exactName(WORKSPACE_ITSELF), accepted: false };
    const wanted = [...only.map((one) => ({ ...one, accepted: true })), ...decisions].map(
      ({ path, hunk, accepted }) => ({
        path: exactName(treePathOf(place, path)),
        accepted,
        ...(hunk === undefined ? {} : { hunk }),
      }),
    );
    const made = only.length === 0 ? wanted : [everything, ...wanted];
    if (approve === undefined) {
      return planToJson(
        made.length > 0 ? await savepoint.decidePlan(id, made, options) : await savepoint.plan(id, options),
      );
    }
    const found = await savepoint.plan(id, options);
    // A short one that does not fit goes on as it is, and is refused as any other state of the plan.
    const seen = found.fingerprint.startsWith(approve) ? found.fingerprint : approve;
    const isDecided = made.length > 0;
    const view = isDecided ? await savepoint.decidePlan(id, made, { ...options, expected: seen }) : found;
    return planToJson(await savepoint.approvePlan(id, isDecided ? view.fingerprint : seen, options));
  },
});

export const planCancel = verb({
  name: 'plan cancel',
  summary: 'mark a plan as not to be applied',
  description: 'The plan stays in the list of all plans, until it expires or the store needs its room.',
  changes: 'store',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({ id: shapes.z.string() }),
    output: planShapes(shapes).whole,
  }),
  async handle(savepoint, { id }, { signal, toolCall }) {
    return planToJson(await savepoint.cancelPlan(id, withoutUndefined({ signal, toolCall })));
  },
});
