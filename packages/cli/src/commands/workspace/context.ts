import { VERBS } from '@savepoint/core/frontend';
import { command, lines, wholeNumber } from '../../command.ts';

export const context = command({
  verb: VERBS.context,
  operands: [],
  takesPaths: false,
  options: [
    { flags: '--max <characters>', description: 'maximum length of the text (default 4000)' },
    { flags: '--structure', description: 'also list files and folders' },
    { flags: '--depth <levels>', description: 'levels of folders to list with --structure (default 2)' },
  ],
  examples: ['savepoint context', 'savepoint context --structure --depth 3 --max 8000'],

  input(given) {
    const max = wholeNumber(given, 'max', '--max');
    const depth = wholeNumber(given, 'depth', '--depth');
    return {
      ...(max === undefined ? {} : { max }),
      ...(given.options['structure'] === true ? { structure: true } : {}),
      ...(depth === undefined ? {} : { depth }),
    };
  },

  render: ({ text }) => lines(text),
});
