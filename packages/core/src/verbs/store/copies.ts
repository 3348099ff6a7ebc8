import { nameToJson } from '../../model/names.ts';
import { timeToJson } from '../shapes/to-json.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const copies = verb({
  name: 'copies',
  summary: 'list copies of workspaces, and remove those that died',
  description:
    'Lists the copies in which commands run, with their sizes. With `clean`, first removes the copies whose process ' +
    'died, and what interrupted creations and removals left. Forks, copies in use, and copies that may hold work (of ' +
    '`try`, isolated runs and `guard`) stay. With `all`, those with work are removed as well: of this workspace, or ' +
    'with `everywhere` of all. This cannot be undone.',
  changes: 'store',
  schemas: ({ z, jsonName, checkpointId, problem }) => ({
    input: z.strictObject({
      clean: z.boolean().optional().describe('remove stale copies and leftovers'),
      all: z.boolean().optional().describe('with clean: also copies of this workspace that may hold work'),
      everywhere: z.boolean().optional().describe('with all: those of all workspaces'),
    }),
    output: z.strictObject({
      copies: z.array(
        z.strictObject({
          id: z.string(),
          purpose: z.enum(['try', 'isolated', 'check', 'fork', 'bisect', 'replay', 'guard', 'plan']),
          rung: z
            .enum(['overlay', 'reflink', 'copy'])
            .describe(
              'an overlay mount, a folder that shares blocks with the originals, or a folder with copied files',
            ),
          name: z.string().nullable().describe('of a fork'),
          root: jsonName.describe('the folder of the workspace'),
          place: jsonName.describe('the folder of the copy'),
          base: checkpointId.describe('its changes are relative to this checkpoint'),
          created: z.iso.datetime(),
          mayHoldWork: z.boolean().describe('what it has may exist nowhere else'),
          isHere: z.boolean().describe('it is of this workspace'),
          hasCommits: z
            .boolean()
            .nullable()
            .describe(
              'commits would be lost with it; null: not known, because it is an overlay or of another workspace',
            ),
          state: z
            .enum(['in-use', 'idle', 'stale'])
            .describe('idle: a fork without a process; stale: its process died'),
          pid: z.int().nullable().describe('the process that uses it'),
          bytes: z
            .int()
            .min(0)
            .nullable()
            .describe('what it takes on disk, without what it shares; null if it cannot be measured'),
        }),
      ),
      sharedBytes: z.int().min(0).describe('copied once, for several copies together'),
      leftovers: z.array(jsonName).describe('what interrupted creations and removals left'),
      problems: z.array(problem).describe('copies whose record cannot be read'),
      removed: z.array(z.string()).describe('ids of the copies that were removed'),
      spared: z.array(z.string()).describe('ids of the stale copies that stay because they may hold work'),
      kept: z.array(jsonName).describe('what could not be removed'),
    }),
  }),

  status: ({ kept }) => (kept.length > 0 ? 5 : 0),

  async handle(savepoint, { clean, all, everywhere }) {
    const cleaned =
      clean === true ? await savepoint.cleanCopies(withoutUndefined({ all, everywhere })) : NOTHING_CLEANED;
    const found = await savepoint.copies();
    return {
      copies: found.copies.map(
        ({
          id,
          purpose,
          rung,
          name,
          root,
          place,
          base,
          created,
          state,
          owner,
          size,
          mayHoldWork,
          isHere,
          hasCommits,
        }) => ({
          ...{ id, purpose, rung, name, base, state },
          mayHoldWork,
          isHere,
          hasCommits,
          root: nameToJson(root),
          place: nameToJson(place),
          created: timeToJson(created),
          pid: state === 'in-use' ? (owner?.pid ?? null) : null,
          bytes: size,
        }),
      ),
      sharedBytes: found.sharedBytes,
      leftovers: found.leftovers.map(nameToJson),
      problems: found.problems.map((problem) => problem.toJSON()),
      removed: [...cleaned.removed],
      spared: [...cleaned.spared],
      kept: cleaned.kept.map(nameToJson),
    };
  },
});

const NOTHING_CLEANED = { removed: [], spared: [], kept: [] } as const;
