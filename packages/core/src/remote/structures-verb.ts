import { nameToJson } from '../model/names.ts';
import { verb, withoutUndefined } from '../verbs/verb.ts';

const DEFAULT_DEPTH = 2;
const MAX_DEPTH = 16;

/** For `ExecutionAdapter`: returns the folder structure that `context` shows, per root. */
const structures = verb({
  name: 'structures',
  summary: 'list the content of each root',
  description: 'Ignored files and dependencies are left out.',
  changes: 'nothing',
  schemas: ({ z, jsonName }) => ({
    input: z.strictObject({ depth: z.int().min(1).max(MAX_DEPTH).optional() }),
    output: z.strictObject({
      structures: z.array(
        z.strictObject({
          path: jsonName,
          lines: z.array(
            z.strictObject({
              depth: z.int().min(0).max(MAX_DEPTH),
              name: jsonName,
              kind: z.enum(['file', 'folder', 'root', 'unreadable', 'more']),
              count: z.int().min(0).nullable(),
            }),
          ),
        }),
      ),
    }),
  }),

  async handle(savepoint, { depth = DEFAULT_DEPTH }, { signal }) {
    const seen = await savepoint.context({ checkpoints: 0, depth }, withoutUndefined({ signal }));
    return {
      structures: [...seen.structures].map(([path, lines]) => ({
        path: nameToJson(path),
        lines: lines.map(({ depth: level, name, kind, count }) => ({
          depth: level,
          name: nameToJson(name),
          kind,
          count: count ?? null,
        })),
      })),
    };
  },
});

export const SURVEY_VERBS = { structures } as const;
