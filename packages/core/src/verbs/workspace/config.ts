import { OPTION_KEYS, specOf } from '../../config/options.ts';
import { nameToJson } from '../../model/names.ts';
import { verb } from '../verb.ts';

export const config = verb({
  name: 'config',
  summary: 'show the settings and where each comes from',
  description:
    'Shows every option with its value and its origin: the default, your own file, the file of the project, or the ' +
    'environment. Settings that are ignored are listed with the reason. If a file has an error, none of its settings ' +
    'apply, and commands that need them fail.',
  changes: 'nothing',
  schemas: ({ z, jsonName }) => {
    const value = z.union([z.boolean(), z.int(), z.string(), z.array(z.string())]);
    const from = z.enum(['default', 'user', 'project', 'environment']);
    return {
      input: z.strictObject({}),
      output: z.strictObject({
        enabled: z.boolean().describe('whether checkpoints are taken automatically'),
        options: z.array(
          z.strictObject({
            key: z.string(),
            value,
            from,
            file: jsonName.nullable().describe('the file that sets it; null for a default and for the environment'),
            default: value,
            what: z.string(),
          }),
        ),
        files: z.array(
          z.strictObject({
            of: z.enum(['user', 'project']),
            path: jsonName,
            state: z
              .enum(['absent', 'read', 'bad', 'unused'])
              .describe('`bad`: none of its settings apply; `unused`: your own file turns it off'),
          }),
        ),
        ignored: z
          .array(
            z.strictObject({
              file: jsonName.nullable().describe('null for the environment'),
              key: z.string(),
              value,
              why: z.string(),
            }),
          )
          .describe('settings that are ignored'),
        problems: z.array(z.strictObject({ file: jsonName, key: z.string().nullable(), message: z.string() })),
      }),
    };
  },

  async handle(savepoint) {
    const { settings } = await savepoint.config();
    const { values, origins, files, ignored } = settings;
    const plain = (value: boolean | number | string | readonly string[]): boolean | number | string | string[] =>
      typeof value === 'object' ? [...value] : value;
    return {
      enabled: values.enabled,
      options: OPTION_KEYS.map((key) => {
        const file = files.find(({ of }) => of === origins[key]);
        const { fallback, what } = specOf(key);
        return {
          key,
          value: plain(values[key]),
          from: origins[key],
          file: file === undefined ? null : nameToJson(file.path),
          default: typeof fallback === 'object' ? [...fallback] : fallback,
          what,
        };
      }),
      files: files.map(({ of, path, state }) => ({ of, path: nameToJson(path), state })),
      ignored: ignored.map(({ file, key, value, why }) => ({
        file: file === null ? null : nameToJson(file),
        key,
        value: plain(value),
        why,
      })),
      problems: files.flatMap(({ path, problems }) =>
        problems.map(({ key, message }) => ({ file: nameToJson(path), key, message })),
      ),
    };
  },

  status: ({ problems }) => (problems.length > 0 ? 1 : 0),
});
