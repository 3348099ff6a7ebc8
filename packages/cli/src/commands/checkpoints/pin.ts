import { showText } from '@savepoint/core';
import { VERBS } from '@savepoint/core/faces';
import { command, lines } from '../../command.ts';

const operands = [['<checkpoint>', 'which one']] as const;

export const pin = command({
  verb: VERBS.pin,
  operands,
  takesPaths: false,
  options: [],
  examples: ['savepoint pin cp_12', 'savepoint pin last'],
  input: ({ operands: [checkpoint = ''] }) => ({ checkpoint }),
  render: ({ checkpoint, changed }, { style }) =>
    lines(
      `${style.id(checkpoint.id)} ${changed ? 'is pinned' : 'was pinned already'}: ${showText(checkpoint.description)}`,
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
      `${style.id(checkpoint.id)} ${changed ? 'is no longer pinned' : 'was not pinned'}: ${showText(checkpoint.description)}`,
    ),
});
