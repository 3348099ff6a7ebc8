/** Shows the commits of a plan. */

import { showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';
import { countText, pathText } from './format.ts';

type CommitsJson = OutputOf<typeof VERBS.planCommit>;

const NOTHING_LEFT = 'Nothing to commit: the repositories have these changes already.';

export function commitLines({ commits, notes }: CommitsJson): readonly string[] {
  return [
    ...(commits.length > 0 ? [] : notes.length > 0 ? ['Nothing was committed.'] : [NOTHING_LEFT]),
    ...commits.map(({ path, branch, commit, subject, files }) => {
      const where = path === '' ? '' : `${pathText(path)}: `;
      const on = branch === null ? '' : ` on ${showText(branch)}`;
      return `${where}Committed ${countText(files, 'file')}${on}: ${commit.slice(0, 10)} ${showText(subject)}`;
    }),
    ...notes.map((note) => `note: ${showText(note)}`),
  ];
}
