import { type JsonName, nameFromJson, showName, showText } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { countText, pathText } from '../../show/format.ts';
import type { OutputView } from '../../view.ts';

type RepositoryJson = OutputOf<typeof VERBS.repos>['repositories'][number];

const LINKS: Readonly<Record<string, string>> = {
  worktree: 'worktree',
  submodule: 'submodule',
  elsewhere: '.git points to a repository that does not know this folder',
  around: 'the repository encloses the workspace',
};
const SHORT_ID = 12;

export const repos = command({
  verb: VERBS.repos,
  operands: [],
  takesPaths: false,
  options: [],
  examples: ['savepoint repos', 'savepoint repos --json'],
  input: () => ({}),

  render({ workspace, repositories, unreadable, missing }, { style }) {
    return lines(
      style.strong(pathText(workspace)),
      repositories.flatMap((one) => [
        `  ${rootText(one.path)}  ${branchText(one)}${stateText(one, style)}${notes(one)}`,
        ...(one.problem === null ? [] : [style.faint(`    state incomplete: ${showText(one.problem)}`)]),
      ]),
      unreadable.map(({ path, code }) => style.bad(`  unreadable (${code}): ${pathText(path)}`)),
      missing.map((path) => `  ${rootText(path)}  does not exist, but is configured as a root`),
    );
  },
});

function rootText(path: JsonName): string {
  return path === '' ? '.' : showName(nameFromJson(path));
}

function branchText({ kind, branch, commit, detached, unborn }: RepositoryJson): string {
  if (kind === 'folder') return 'plain folder';
  const at = commit === null ? '' : ` at ${showText(commit.slice(0, SHORT_ID))}`;
  if (detached) return `detached HEAD${at}`;
  if (branch === null) return 'on an unknown branch';
  return `on ${showName(nameFromJson(branch))}${unborn ? ', no commit yet' : at}`;
}

function stateText({ kind, state, changed }: RepositoryJson, style: OutputView['style']): string {
  if (kind === 'folder') return '';
  if (state === 'clean') return `, ${style.good('clean')}`;
  if (changed === null) return ', state unknown';
  return `, ${style.bad(`${countText(changed, 'path')} changed`)}`;
}

function notes({ operation, link }: RepositoryJson): string {
  const said = [
    operation === null ? null : `${showText(operation)} in progress`,
    link === null ? null : (LINKS[link] ?? null),
  ].filter((note) => note !== null);
  return said.length === 0 ? '' : `  [${said.join('; ')}]`;
}
