import { exactName, nameFromJson, nameToJson } from '../../model/names.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const repair = verb({
  name: 'repair',
  summary: 'repair a damaged store',
  description:
    'Checks every byte of the store, moves damaged parts aside into its folder `damaged`, and stores again what they ' +
    'lack, as far as it still exists: in other parts of the store, in backups, in the bundles given with `from`, in ' +
    'the files of the workspace, and in its repositories. A damaged ref gets the commit of its checkpoint again. ' +
    'Nothing is deleted, and the files of the workspace are not changed. What is lost is listed by checkpoint and path.' +
    '\n\nIf the record of a store and its copy are damaged, it is unknown which folder the store belongs to. The ' +
    'folder adopts it if it is proven that the store is its own: the list of all stores has them together, or the ' +
    "store's cache knows a file here by its inode and times. A file with several hard links proves nothing, and neither " +
    'does any file if the list has the store with another folder that still exists. Otherwise name the store with ' +
    '`adopt`. A folder that has a store keeps it: stores without usable records that may be its own are only named.',
  changes: 'store',
  schemas: ({ z, jsonName, objectId, checkpointId }) => ({
    input: z.strictObject({
      from: z.array(jsonName).optional().describe('bundles that may have what the store lacks'),
      dryRun: z.boolean().optional().describe('only show what would be done'),
      adopt: z
        .string()
        .optional()
        .describe('the id of a store without a usable record that belongs to this folder; not available to agents'),
    }),
    output: z.strictObject({
      dryRun: z.boolean(),
      objects: z
        .array(z.strictObject({ object: objectId, from: z.enum(['workspace', 'backups', 'bundle', 'repository']) }))
        .describe('objects that were found elsewhere and stored again'),
      rewritten: z.array(z.string()).describe('refs and records that were written again'),
      movedAside: z.array(z.strictObject({ file: jsonName, to: jsonName })),
      lost: z
        .array(
          z.strictObject({
            checkpoint: checkpointId.nullable(),
            paths: z.array(jsonName).describe('files, and folders of which nothing is known; at most 1000'),
            why: z.string(),
          }),
        )
        .describe('what is lost, or would be'),
      adopted: z
        .strictObject({ id: z.string(), folder: jsonName, why: z.string() })
        .nullable()
        .describe('the store without a usable record that this folder adopted, or would adopt'),
      problems: z.array(z.string()).describe('places that could not be searched'),
      otherStores: z
        .array(
          z.strictObject({
            id: z.string(),
            content: z.string().describe('what it has'),
            proof: z.string().nullable().describe("why it is this folder's; null: it may be that of any folder"),
          }),
        )
        .describe('stores without usable records that may be those of this folder, which keeps the one that it has'),
      checkpoints: z.int().min(0),
      sound: z.int().min(0).describe('checkpoints that can be restored completely, after the repair'),
    }),
  }),

  async handle(savepoint, { adopt, from, dryRun }, context) {
    const files = from?.map((file) => exactName(nameFromJson(file)));
    const done = await savepoint.repair(withoutUndefined({ from: files, dryRun, adopt, signal: context.signal }));
    return {
      dryRun: dryRun ?? false,
      objects: done.objects.map((one) => ({ ...one })),
      rewritten: [...done.rewritten],
      movedAside: done.movedAside.map(({ file, to }) => ({ file: nameToJson(file), to: nameToJson(to) })),
      lost: done.lost.map(({ checkpoint, paths, why }) => ({ checkpoint, paths: paths.map(nameToJson), why })),
      adopted: done.adopted && { ...done.adopted, folder: nameToJson(done.adopted.folder) },
      problems: [...done.problems],
      otherStores: done.otherStores.map((one) => ({ ...one })),
      checkpoints: done.checkpoints,
      sound: done.valid,
    };
  },

  status: ({ lost, otherStores }) => (lost.length > 0 || otherStores.some(({ proof }) => proof !== null) ? 1 : 0),
});
