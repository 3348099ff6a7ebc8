/** The verb that commits an applied plan. */

import { nameToJson } from '../../model/names.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const planCommit = verb({
  name: 'plan commit',
  summary: 'commit an applied plan in your own repository',
  description:
    'Makes one commit in each repository, of the files of the plan only, as they were after it was applied. What else is ' +
    'staged or changed stays as it is. It is refused if one of the files had changes that were not committed. The message ' +
    'is the intent of the plan, in the style of the recent subjects. git runs no hooks and no filters, and signs nothing.',
  changes: 'store',
  schemas: ({ z, jsonName }) => ({
    input: z.strictObject({
      id: z.string(),
      message: z.string().min(1).optional(),
      author: z.strictObject({ name: z.string().min(1), email: z.string().min(1) }).optional(),
    }),
    output: z.strictObject({
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
    }),
  }),
  async handle(savepoint, { id, message, author }, { signal, toolCall }) {
    const options = withoutUndefined({ message, author, signal, toolCall });
    const { commits, notes } = await savepoint.commitPlan(id, options);
    return { commits: commits.map(({ path, ...one }) => ({ ...one, path: nameToJson(path) })), notes: [...notes] };
  },
});
