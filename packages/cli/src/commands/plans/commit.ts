/** `savepoint plan commit`. */

import { VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { commitLines } from '../../show/commits.ts';
import { commitChoices } from './commit-options.ts';

export const planCommit = command({
  verb: VERBS.planCommit,
  operands: [['<id>', 'the plan']],
  takesPaths: false,
  options: [
    { flags: '-m, --message <text>', description: 'the message (default: the intent of the plan)' },
    { flags: '--hooks', description: 'run the hooks of the repositories, as `git commit` does' },
  ],
  examples: [
    'savepoint plan commit plan_1a2b3c4d',
    'savepoint plan commit last -m "Rename the setting"',
    'savepoint plan commit last --hooks',
  ],
  input: ({ operands: [id = ''], options }) => ({ id, ...commitChoices(options) }),
  render: (output) => lines(commitLines(output)),
});
