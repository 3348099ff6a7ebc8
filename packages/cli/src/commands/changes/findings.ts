import { VERBS } from '@savepoint/core/frontend';
import { command } from '../../command.ts';
import { findingsText } from '../../show/findings.ts';

export const findings = command({
  verb: VERBS.findings,
  operands: [
    ['[from]', 'a checkpoint (default: the last one)'],
    ['[to]', 'another checkpoint (default: the current files)'],
  ],
  takesPaths: false,
  isPaged: true,
  options: [{ flags: '--plan <id>', description: 'of the changes of this plan that are not rejected' }],
  examples: ['savepoint findings', 'savepoint findings cp_1 cp_4', 'savepoint findings --plan plan_0123abcd'],

  input({ operands: [from, to], options: { plan } }) {
    return {
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(typeof plan === 'string' ? { plan } : {}),
    };
  },

  render: (output, view) => findingsText(output, view),
});
