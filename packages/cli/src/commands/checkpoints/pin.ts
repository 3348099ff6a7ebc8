import { VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { titleText } from '../../show/checkpoint.ts';

const operands = [['<checkpoint>', 'for example cp_12, last or @prompt']] as const;

export const pin = command({
  verb: VERBS.pin,
  operands,
  takesPaths: false,
  options: [],
  examples: ['savepoint pin cp_12', 'savepoint pin last'],
  input: ({ operands: [checkpoint = ''] }) => ({ checkpoint }),
  render: ({ checkpoint, changed }, { style }) =>
    lines(
      `${style.id(checkpoint.id)} ${changed ? 'is now pinned' : 'was already pinned'}: ${titleText(checkpoint.description)}`,
    ),
});

export const unpin = command({
  verb: VERBS.unpin,
  operands,
  takesPaths: false,
  options: [],
  examples: ['savepoint unpin cp_12'],
  input: ({ operands: [checkpoint = ''] }) => ({ checkpoint }),
  render: ({ checkpoint, changed }, { style }) =>
    lines(
      `${style.id(checkpoint.id)} ${changed ? 'is no longer pinned' : 'was not pinned'}: ${titleText(checkpoint.description)}`,
    ),
});
