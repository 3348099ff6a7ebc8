/** Roots that were added, removed or moved. */
import { nameFromJson, showName } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';

type RootChangeJson = OutputOf<(typeof VERBS)['show']>['rootChanges'][number];
type RootJson = NonNullable<RootChangeJson['before']>;

/** One line per root. */
export function rootChangeLines(changes: readonly RootChangeJson[]): string[] {
  return changes.map((change) => {
    const { path, what, before, after } = change;
    const name = path === '' ? '.' : showName(nameFromJson(path));
    const kind = (after ?? before)?.kind ?? 'repository';
    if (what === 'moved' && before !== null && after !== null) {
      return `${kind} ${name} moved from ${rootPosition(before)} to ${rootPosition(after)}`;
    }
    return `${kind} ${name} ${what}${after === null ? '' : ` ${rootPosition(after)}`}`.trimEnd();
  });
}

/** `main (0123456789)`; empty for a plain folder. */
export function rootPosition({
  kind,
  branch,
  commit,
}: Pick<RootJson, 'branch' | 'commit'> & { kind?: string }): string {
  if (kind === 'folder') return '';
  const at = commit === null ? 'no commit' : commit.slice(0, 10);
  return branch === null ? at : `${showName(nameFromJson(branch))} (${at})`;
}
