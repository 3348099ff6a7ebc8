/** `savepoint plan commit`. */

import { showText } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { countText, pathText } from '../../show/format.ts';

type CommitsJson = OutputOf<typeof VERBS.planCommit>;

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

export function commitLines({ commits, notes }: CommitsJson): readonly string[] {
  return [
    ...(commits.length === 0 ? ['Nothing to commit: the repositories have these changes already.'] : []),
    ...commits.map(({ path, branch, commit, subject, files }) => {
      const where = path === '' ? '' : `${pathText(path)}: `;
      const on = branch === null ? '' : ` on ${showText(branch)}`;
      return `${where}Committed ${countText(files, 'file')}${on}: ${commit.slice(0, 10)} ${showText(subject)}`;
    }),
    ...notes.map((note) => `note: ${showText(note)}`),
  ];
}
