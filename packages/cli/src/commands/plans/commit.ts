/** `savepoint plan commit`. */

import { VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { commitLines } from '../../show/commits.ts';

export const planCommit = command({
  verb: VERBS.planCommit,
  operands: [['<id>', 'the plan']],
  takesPaths: false,
  options: [{ flags: '-m, --message <text>', description: 'the message (default: the intent of the plan)' }],
  examples: ['savepoint plan commit plan_1a2b3c4d', 'savepoint plan commit last -m "Rename the setting"'],
  input: ({ operands: [id = ''], options }) => ({
    id,
    ...(typeof options['message'] === 'string' ? { message: options['message'] } : {}),
  }),
  render: (output) => lines(commitLines(output)),
});
