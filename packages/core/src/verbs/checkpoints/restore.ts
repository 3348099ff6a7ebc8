import { SavepointError } from '../../model/errors.ts';
import { isWithin, nameToJson, type TreePath } from '../../model/names.ts';
import { scopeOf } from '../given/paths.ts';
import { actToJson, briefToJson } from '../shapes/to-json.ts';
import { given, verb } from '../verb.ts';

export const restore = verb({
  name: 'restore',
  summary: 'make files equal to a checkpoint',
  description:
    'Makes the workspace equal to the checkpoint, byte for byte, all or nothing: or only the given paths, or, from a ' +
    'subfolder, only what is in it. What is about to be overwritten is captured first, so `undo` takes a restore back. ' +
    'Files that the checkpoint does not know and that an ignore rule covers, or that could not be captured, stay. ' +
    'Only files are restored: branch, HEAD, index and stash stay as they are, unless `git` asks for branch, HEAD and ' +
    'index; then the index is as the commit has it (or as it was, where the option `record_index` is on), and `undo` puts all three back. A deleted .git does not come back.',
  changes: 'files',
  schemas: ({ z, jsonName, checkpointName, restored }) => ({
    input: z.strictObject({
      checkpoint: checkpointName,
      paths: z.array(jsonName).optional().describe('only these and what is below them'),
      all: z.boolean().optional().describe('the whole workspace, also from a subfolder'),
      root: jsonName.optional().describe('only this repository, without those that lie in it'),
      allowPartial: z
        .boolean()
        .optional()
        .describe('also where a root could not be captured then, or cannot be now: it is left alone, and named'),
      mode: z
        .enum(['exact', 'keep-outside'])
        .optional()
        .describe(
          '`exact`: equal to the checkpoint. `keep-outside`: only what agents changed since is taken back, merged with ' +
            'the rest; where no agent changed anything, what changed since the last checkpoint is kept. Without it: ' +
            'exact, and a conflict where both agents and others changed the paths since',
        ),
      dryRun: z.boolean().optional().describe('only say what would happen'),
      git: z
        .boolean()
        .optional()
        .describe(
          'also put the branch, HEAD and index of each repository where the checkpoint saw them; commits that no branch ' +
            'leads to afterwards are kept in the store',
        ),
      force: z.boolean().optional().describe('also change what is frozen; an agent may not'),
      expected: z.string().optional().describe('the fingerprint of the dry run that was agreed to'),
    }),
    output: restored,
  }),

  async handle(savepoint, input, context) {
    const wanted = input.paths ?? [];
    if (input.all === true && wanted.length > 0) {
      throw new SavepointError('USAGE', 'Either the whole workspace is restored, or the given paths: not both.', {
        argument: 'all',
      });
    }
    if (input.root !== undefined && (input.all === true || wanted.length > 0)) {
      throw new SavepointError('USAGE', 'Either one root is restored, or what else is named: not both.', {
        argument: 'root',
      });
    }
    const place = await savepoint.place();
    const paths = input.all === true || input.root !== undefined ? [] : scopeOf(place, wanted);
    const root = input.root === undefined ? undefined : scopeOf(place, [input.root])[0];
    const { mode, expected, force, allowPartial, git } = input;
    const options = given({
      paths,
      root,
      allowPartial,
      git,
      mode,
      expected,
      force,
      signal: context.signal,
      toolCall: context.toolCall,
    });
    const seen =
      input.dryRun === true
        ? await savepoint.previewRestore(input.checkpoint, options)
        : await savepoint.restore(input.checkpoint, options);
    const touches = (one: TreePath): boolean =>
      root === undefined
        ? paths.length === 0 || paths.some((path) => isWithin(path, one) || isWithin(one, path))
        : one === root;
    const recorded = seen.target.roots.filter(({ path }) => touches(path));
    const parties = 'parties' in seen ? seen.parties : null;
    return {
      ...actToJson(seen, recorded),
      target: briefToJson(seen.target),
      parties: parties && { agents: [...parties.agents], outside: parties.outside.map(nameToJson) },
    };
  },
});
