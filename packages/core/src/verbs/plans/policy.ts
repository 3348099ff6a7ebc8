/** The verb about what agents may apply without a review. */

import { timeToJson } from '../shapes/to-json.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const planPolicy = verb({
  name: 'plan policy',
  summary: 'show or set which plans agents may apply without a review',
  description:
    'By default (`approved`), an agent applies only plans that a person approved. With `checked`, an agent with tools of ' +
    'Savepoint (MCP, AI SDK) may also apply a plan that no person looked at, if these checks ran on exactly this plan and this ' +
    'folder and found nothing new, if it changes at most `maxFiles` paths, and if it was neither rolled back nor asked to ' +
    'be changed. It holds for this workspace, and is kept with what you trust. Only a person may set it.',
  changes: 'store',
  schemas: ({ z }) => ({
    input: z.strictObject({
      apply: z.enum(['approved', 'checked']).optional().describe('default: only show it'),
      checks: z
        .array(z.string())
        .min(1)
        .optional()
        .describe('with `checked`: names, tools or kinds of checks; default: all that the project has now'),
      maxFiles: z.int().min(1).optional().describe('with `checked`; default: 20'),
    }),
    output: z.strictObject({
      apply: z.enum(['approved', 'checked']),
      checks: z.array(z.string()),
      maxFiles: z.int().nullable().describe('null: none'),
      since: z.iso.datetime().nullable(),
    }),
  }),
  async handle(savepoint, { apply, checks, maxFiles }, { signal }) {
    const options = withoutUndefined({ signal });
    const policy =
      apply === undefined
        ? await savepoint.planPolicy()
        : await savepoint.setPlanPolicy({ apply, ...withoutUndefined({ checks, maxFiles }) }, options);
    return {
      apply: policy === null ? ('approved' as const) : ('checked' as const),
      checks: [...(policy?.checks ?? [])],
      maxFiles: policy?.maxFiles ?? null,
      since: policy === null ? null : timeToJson(policy.since),
    };
  },
});
