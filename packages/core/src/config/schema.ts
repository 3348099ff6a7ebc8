/** JSON schemas of the two files, for editors. Generated from the table of options, which the parser also uses. */

import { CHECK_KINDS, CHECK_NAME, MAX_TIMEOUT_MINUTES, OUTPUT_FORMATS } from './check-settings.ts';
import { OPTION_KEYS, type OptionSpec, specOf } from './options.ts';

export type ConfigJsonSchema = Readonly<Record<string, unknown>>;

const CHECKS: ConfigJsonSchema = {
  type: 'object',
  description:
    'Checks of the project by name, for `savepoint check`; false leaves out a check that was found. They run only after ' +
    '`savepoint trust`.',
  propertyNames: { pattern: CHECK_NAME },
  additionalProperties: {
    anyOf: [
      { const: false },
      {
        type: 'object',
        properties: {
          command: {
            type: 'array',
            items: { type: 'string' },
            minItems: 1,
            description: 'A program and its arguments. `{output}` is replaced with a file for the output.',
          },
          kind: { enum: CHECK_KINDS, default: 'tests' },
          format: { enum: OUTPUT_FORMATS, default: 'lines', description: 'The format of the output.' },
          folder: { type: 'string', description: 'Where it runs, relative to the workspace.' },
          timeout_minutes: { type: 'number', exclusiveMinimum: 0, maximum: MAX_TIMEOUT_MINUTES },
          on_request: { type: 'boolean', default: false, description: 'Run it only if its name or kind is given.' },
          reads: {
            type: 'array',
            items: { type: 'string', pattern: '^[^/]' },
            minItems: 1,
            description:
              'The only files and folders of the workspace that it reads. A plan whose folder changed elsewhere while its ' +
              'checks ran is not checked by it again.',
          },
        },
        required: ['command'],
        additionalProperties: false,
      },
    ],
  },
};

export function configSchema(of: 'user' | 'project'): ConfigJsonSchema {
  const properties: Record<string, ConfigJsonSchema> = { $schema: { type: 'string' } };
  const groups = new Map<string, Record<string, ConfigJsonSchema>>();
  for (const key of OPTION_KEYS) {
    const spec = specOf(key);
    if (of === 'project' && spec.project === 'nothing') continue;
    const [group, name] = key.split('.') as [string, string | undefined];
    if (name === undefined) properties[key] = optionSchema(spec);
    else {
      const inner = groups.get(group) ?? {};
      inner[name] = optionSchema(spec);
      groups.set(group, inner);
    }
  }
  for (const [group, inner] of groups) {
    const object = { type: 'object', properties: inner, additionalProperties: false };
    const list = {
      type: 'array',
      items: { enum: Object.keys(inner) },
      description: 'The triggers that are on; all others are off.',
    };
    properties[group] = group === 'triggers' ? { anyOf: [object, list] } : object;
  }
  if (of === 'project') properties['checks'] = CHECKS;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: of === 'user' ? 'Savepoint: config.json' : 'Savepoint: .savepoint.json (can only restrict settings)',
    type: 'object',
    properties,
    additionalProperties: false,
  };
}

function optionSchema({ kind, fallback, what }: OptionSpec): ConfigJsonSchema {
  const common = { description: what, default: fallback };
  switch (kind.type) {
    case 'switch':
      return { type: 'boolean', ...common };
    case 'whole':
      return { type: 'integer', minimum: kind.least, maximum: kind.most, ...common };
    case 'text':
      return { type: 'string', pattern: kind.pattern, ...common };
    case 'choice':
      return { enum: kind.of, ...common };
    case 'patterns': {
      const paths = { commands: '^.', paths: '^[^!#]', folders: '^[^/]' };
      const item = { type: 'string', pattern: paths[kind.of] };
      return { type: 'array', items: item, ...common };
    }
  }
}
