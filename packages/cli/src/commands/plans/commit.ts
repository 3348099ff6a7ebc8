/** `savepoint plan commit`. */

import { execFileSync } from 'node:child_process';
import { showText } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { type CommandContext, command, lines } from '../../command.ts';
import { countText, pathText } from '../../show/format.ts';

type CommitsJson = OutputOf<typeof VERBS.planCommit>;

export const planCommit = command({
  verb: VERBS.planCommit,
  operands: [['<id>', 'the plan']],
  takesPaths: false,
  options: [{ flags: '-m, --message <text>', description: 'the message (default: the intent of the plan)' }],
  examples: ['savepoint plan commit plan_1a2b3c4d', 'savepoint plan commit last -m "Rename the setting"'],
  input: ({ operands: [id = ''], options }, context) => ({
    id,
    ...(typeof options['message'] === 'string' ? { message: options['message'] } : {}),
    ...authorOf(context),
  }),
  render: (output) => lines(commitLines(output)),
});

/** Of the user's own configuration, not of a repository's. */
export function authorOf({ variables }: Pick<CommandContext, 'variables'>): {
  readonly author?: { readonly name: string; readonly email: string };
} {
  const name = variables['GIT_AUTHOR_NAME'] ?? setting('user.name', variables);
  const email = variables['GIT_AUTHOR_EMAIL'] ?? setting('user.email', variables);
  return name === '' || email === '' ? {} : { author: { name, email } };
}

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

/** Outside of every repository, so that only the user's and the system's configuration are read. */
function setting(name: string, env: Readonly<Record<string, string>>): string {
  try {
    const args = ['config', '--global', '--includes', '--get', name];
    return execFileSync('git', args, { cwd: '/', env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}
