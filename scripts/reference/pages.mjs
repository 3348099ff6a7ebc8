// @ts-check
import { notation } from './notation.mjs';

/** The pages of docs/reference/, from the table of verbs, the table of commands and the list of error codes. */

const MADE = '<!-- Made by scripts/gen-reference.mjs; `npm run reference` makes it anew. -->';

/**
 * The fields of an error's data as text, from the words that its type is read from too.
 * @param {any} said
 * @returns {string}
 */
function fields(said) {
  if (typeof said === 'string') return said;
  if (Array.isArray(said)) return fields(said[0]) + (said[1] === 'null' ? ' | null' : '[]');
  const told = Object.entries(said).map(([name, type]) => `${name}: ${fields(type)}`);
  return told.length === 0 ? '{}' : `{ ${told.join(', ')} }`;
}

/** @param {string} text a bar would end the cell */
const cell = (text) => text.replaceAll('|', '\\|');

/** @param {string} name @param {readonly string[]} parts */
const page = (name, ...parts) => `${MADE}\n# ${name}\n\n${parts.join('\n\n').trim()}\n`;

/** @param {readonly string[]} lines */
const code = (...lines) => `\`\`\`text\n${lines.join('\n')}\n\`\`\``;

/**
 * @param {{ readonly commands: readonly any[], readonly intro: string }} source
 */
export function commandLinePage({ commands, intro }) {
  return page('The command line', intro, ...commands.map(commandSection));
}

/** @param {string} text */
const capitalised = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** @param {any} command */
function commandSection({ name, summary, description, usage, verb, operands, takesPaths, options, examples }) {
  const words = ['savepoint', name, ...operands.map((/** @type {any} */ one) => one[0])];
  if (options.length > 0) words.splice(2, 0, '[options]');
  if (takesPaths) words.push('[-- paths...]');
  const told = operands.filter((/** @type {any} */ one) => one[1] !== '');
  const rows = [
    ...told,
    ...(takesPaths ? [['paths', 'only these and what is below them, relative to the current folder']] : []),
    ...options.map((/** @type {any} */ one) => [
      one.flags,
      one.choices === undefined ? one.description : `${one.description}: ${one.choices.join(' or ')}`,
    ]),
  ].map(([syntax, told]) => `| \`${cell(syntax)}\` | ${cell(told)} |`);
  return [
    `## ${name}`,
    verb?.description ?? description ?? capitalised(summary),
    code(usage === undefined ? words.join(' ') : `savepoint ${name} ${usage}`),
    ...(rows.length === 0 ? [] : [['| | |', '| --- | --- |', ...rows].join('\n')]),
    code(...examples),
  ].join('\n\n');
}

/**
 * @param {readonly { readonly key: string, readonly verb: any, readonly input: any, readonly output: any }[]} verbs
 *   `input` and `output` as JSON Schema
 */
export function verbsPage(verbs) {
  const shapes = new Map(
    verbs.flatMap(({ input, output }) => [input, output].flatMap((schema) => Object.entries(schema['$defs'] ?? {}))),
  );
  return page(
    'Verbs',
    'All that Savepoint can be asked to do. Every face (the command line with `--json`, later ones too) takes and gives ' +
      'these shapes. A field with `?` may be left out; no other fields come. A failure is a `Problem` instead: see [errors](errors.md).',
    ...verbs.map(({ verb, input, output }) =>
      [
        `## ${verb.name}`,
        verb.description,
        `Changes ${CHANGES[/** @type {keyof typeof CHANGES} */ (verb.changes)]}.`,
        code(`input: ${notation(input)}`, `output: ${notation(output)}`),
      ].join('\n\n'),
    ),
    '## Shapes',
    ...[...shapes]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, shape]) => `### ${name}\n\n${shape.description}\n\n${code(`${name} = ${notation(shape)}`)}`),
  );
}

const CHANGES = {
  nothing: 'nothing',
  store: 'the store, and no file of the workspace',
  files: 'files of the workspace, all or nothing',
};

const EXITS = { 1: 'refused or failed, nothing changed', 2: 'wrong usage', 3: 'conflict', 4: 'pending' };

/** @param {Readonly<Record<string, any>>} codes */
export function errorsPage(codes) {
  const sections = Object.entries(codes).map(([name, { exit, when, data, details, note, hint }]) =>
    [
      `## ${name}`,
      when,
      [
        '| | |',
        '| --- | --- |',
        `| exit status | ${exit}: ${EXITS[/** @type {keyof typeof EXITS} */ (exit)]} |`,
        `| data | ${cell([`\`${fields(data)}\``, ...besides(details, note)].join('; '))} |`,
        `| hint | ${cell(hint)} |`,
      ].join('\n'),
    ].join('\n\n'),
  );
  return page(
    'Errors',
    'The closed list of what can go wrong. A code never changes its meaning; `message` says what happened and where, `hint` ' +
      'what to do (the hint below, unless the error carries a better one). With `--json` a failing command prints nothing on ' +
      'standard output, and on standard error one line of JSON:',
    code('{ "error": { "code": "…", "message": "…", "data": { … }, "hint": "…" } }'),
    ...sections,
  );
}

const PROJECT = {
  nothing: 'nothing',
  'turn-off': 'turn it off',
  lower: 'lower it',
  'leave-out': 'take patterns out',
  add: 'add to it',
};

/** @param {any} details @param {string | undefined} note */
function besides(details, note) {
  return [
    ...(details === undefined ? [] : [`beside it \`details\`: \`${fields(details)}[]\``]),
    ...(note === undefined ? [] : [note]),
  ];
}

/** @param {readonly any[]} options */
export function configurationPage(options) {
  return page(
    'Options',
    'Every option of the two files of settings: [how they go together](../configuration.md). The same as JSON schema: ' +
      '[config.json](config.schema.json), [.savepoint.json](savepoint.schema.json).',
    ...options.map(({ key, kind, fallback, project, what, why }) =>
      [
        `## ${key}`,
        what,
        [
          '| | |',
          '| --- | --- |',
          `| values | ${cell(valuesOf(kind))} |`,
          `| default | \`${JSON.stringify(fallback)}\`: ${cell(why)} |`,
          `| a project may | ${PROJECT[/** @type {keyof typeof PROJECT} */ (project)]} |`,
        ].join('\n'),
      ].join('\n\n'),
    ),
  );
}

/** @param {any} kind */
function valuesOf(kind) {
  if (kind.type === 'switch') return '`true`, `false`';
  if (kind.type === 'whole') return `${kind.least} to ${kind.most}, ${kind.unit}`;
  if (kind.type === 'choice') return kind.of.map((/** @type {string} */ one) => `\`"${one}"\``).join(', ');
  if (kind.type === 'text') return kind.form;
  return kind.of === 'commands'
    ? 'a list of patterns of commands'
    : 'a list of patterns as in `.gitignore`, without `!`';
}
