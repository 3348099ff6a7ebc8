import { diskPathFromJson, nameToJson } from '../../model/names.ts';
import { sessionOf } from '../given/session.ts';
import { given, verb } from '../verb.ts';

export const exportSession = verb({
  name: 'export',
  summary: "write a session's changes into files, for other tools",
  description:
    'Makes a new folder with `snapshots/` (a JSON file for each change: who, when, and the content before and after, ' +
    'with hash and size; base64 where it is no text) and `index.json`. It is never written over anything, and only ' +
    'you may look into it: contents may be secret.',
  changes: 'nothing',
  schemas: ({ z, jsonName, changeId, checkpointId, problem }) => ({
    input: z.strictObject({
      session: z.string().describe('its id, or enough of its beginning'),
      folder: jsonName.describe('absolute; it must not be there, and the one above it must'),
    }),
    output: z.strictObject({
      session: z.string(),
      folder: jsonName,
      changes: z.int().min(0),
      incomplete: z.array(changeId).describe('a content of these is not in the store any more'),
      damaged: z.array(z.strictObject({ id: checkpointId, problem })).describe('changes of theirs may be missing'),
    }),
  }),

  async handle(savepoint, input, context) {
    const session = (await sessionOf(savepoint, input.session)) ?? input.session;
    const folder = diskPathFromJson(input.folder);
    const told = await savepoint.exportSession(session, folder, given({ signal: context.signal }));
    return {
      session: told.session,
      folder: nameToJson(folder),
      changes: told.changes,
      incomplete: [...told.incomplete],
      damaged: told.damaged.map(({ id, error }) => ({ id, problem: error.toJSON() })),
    };
  },
});
