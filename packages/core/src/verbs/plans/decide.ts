/** Verbs that decide about plans. */

import { treePathOf } from '../../io/locate-path.ts';
import { exactName } from '../../model/names.ts';
import { planShapes, planToJson } from '../shapes/plan-shape.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const planReview = verb({
  name: 'plan review',
  summary: 'accept or reject changes and hunks of a plan, and approve it',
  description:
    'Records decisions about changes and hunks. Rejected ones are not applied. With `approve`, exactly what remains is ' +
    'approved, and can be applied; only a person may do that.',
  changes: 'store',
  schemas: (shapes) => {
    const { z, jsonName } = shapes;
    return {
      input: z.strictObject({
        id: z.string(),
        decisions: z
          .array(
            z.strictObject({
              path: jsonName,
              hunk: z.int().min(1).optional().describe('its number; absent: the whole change'),
              accepted: z.boolean(),
            }),
          )
          .optional(),
        approve: z.string().optional().describe('the fingerprint of what the person saw; `any`: whatever it is now'),
      }),
      output: planShapes(shapes).whole,
    };
  },
  async handle(savepoint, { id, decisions = [], approve }, { signal, toolCall }) {
    const options = withoutUndefined({ signal, toolCall });
    const place = await savepoint.place();
    const made = decisions.map(({ path, hunk, accepted }) => ({
      path: exactName(treePathOf(place, path)),
      accepted,
      ...(hunk === undefined ? {} : { hunk }),
    }));
    let view = made.length > 0 ? await savepoint.decidePlan(id, made, options) : await savepoint.plan(id, options);
    if (approve !== undefined) {
      view = await savepoint.approvePlan(id, approve === 'any' ? view.fingerprint : approve, options);
    }
    return planToJson(view);
  },
});

export const planCancel = verb({
  name: 'plan cancel',
  summary: 'mark a plan as not to be applied',
  description: 'The plan stays in the list of all plans, until it expires.',
  changes: 'store',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({ id: shapes.z.string() }),
    output: planShapes(shapes).whole,
  }),
  async handle(savepoint, { id }, { signal, toolCall }) {
    return planToJson(await savepoint.cancelPlan(id, withoutUndefined({ signal, toolCall })));
  },
});
