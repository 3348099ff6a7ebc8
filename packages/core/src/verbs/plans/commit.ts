/** The verb that commits an applied plan. */

import { nameToJson } from '../../model/names.ts';
import type { PlanCommits } from '../../plan/commit-plan.ts';
import { type Shapes, verb, withoutUndefined } from '../verb.ts';

export const planCommit = verb({
  name: 'plan commit',
  summary: 'commit an applied plan in your own repository',
  description:
    'Makes one commit in each repository, of the files of the plan only, as they were after it was applied. What else is ' +
    'staged or changed stays as it is. It is refused if one of the files had changes that were not committed, or changed ' +
    'since it was applied. What was rolled back of the plan is left out, and named. The message is the intent of the plan, in the style of the recent subjects. git runs no filters, and signs nothing.\n\n' +
    'With `hooks`, the pre-commit, prepare-commit-msg, commit-msg and post-commit hooks of the repositories run. If one of ' +
    'them refuses, nothing is committed. What they stage of the files of the plan, and the message as they leave it, is ' +
    'committed. If they stage anything else, nothing is committed. Only a person may ask for hooks.',
  changes: 'store',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({ id: shapes.z.string(), ...commitFields(shapes) }),
    output: commitsShape(shapes),
  }),
  async handle(savepoint, { id, ...choices }, { signal, toolCall }) {
    const options = withoutUndefined({ ...choices, signal, toolCall });
    return commitsToJson(await savepoint.commitPlan(id, options));
  },
});

/** Fields of the input that say how to commit. */
export function commitFields({ z }: Shapes) {
  return {
    message: z.string().min(1).optional(),
    author: z.strictObject({ name: z.string().min(1), email: z.string().min(1) }).optional(),
    hooks: z.boolean().optional().describe('run the hooks of the repositories; not available to agents'),
  };
}

export function commitsShape({ z, jsonName }: Shapes) {
  return z.strictObject({
    commits: z.array(
      z.strictObject({
        path: jsonName.describe('the folder of the repository'),
        branch: z.string().nullable(),
        commit: z.string(),
        subject: z.string(),
        files: z.int(),
      }),
    ),
    notes: z.array(z.string()).describe('what is in no commit, and why'),
  });
}

export function commitsToJson({ commits, notes }: PlanCommits) {
  return { commits: commits.map(({ path, ...one }) => ({ ...one, path: nameToJson(path) })), notes: [...notes] };
}
