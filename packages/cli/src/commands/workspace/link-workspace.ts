import { VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { pathText } from '../../show/format.ts';

export const linkWorkspace = command({
  verb: VERBS.linkWorkspace,
  operands: [['<path>', "the old folder of the workspace, or its store's id"]],
  takesPaths: false,
  options: [],
  examples: ['savepoint workspace link /old/disk/project', 'savepoint workspace link 0123456789abcdef0123456789abcdef'],
  input: ({ operands: [path = ''] }, { absolutePath }) => ({
    from: /^[0-9a-f]{32}$/.test(path) ? path : absolutePath(path),
  }),
  render: ({ path }) => lines(`Linked ${pathText(path)} to those checkpoints; see \`savepoint list\`.`),
});
