import { nameToJson } from '../../model/names.ts';
import { planShapes, planToJson } from '../shapes/plan-shape.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const planSplit = verb({
  name: 'plan split',
  summary: 'split a plan along the imports of its files',
  description:
    'Says in which phases the plan could be applied, and which groups of its files do not depend on each other. A phase has ' +
    'only files whose imports are in it or in an earlier one; tests are with what they test, and cycles are in one phase. ' +
    'Nothing is run.\n\nWith `into: "phases"`, these become the phases of the plan. With `into: "groups"`, a plan is made of ' +
    'each group and this one is cancelled, all or nothing. Together they propose exactly what this one did. What was decided ' +
    'about their changes stays, but each needs an approval of its own, and can then be tried in a fork of its own.\n\n' +
    'Only imports that can be read are known. Files in no known language are listed in `unknown`: they come first, and are one group.',
  changes: 'store',
  schemas: (shapes) => {
    const { z, jsonName } = shapes;
    const paths = z.array(jsonName);
    return {
      input: z.strictObject({
        id: z.string(),
        into: z.enum(['phases', 'groups']).optional().describe('absent: nothing is changed'),
      }),
      output: z.strictObject({
        plan: planShapes(shapes).whole,
        phases: z.array(z.strictObject({ name: z.string(), paths })).describe('in their order'),
        groups: z
          .array(z.strictObject({ paths, plan: z.string().nullable().describe('that was made of it') }))
          .describe('no file of one imports a file of another'),
        unknown: paths.describe('files of which it is not known what they import'),
      }),
    };
  },
  async handle(savepoint, { id, into }, { signal, toolCall }) {
    const { plan, phases, groups, unknown } = await savepoint.splitPlan(
      id,
      withoutUndefined({ into, signal, toolCall }),
    );
    return {
      plan: planToJson(plan),
      phases: phases.map(({ name, paths }) => ({ name, paths: paths.map(nameToJson) })),
      groups: groups.map((one) => ({ paths: one.paths.map(nameToJson), plan: one.plan })),
      unknown: unknown.map(nameToJson),
    };
  },
});
