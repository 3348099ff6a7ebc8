import { VERBS } from '@savepoint/core/faces';
import { command, lines, wholeNumber } from '../../command.ts';

export const context = command({
  verb: VERBS.context,
  operands: [],
  takesPaths: false,
  options: [
    { flags: '--max <characters>', description: 'how long the text may be; 4000 without it' },
    { flags: '--structure', description: 'also which folders and files there are' },
    { flags: '--depth <levels>', description: 'levels of folders, with --structure; 2 without it' },
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
