import { VERBS } from '@savepoint/core/frontend';
import { command } from '../../command.ts';
import { findingsText } from '../../show/findings.ts';
import { limitsIn } from '../checks/check-options.ts';

export const findings = command({
  verb: VERBS.findings,
  operands: [
    ['[from]', 'a checkpoint (default: the last one)'],
    ['[to]', 'another checkpoint (default: the current files)'],
  ],
  takesPaths: false,
  isPaged: true,
  options: [
    { flags: '--plan <id>', description: 'of the changes of this plan that are not rejected' },
    { flags: '--types', description: "also type errors, from the project's own TypeScript if it is trusted" },
    { flags: '--timeout <seconds>', description: 'for each type checker (default: 300)' },
    { flags: '--max-memory <number>', description: 'in megabytes, for each type checker, on Linux (default: 4096)' },
  ],
  examples: [
    'savepoint findings',
    'savepoint findings cp_1 cp_4',
    'savepoint findings --types',
    'savepoint findings --plan plan_0123abcd',
  ],

  input(given) {
    const {
      operands: [from, to],
      options: { plan, types },
    } = given;
    return {
      ...limitsIn(given),
      ...(types === true ? { types } : {}),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(typeof plan === 'string' ? { plan } : {}),
    };
  },

  render: (output, view) => findingsText(output, view),
});
