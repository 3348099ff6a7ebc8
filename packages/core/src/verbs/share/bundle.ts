import { diskPathFromJson, exactName, nameFromJson, nameToJson } from '../../model/names.ts';
import { briefToJson } from '../shapes/to-json.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const bundleCreate = verb({
  name: 'bundle create',
  summary: 'write checkpoints to a git bundle',
  description:
    'Writes the checkpoints of this workspace, or of one session, to a git bundle. `git clone` and `git fetch` can ' +
    'read it, and `bundle restore` turns it into a workspace on any machine. The same checkpoints always give the ' +
    'same commits. Private files (`.env*`, keys, ignored files), conversations and tool arguments are left out ' +
    'unless you ask for them. An existing file is not overwritten unless you ask for it.',
  changes: 'nothing',
  schemas: ({ z, jsonName, checkpointId, checkpointName, objectId }) => ({
    input: z.strictObject({
      file: jsonName.describe('absolute'),
      session: z.string().optional().describe('its id, or a unique prefix'),
      since: checkpointName.optional().describe('only checkpoints after this one; the recipient must already have it'),
      private: z.boolean().optional().describe('include private files'),
      messages: z.boolean().optional().describe('include conversations and the arguments of tool calls'),
      overwrite: z.boolean().optional().describe('replace the file if it exists'),
    }),
    output: z.strictObject({
      file: jsonName,
      bytes: z.int().min(0),
      checkpoints: z.array(checkpointId).describe('oldest first'),
      commit: objectId.describe('of the newest checkpoint, in the bundle'),
      objects: z.int().min(0),
      leftOut: z.int().min(0).describe('private paths of the newest checkpoint that were left out'),
    }),
  }),

  async handle(savepoint, { file, ...asked }, context) {
    const path = diskPathFromJson(file);
    const options = withoutUndefined({ ...asked, signal: context.signal });
    const { bytes, checkpoints, tip, objects, leftOut } = await savepoint.createBundle(exactName(path), options);
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
  summary: 'export new checkpoints to the configured folder or bucket',
  description:
    'Writes all checkpoints that are not exported yet to the folder or bucket in `export.to`, as one more bundle, ' +
    'and updates the list of bundles next to it (`head.json`). New checkpoints are exported automatically; use this ' +
    'command to test the configuration or to see why an export fails. Concurrent exports cannot overwrite each ' +
    'other.',
  changes: 'nothing',
  schemas: ({ z, checkpointId }) => ({
    input: z.strictObject({
      patient: z.boolean().optional().describe('retry for 15 minutes; a failure is only recorded'),
    }),
    output: z.strictObject({
      to: z.string().nullable().describe('null: `export.to` is not configured'),
      upTo: checkpointId.nullable().describe('the newest exported checkpoint'),
      added: z
        .strictObject({ key: z.string(), from: checkpointId, to: checkpointId, bytes: z.int().min(0) })
        .nullable()
        .describe('null: the export was already up to date'),
    }),
  }),

  async handle(savepoint, { patient }, context) {
    const options = withoutUndefined({ signal: context.signal });
    if (patient === true) {
      const failure = await savepoint.exportWithRetry({ ...options, long: true });
      if (failure !== null) throw failure;
    }
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
  summary: 'create a workspace from a bundle, with all its checkpoints',
  description:
    'Restores the newest checkpoint of the bundle to the folder, and adds all its checkpoints to the timeline of ' +
    'the folder. The folder must be empty or missing, or must hold an earlier bundle of the same timeline; in that ' +
    'case only new checkpoints are added. The bundle is validated first: one that is damaged, malicious or too ' +
    'large changes nothing. Repositories are restored without their .git folder.',
  changes: 'files',
  schemas: ({ z, jsonName, checkpointBrief, checkpointId }) => ({
    input: z.strictObject({ file: jsonName.describe('absolute'), folder: jsonName.describe('absolute') }),
    output: z.strictObject({
      workspace: z.strictObject({ id: z.string(), path: jsonName, store: jsonName }),
      isNew: z.boolean().describe('the folder had no checkpoints before'),
      added: z.array(checkpointId).describe('checkpoints that were added, oldest first'),
      restored: checkpointBrief
        .nullable()
        .describe(
          'the checkpoint the folder is equal to now; null if nothing newer was added and the files were not changed',
        ),
      paths: z.int().min(0).describe('number of files, links and folders that were written or deleted'),
      roots: z.array(jsonName).describe('repositories of the checkpoint; a bundle does not hold their .git'),
    }),
  }),

  async handle(savepoint, { file, folder }, context) {
    const done = await savepoint.restoreBundle(
      exactName(nameFromJson(file)),
      exactName(nameFromJson(folder).replace(/(?<=.)\/+$/, '')),
      withoutUndefined({ signal: context.signal }),
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
