import { type DiskPath, diskPathFromJson, nameFromJson, nameToJson } from '../../model/names.ts';
import { sessionOf } from '../given/session.ts';
import { briefToJson } from '../shapes/to-json.ts';
import { given, verb } from '../verb.ts';

export const bundleCreate = verb({
  name: 'bundle create',
  summary: 'write checkpoints into a file that git and another machine can read',
  description:
    'Writes the checkpoints of this workspace, or of one session, into a git bundle: `git clone` and `git fetch` read it, and ' +
    '`bundle restore` makes a folder of it anywhere. The same checkpoints give the same commits, whenever and wherever it is ' +
    'made. Private files (`.env*`, keys, what an ignore rule covers) and what people, agents and calls said stay here unless ' +
    'you ask for them. A file that is there is left alone unless you say otherwise.',
  changes: 'nothing',
  schemas: ({ z, jsonName, checkpointId, checkpointName, objectId }) => ({
    input: z.strictObject({
      file: jsonName.describe('absolute'),
      session: z.string().optional().describe('its id, or enough of its beginning'),
      since: checkpointName.optional().describe('only what came after it; who restores the bundle has that one'),
      private: z.boolean().optional().describe('also private files'),
      messages: z.boolean().optional().describe('also what people and agents said, and what tools were called with'),
      overwrite: z.boolean().optional().describe('replace the file if it is there'),
    }),
    output: z.strictObject({
      file: jsonName,
      bytes: z.int().min(0),
      checkpoints: z.array(checkpointId).describe('oldest first'),
      commit: objectId.describe('of the newest, in the bundle'),
      objects: z.int().min(0),
      leftOut: z.int().min(0).describe('private paths of the newest that are not in it'),
    }),
  }),

  async handle(savepoint, { file, session, ...asked }, context) {
    const path = diskPathFromJson(file);
    const whose = session === undefined ? undefined : ((await sessionOf(savepoint, session)) ?? session);
    const options = given({ ...asked, session: whose, signal: context.signal });
    const { bytes, checkpoints, tip, objects, leftOut } = await savepoint.createBundle(path, options);
    return {
      file: nameToJson(path),
      bytes,
      checkpoints: checkpoints.map(({ id }) => id),
      commit: tip,
      objects,
      leftOut,
    };
  },
});

export const bundleExport = verb({
  name: 'bundle export',
  summary: 'bring the place that the configuration names for bundles up to date',
  description:
    'What is not there yet goes to the folder or bucket that `export.to` names, as one more bundle, with a list of all of them ' +
    'beside it (`head.json`). New checkpoints do so by themselves; this is for trying it, and for seeing why it fails. Two who export ' +
    'at the same time cannot overwrite each other.',
  changes: 'nothing',
  schemas: ({ z, checkpointId }) => ({
    input: z.strictObject({
      patient: z.boolean().optional().describe('try again for a quarter of an hour; a failure is only put on record'),
    }),
    output: z.strictObject({
      to: z.string().nullable().describe('null: the configuration names no place'),
      upTo: checkpointId.nullable().describe('the newest checkpoint that is there now'),
      added: z
        .strictObject({ key: z.string(), from: checkpointId, to: checkpointId, bytes: z.int().min(0) })
        .nullable()
        .describe('null: nothing was missing'),
    }),
  }),

  async handle(savepoint, { patient }, context) {
    const options = given({ signal: context.signal });
    if (patient === true) await savepoint.exportPatiently({ ...options, long: true });
    const done = patient === true ? null : await savepoint.exportBundles(options);
    if (done === null) return { to: null, upTo: null, added: null };
    const { place, upTo, added } = done;
    return {
      to: place,
      upTo,
      added: added && { key: added.key, from: added.from, to: added.to, bytes: added.bytes },
    };
  },
});

export const bundleRestore = verb({
  name: 'bundle restore',
  summary: 'make a folder of a bundle, with all its checkpoints',
  description:
    'The folder becomes what the newest checkpoint in the bundle says, and every checkpoint of it can be listed, shown and ' +
    'restored there. It must be empty or missing; or a bundle of the same timeline was restored to it before, and then it goes ' +
    'on with what is new. Everything in the bundle is looked through first: one that is damaged, hostile or too large changes ' +
    'nothing. Repositories come without their .git.',
  changes: 'files',
  schemas: ({ z, jsonName, checkpointBrief, checkpointId }) => ({
    input: z.strictObject({ file: jsonName.describe('absolute'), folder: jsonName.describe('absolute') }),
    output: z.strictObject({
      workspace: z.strictObject({ id: z.string(), path: jsonName, store: jsonName }),
      isNew: z.boolean().describe('the folder had no checkpoints before'),
      added: z.array(checkpointId).describe('checkpoints that came, oldest first'),
      restored: checkpointBrief
        .nullable()
        .describe('what the folder is equal to now; null where nothing newer came, and its files were left alone'),
      paths: z.int().min(0).describe('files, links and folders that were written or removed'),
      roots: z.array(jsonName).describe('repositories of the checkpoint; their .git is not in a bundle'),
    }),
  }),

  async handle(savepoint, { file, folder }, context) {
    const done = await savepoint.restoreBundle(
      diskPathFromJson(file),
      nameFromJson(folder).replace(/(?<=.)\/+$/, '') as DiskPath,
      given({ signal: context.signal }),
    );
    const { workspace, isNew, added, restored, paths } = done;
    return {
      workspace: { id: workspace.id, path: nameToJson(workspace.root), store: nameToJson(workspace.store) },
      isNew,
      added: added.map(({ id }) => id),
      restored: restored === null ? null : briefToJson(restored),
      paths: paths.length,
      roots: (restored?.roots ?? []).filter(({ kind }) => kind === 'repository').map(({ path }) => nameToJson(path)),
    };
  },
});
