import { nameToJson } from '../../model/names.ts';
import { timeToJson } from '../shapes/to-json.ts';
import { verb } from '../verb.ts';

export const workspaces = verb({
  name: 'workspaces',
  summary: 'list the folders that have checkpoints',
  description: "Lists all stores in Savepoint's home, including those whose folder no longer exists.",
  changes: 'nothing',
  schemas: ({ z, jsonName, problem }) => ({
    input: z.strictObject({}),
    output: z.strictObject({
      workspaces: z.array(
        z.strictObject({
          id: z.string(),
          path: jsonName,
          store: jsonName,
          created: z.iso.datetime(),
          present: z.boolean().describe('the folder exists'),
          bytes: z.int().min(0).nullable().describe('size of the store; null if it cannot be measured'),
        }),
      ),
      problems: z.array(problem).describe('stores that cannot be read'),
    }),
  }),

  async handle(savepoint) {
    const { records, problems } = await savepoint.workspaces();
    return {
      workspaces: records.map(({ id, path, storePath, created, present, bytes }) => ({
        id,
        path: nameToJson(path),
        store: nameToJson(storePath),
        created: timeToJson(created),
        present,
        bytes,
      })),
      problems: problems.map((problem) => problem.toJSON()),
    };
  },
});
