import { diskPathFromJson, exactName, nameToJson } from '../../model/names.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const exportSession = verb({
  name: 'export',
  summary: "export a session's changes as JSON files",
  description:
    'Creates a folder with an `index.json` and a folder `snapshots/`, which holds one JSON file for each change: ' +
    'author, time, and the content before and after with hash and size (base64 if it is not text). An existing ' +
    'folder is never overwritten. Only you can read the new folder, because contents may be secret.',
  changes: 'nothing',
  schemas: ({ z, jsonName, changeId, checkpointId, problem }) => ({
    input: z.strictObject({
      session: z.string().describe('its id, or a unique prefix'),
      folder: jsonName.describe('absolute; it must not exist, and its parent folder must'),
    }),
    output: z.strictObject({
      session: z.string(),
      folder: jsonName,
      changes: z.int().min(0),
      incomplete: z.array(changeId).describe('changes with content that is no longer in the store'),
      damaged: z.array(z.strictObject({ id: checkpointId, problem })).describe('their changes may be missing'),
    }),
  }),

  async handle(savepoint, input, context) {
    const folder = diskPathFromJson(input.folder);
    const exported = await savepoint.exportSession(
      input.session,
      exactName(folder),
      withoutUndefined({ signal: context.signal }),
    );
    return {
      session: exported.session,
      folder: nameToJson(folder),
      changes: exported.changes,
      incomplete: [...exported.incomplete],
      damaged: exported.damaged.map(({ id, error }) => ({ id, problem: error.toJSON() })),
    };
  },
});
