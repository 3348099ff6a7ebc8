import { nameFromJson, nameToJson } from '../../model/names.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const linkWorkspace = verb({
  name: 'workspace link',
  summary: 'link this folder to the timeline of another folder',
  description:
    'For a project that was moved in a way that Savepoint cannot detect, for example copied to a new disk or cloned ' +
    'again. The folder gets the checkpoints of the workspace that was at the given path, or whose store has the ' +
    'given id.',
  changes: 'store',
  schemas: ({ z, jsonName }) => ({
    input: z.strictObject({ from: jsonName.describe("absolute path of the old folder, or the store's id") }),
    output: z.strictObject({ id: z.string(), path: jsonName }),
  }),

  async handle(savepoint, input, context) {
    const from = nameFromJson(input.from).replace(/(?<=.)\/+$/, '');
    const { id, root } = await savepoint.link(from, withoutUndefined({ signal: context.signal }));
    return { id, path: nameToJson(root) };
  },
});
