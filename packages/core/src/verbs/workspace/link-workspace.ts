import { nameFromJson, nameToJson } from '../../model/names.ts';
import { given, verb } from '../verb.ts';

export const linkWorkspace = verb({
  name: 'workspace link',
  summary: 'give this folder the timeline of another path',
  description:
    'For a project that came back in another place in a way that cannot be recognised (copied to a new disk, cloned ' +
    'anew): the folder gets the checkpoints of the workspace that stood at the given path, or whose store has the given id.',
  changes: 'store',
  schemas: ({ z, jsonName }) => ({
    input: z.strictObject({ from: jsonName.describe("absolute path of the old folder, or the store's id") }),
    output: z.strictObject({ id: z.string(), path: jsonName }),
  }),

  async handle(savepoint, input, context) {
    const from = nameFromJson(input.from).replace(/(?<=.)\/+$/, '');
    const { id, root } = await savepoint.link(from, given({ signal: context.signal }));
    return { id, path: nameToJson(root) };
  },
});
