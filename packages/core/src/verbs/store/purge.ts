import { treePathOf } from '../../io/locate-path.ts';
import { exactName, nameToJson } from '../../model/names.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const purge = verb({
  name: 'purge',
  summary: 'permanently remove content from the store',
  description:
    'Removes all content that was ever at these paths, and below them, from checkpoints, packs, backups, caches and ' +
    'the records of calls and prompts. It then searches the entire store for that content, and succeeds only if ' +
    'nothing is found. Checkpoints keep their numbers and all other content. They list the paths as not captured, ' +
    'and the changes of the paths without content. The files in the workspace are not changed, and the next ' +
    'checkpoint captures them again. Exported copies are not purged, nor are copies and forks of the workspace, which are listed. This cannot be undone.',
  changes: 'store',
  schemas: ({ z, jsonName, checkpointId }) => ({
    input: z.strictObject({
      paths: z.array(jsonName).min(1),
      dryRun: z.boolean().optional().describe('only preview what would be removed'),
    }),
    output: z.strictObject({
      dryRun: z.boolean(),
      paths: z.array(jsonName),
      checkpoints: z.array(checkpointId).describe('those that held the paths, or a record of their content'),
      contents: z.int().min(0).describe('number of distinct contents that were removed'),
      sameBytes: z.array(jsonName).describe('other paths with the same bytes, which are kept'),
      stillThere: z
        .array(jsonName)
        .describe('paths that still exist in the workspace; the next checkpoint captures them'),
      otherWorkspaces: z.array(jsonName).describe('enclosing or nested folders that have their own store'),
      copies: z
        .array(z.string())
        .describe('ids of copies and forks of the workspace, which may still have the content'),
      store: z
        .strictObject({
          bytesBefore: z.int().min(0),
          bytesAfter: z.int().min(0),
          objectsSearched: z.int().min(0),
          filesSearched: z.int().min(0),
        })
        .nullable()
        .describe('null for a dry run'),
    }),
  }),

  async handle(savepoint, input, { signal }) {
    const place = await savepoint.place();
    const paths = [...new Set(input.paths.map((path) => treePathOf(place, path)))];
    const dryRun = input.dryRun ?? false;
    const found = dryRun
      ? {
          ...(await savepoint.previewPurge(paths.map(exactName), withoutUndefined({ signal }))),
          searched: null,
          bytesBefore: 0,
          bytesAfter: 0,
        }
      : await savepoint.purge(paths.map(exactName), withoutUndefined({ signal }));
    const { searched, bytesBefore, bytesAfter } = found;
    return {
      dryRun,
      paths: paths.map(nameToJson),
      checkpoints: [...found.checkpoints],
      contents: found.contents,
      sameBytes: found.sameBytes.map(nameToJson),
      stillThere: found.stillThere.map(nameToJson),
      otherWorkspaces: found.otherWorkspaces.map(nameToJson),
      copies: [...found.copies],
      store:
        searched === null
          ? null
          : { bytesBefore, bytesAfter, objectsSearched: searched.objects, filesSearched: searched.files },
    };
  },
});
