import type { BundlePreview } from '../../engine/calls/bundle-files.ts';
import { locatePath } from '../../io/locate-path.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { diskPathFromJson, exactName, nameFromJson, nameToJson } from '../../model/names.ts';
import { briefToJson, operationToJson } from '../shapes/to-json.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const bundleCreate = verb({
  name: 'bundle create',
  summary: 'write checkpoints to a git bundle',
  description:
    'Writes the checkpoints of this workspace, or of one session, to a git bundle. `git clone` and `git fetch` can ' +
    'read it, and `bundle restore` turns it into a workspace on any machine. The same checkpoints always give the ' +
    'same commits. Private files (`.env*`, keys, ignored files), conversations, tool arguments and descriptions are left ' +
    'out unless you ask for them. An existing file is not overwritten unless you ask for it.',
  changes: 'nothing',
  schemas: ({ z, jsonName, checkpointId, checkpointName, objectId }) => ({
    input: z.strictObject({
      file: jsonName.describe('absolute'),
      session: z.string().optional().describe('its id, or a unique prefix'),
      since: checkpointName.optional().describe('only checkpoints after this one; the recipient must already have it'),
      private: z.boolean().optional().describe('include private files'),
      messages: z.boolean().optional().describe('include conversations, descriptions and the arguments of tool calls'),
      descriptions: z
        .boolean()
        .optional()
        .describe('include descriptions; git needs it to add the bundle to one of an early version'),
      overwrite: z.boolean().optional().describe('replace the file if it exists'),
    }),
    output: z.strictObject({
      file: jsonName,
      bytes: z.int().min(0),
      checkpoints: z.array(checkpointId).describe('oldest first'),
      commit: objectId.describe('of the newest checkpoint, in the bundle'),
      objects: z.int().min(0),
      leftOut: z.int().min(0).describe('private paths of the newest checkpoint that were left out'),
      insideWorkspace: z.boolean().describe('the file is in the workspace, so later checkpoints may contain it'),
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
      insideWorkspace: locatePath(await savepoint.place(), nameToJson(path)).kind === 'inside',
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
    'large changes nothing. Repositories are restored without their .git folder.\n\nThe folder may also contain a ' +
    'clone of each repository of the bundle, at the same paths. Their files are then overwritten, after a preview ' +
    'and a confirmation. The current state is captured first, so `undo` can revert it. A repository is recognized ' +
    'by the commits that the bundle records, never by its name alone. Their .git does not change, unless you ask ' +
    'for branch, HEAD and index as well (`git`).',
  changes: 'files',
  schemas: ({ z, jsonName, checkpointBrief, checkpointId, restoredOverClones }) => ({
    input: z.strictObject({
      file: jsonName.describe('absolute'),
      folder: jsonName.describe('absolute'),
      overwrite: z
        .boolean()
        .optional()
        .describe('if the folder has clones of the repositories, overwrite their files; they are captured first'),
      git: z.boolean().optional().describe('also restore branch, HEAD and index of each clone'),
      allowPartial: z
        .boolean()
        .optional()
        .describe('over clones: proceed even if a root was not captured; it is left untouched and listed'),
      dryRun: z.boolean().optional().describe('only preview what would happen, over clones as with `overwrite`'),
      expected: z.string().optional().describe('the fingerprint of the preview of `operation` that the user accepted'),
    }),
    output: z.strictObject({
      dryRun: z.boolean(),
      workspace: z.strictObject({
        id: z.string().nullable().describe('null for a dry run'),
        path: jsonName,
        store: jsonName.nullable().describe('null for a dry run'),
      }),
      isNew: z.boolean().describe('the folder had no checkpoints before'),
      added: z.array(checkpointId).describe('checkpoints that were added, oldest first'),
      restored: checkpointBrief
        .nullable()
        .describe(
          'the checkpoint the folder is equal to now; null if nothing newer was added and the files were not changed',
        ),
      paths: z.int().min(0).describe('number of files, links and folders that were written or deleted'),
      roots: z.array(jsonName).describe('repositories of the checkpoint; a bundle does not hold their .git'),
      operation: restoredOverClones
        .nullable()
        .describe('the restore over clones of the repositories; null if the folder had none'),
    }),
  }),

  status: ({ dryRun, operation }) => (dryRun && operation?.outcome === 'conflict' ? 3 : 0),

  async handle(savepoint, { file, folder, dryRun = false, ...asked }, { signal }) {
    const path = exactName(nameFromJson(file));
    const to = exactName(nameFromJson(folder).replace(/(?<=.)\/+$/, ''));
    const options = withoutUndefined({ ...asked, signal });
    if (dryRun) {
      const { root, target, ...rest } = await savepoint.previewRestoreBundle(path, to, options);
      return { dryRun, workspace: { id: null, path: nameToJson(root), store: null }, ...resultToJson(rest, target) };
    }
    const { workspace, restored, ...rest } = await savepoint.restoreBundle(path, to, options);
    const { id, root, store } = workspace;
    const shown = { id, path: nameToJson(root), store: nameToJson(store) };
    return { dryRun, workspace: shown, ...resultToJson(rest, restored) };
  },
});

function resultToJson(
  { isNew, added, paths, operation }: Omit<BundlePreview, 'root' | 'target'>,
  restored: Checkpoint | null,
) {
  const roots = restored?.roots ?? [];
  return {
    isNew,
    added: added.map(({ id }) => id),
    restored: restored === null ? null : briefToJson(restored),
    paths: paths.length,
    roots: roots.filter(({ kind }) => kind === 'repository').map(({ path }) => nameToJson(path)),
    operation: operation === null ? null : operationToJson(operation, roots),
  };
}
