/** What users read about a copy that is kept: why, what is where, and what to type. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DiskPath, showName, showText, type TreePath, textFromBytes } from '@savepoint/core';
import { onDisk, shellWord } from '@savepoint/core/frontend';
import { lines } from '../command.ts';
import type { Copy, CopyDifference } from './proposal.ts';

/** Why a copy is kept although its changes are applied, saved or a plan. */
export type KeptBecause = 'uncaptured' | 'commits' | 'skipped';

export interface KeptCopy {
  readonly copy: Copy;
  /** Null: the user has not decided yet. */
  readonly why: KeptBecause | null;
  /** The plan that its changes are; null: they are not a plan. */
  readonly plan: string | null;
  /** Those that only the copy has. */
  readonly commits: CopyDifference['commits'];
}

const WHY: Readonly<Record<KeptBecause, string>> = {
  uncaptured: 'It has what could not be read or captured.',
  commits: 'It has the commits.',
  skipped: 'It has the changes that were not applied.',
};

export function keptText({ copy, why, plan, commits }: KeptCopy): string {
  const { id } = copy.copy.record;
  const open = `savepoint try --continue ${id}`;
  return lines(
    `The copy ${id} is kept.${why === null ? '' : ` ${WHY[why]}`}`,
    commits.length > 0 ? commitsText(copy, commits) : [],
    why === 'uncaptured' ? [`  To look at it: \`${open} --keep -- sh\`${placeText(copy)}.`] : [],
    plan === null
      ? [`  Continue with \`${open}\`, with --apply, --patch FILE, --plan or --drop if you like.`]
      : [`  Its changes are ${plan}. When you have what you need, \`${open} --drop\` removes the copy.`],
    '  `savepoint copies` lists all copies. With --clean --all, it removes those of this workspace that no process uses: also this one.',
  );
}

const MOST_COMMITS = 3;

/** The folder of an overlay can be seen only from inside, so its commits come out in a file. */
function commitsText(copy: Copy, commits: CopyDifference['commits']): readonly string[] {
  const { id } = copy.copy.record;
  const folder = copyFolder(copy);
  const file = join(tmpdir(), `${id}.bundle`);
  const rest = commits.length - MOST_COMMITS;
  return [
    '  To get them into your repository, as branches of another name:',
    ...commits.slice(0, MOST_COMMITS).flatMap(({ path, ref }, index) => {
      const name = showName(ref).replace(/^refs\/heads\//, '');
      const target = ref.startsWith('refs/tags/') ? name : `${id}/${name.replace(/^refs\//, '')}`;
      const what = shellWord(`${name}:${target}`);
      if (folder !== null) return [`    ${gitIn(path)} fetch ${shellWord(wordOf(onDisk(folder, path)))} ${what}`];
      const own = index === 0 ? file : join(tmpdir(), `${id}-${index + 1}.bundle`);
      return [
        `    savepoint try --continue ${id} --keep -- ${gitIn(path)} bundle create ${shellWord(own)} ${shellWord(name)}`,
        `    ${gitIn(path)} fetch ${shellWord(own)} ${what}`,
      ];
    }),
    ...(rest > 0 ? [`    … and ${rest} more, in the same way`] : []),
  ];
}

function placeText(copy: Copy): string {
  const folder = copyFolder(copy);
  return folder === null ? '' : `, or in ${showText(wordOf(folder))}`;
}

/** Null: its files can be seen only from inside. */
function copyFolder({ copy }: Copy): DiskPath | null {
  return copy.record.rung === 'overlay' ? null : copy.files;
}

function gitIn(path: TreePath): string {
  return path === '' ? 'git' : `git -C ${shellWord(wordOf(path))}`;
}

function wordOf(bytes: string): string {
  return textFromBytes(bytes) ?? showName(bytes);
}
