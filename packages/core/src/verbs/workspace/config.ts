import { OPTION_KEYS, specOf } from '../../config/options.ts';
import { nameToJson } from '../../model/names.ts';
import { verb } from '../verb.ts';

export const config = verb({
  name: 'config',
  summary: 'show the settings in force and where each comes from',
  description:
    'Every option with its value and who said it: nobody (the default), your own file, the file of the project, or the ' +
    'environment. What a file says and does not count is told with the reason, and so is what is wrong with a file; ' +
    'then nothing of that file is in force, and verbs that need it refuse to work.',
  changes: 'nothing',
  schemas: ({ z, jsonName }) => {
    const value = z.union([z.boolean(), z.int(), z.string(), z.array(z.string())]);
    const from = z.enum(['default', 'user', 'project', 'environment']);
    return {
      input: z.strictObject({}),
      output: z.strictObject({
        enabled: z.boolean().describe('whether anything is captured by itself'),
        options: z.array(
          z.strictObject({
            key: z.string(),
            value,
            from,
            file: jsonName.nullable().describe('that says so; null for a default and the environment'),
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
              .describe('`bad`: nothing of it is in force; `unused`: your own file says that it does not count'),
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
          .describe('said, and not in force'),
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

  isFailure: ({ problems }) => problems.length > 0,
});
