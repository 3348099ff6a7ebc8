import { type JsonName, nameFromJson, showName, showText } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';

const FROM = {
  default: '',
  user: 'your file',
  project: "the project's file",
  environment: 'SAVEPOINT in the environment',
};
const STATE = { absent: 'not found', read: 'loaded', bad: 'invalid', unused: 'not used: project_file is false' };

export const config = command({
  verb: VERBS.config,
  operands: [],
  takesPaths: false,
  options: [],
  examples: ['savepoint config', 'savepoint config --json'],

  input: () => ({}),

  render({ enabled, options, files, ignored, problems }, { style }) {
    const columns = Math.max(...options.map(({ key }) => key.length));
    const shown = options.map(({ key, value }) => ({ key, text: showText(JSON.stringify(value)) }));
    const width = Math.min(24, Math.max(...shown.map(({ text }) => text.length)));
    return lines(
      files.map(
        ({ of, path, state }) =>
          `${of === 'user' ? 'Your file' : "The project's file"}: ${name(path)} (${STATE[state]})`,
      ),
      '',
      options.map(({ key, from, default: fallback }, index) => {
        const text = shown[index]?.text ?? '';
        const source =
          from === 'default' ? style.faint('default') : `${FROM[from]}; default ${showText(JSON.stringify(fallback))}`;
        return `${key.padEnd(columns)}  ${text.padEnd(width)}  ${source}`;
      }),
      enabled ? [] : ['', 'Automatic checkpoints are off; commands still work.'],
      ignored.length === 0 ? [] : ['', 'Ignored settings:'],
      ignored.map(
        ({ file, key, value, why }) =>
          `  ${file === null ? 'the environment' : name(file)}: ${showText(key)} = ${showText(JSON.stringify(value))}: ${why}`,
      ),
      problems.length === 0 ? [] : ['', style.bad('Fix these errors first:')],
      problems.map(({ file, key, message }) => `  ${name(file)}: ${showText(`${key ?? 'it'} ${message}`)}`),
    );
  },
});

function name(path: JsonName): string {
  return showName(nameFromJson(path));
}
