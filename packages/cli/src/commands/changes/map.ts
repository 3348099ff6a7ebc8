import { mapLines, VERBS } from '@savepoint/core/frontend';
import { command, lines, wholeNumber } from '../../command.ts';

export const map = command({
  verb: VERBS.map,
  operands: [],
  takesPaths: false,
  isPaged: true,
  options: [
    { flags: '--tokens <number>', description: 'its length at most, of four bytes each (default 2000)' },
    { flags: '--focus <paths...>', description: 'files and folders that you work on: what is near them comes first' },
  ],
  examples: ['savepoint map', 'savepoint map --tokens 500 --focus src/server.ts src/routes'],

  input(given) {
    const tokens = wholeNumber(given, 'tokens', '--tokens');
    const { focus } = given.options;
    return {
      ...(tokens === undefined ? {} : { tokens }),
      ...(Array.isArray(focus) ? { focus: focus as string[] } : {}),
    };
  },

  render: (output) => lines(mapLines(output)),
});
