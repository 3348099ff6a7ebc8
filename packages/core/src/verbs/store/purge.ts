import { treePathOf } from '../../io/given-path.ts';
import { nameToJson } from '../../model/names.ts';
import { given, verb } from '../verb.ts';

export const purge = verb({
  name: 'purge',
  summary: "take a path's content out of the store, for good",
  description:
    'Takes what was ever at these paths, and below them, out of checkpoints, packs, backups, cache and what is on record of ' +
    'calls and prompts, then searches the whole store for it: only when nothing is found it has worked. Checkpoints keep ' +
    'their numbers and everything else; what was at the paths counts as not captured, and changes of it stay listed ' +
    'without their contents. The files themselves stay as they are, and the next checkpoint takes what is there then. ' +
    'What was exported or copied before is not reached. It cannot be undone.',
  changes: 'store',
  schemas: ({ z, jsonName, checkpointId }) => ({
    input: z.strictObject({
      paths: z.array(jsonName).min(1),
      dryRun: z.boolean().optional().describe('change nothing, only say what would go'),
    }),
    output: z.strictObject({
      dryRun: z.boolean(),
      paths: z.array(jsonName),
      checkpoints: z.array(checkpointId).describe('those that held the paths, or told of what was there'),
      contents: z.int().min(0).describe('different contents that are gone'),
      sameBytes: z.array(jsonName).describe('other paths that have the same bytes, and keep them'),
      stillThere: z.array(jsonName).describe('paths where something still is, which the next checkpoint takes'),
      otherWorkspaces: z.array(jsonName).describe('folders around or inside this one with stores of their own'),
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
      ? { ...(await savepoint.previewPurge(paths, given({ signal }))), searched: null, bytesBefore: 0, bytesAfter: 0 }
      : await savepoint.purge(paths, given({ signal }));
    const { searched, bytesBefore, bytesAfter } = found;
    return {
      dryRun,
      paths: paths.map(nameToJson),
      checkpoints: [...found.checkpoints],
      contents: found.contents,
      sameBytes: found.sameBytes.map(nameToJson),
      stillThere: found.stillThere.map(nameToJson),
      otherWorkspaces: found.otherWorkspaces.map(nameToJson),
      store:
        searched === null
          ? null
          : { bytesBefore, bytesAfter, objectsSearched: searched.objects, filesSearched: searched.files },
    };
  },
});
