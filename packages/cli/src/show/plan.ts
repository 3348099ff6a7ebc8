/** What an act does or did, path by path, and what it leaves alone. */
import { type JsonName, nameFromJson, showName, showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/faces';
import type { Style } from '../view.ts';
import { gapReason, listed } from './capture.ts';
import { becomes, folderSign } from './changes.ts';
import type { BriefJson } from './checkpoint.ts';
import { rootPosition as position } from './roots.ts';
import { counted, shown } from './words.ts';

export type ActJson = Omit<OutputOf<(typeof VERBS)['undo']>, 'undoes'>;
type PlannedJson = ActJson['plan']['paths'][number];

const WORDS: Readonly<Record<PlannedJson['operation'], string>> = {
  create: 'create',
  write: 'change',
  patch: 'change',
  delete: 'remove',
  rename: 'rename',
  mode: 'mode',
  kind: 'replace',
};

/** A folder that comes or goes together with what it holds is told by that. */
export function toldPaths({ plan: { paths } }: ActJson): readonly PlannedJson[] {
  const names = paths.map(({ path }) => nameFromJson(path));
  return paths.filter(({ before, after }, index) => {
    const comesOrGoes = before === null || after === null;
    if (!comesOrGoes || (before ?? after)?.kind !== 'folder') return true;
    return names[index + 1]?.startsWith(`${names[index]}/`) !== true;
  });
}

/** A line for each path. @param most the rest is only counted */
export function planLines(act: ActJson, style: Style, most = Number.POSITIVE_INFINITY): string[] {
  const paths = toldPaths(act);
  const lines = paths.slice(0, most).map(({ path, operation, before, after, merged }) => {
    const paint = operation === 'create' ? style.good : operation === 'delete' ? style.bad : style.strong;
    const more = [operation === 'mode' || operation === 'kind' ? becomes(before, after) : '', merged ? 'merged' : ''];
    const tail = more.filter((text) => text !== '').map((text) => `  (${text})`);
    return `  ${paint(WORDS[operation].padEnd(7))}  ${shown(path)}${folderSign(path, after ?? before)}${tail.join('')}`;
  });
  return paths.length > most ? [...lines, `  … and ${paths.length - most} more (all with --json)`] : lines;
}

const KEPT_LISTED = 20;

/** What stays, what stands in the way, and what a restore of files does not bring. */
export function planNotes(act: ActJson, target: BriefJson | null): string[] {
  const { kept, conflicts, refused } = act.plan;
  const reason = ({ path, why }: { path: JsonName; why: string }): string => `${shown(path)} (${showText(why)})`;
  return [
    ...listed(
      refused.map(reason),
      (count) => `refused, so that nothing at all would be done: ${counted(count, 'path')}`,
    ),
    ...listed(
      conflicts.map(reason),
      (count) => `in conflict, so that nothing at all would be done: ${counted(count, 'path')}`,
    ),
    ...listed(kept.map(reason), (count) => `left as ${count === 1 ? 'it is' : 'they are'}:`, KEPT_LISTED),
    ...listed(
      act.keptFiles.map(({ path, backup }) => `${shown(path)}: ${shown(backup)}`),
      () => 'written to by someone at the very moment; those bytes are kept:',
    ),
    ...(target === null ? [] : targetNotes(target)),
    ...headLines(act),
    ...act.headMoved.map(
      ({ path, before, now }) =>
        `only files are restored: ${repository(path)} was on ${position(before)} then and is on ${position(now)}; it stays there.`,
    ),
    ...act.repositoriesGone.map(
      (path) => `only files are restored: the .git of ${repository(path)} is gone, and does not come back.`,
    ),
  ];
}

const INDEXES = {
  rebuilt: 'its index becomes what the commit has',
  'put-back': 'its index becomes what it was, with what was staged',
  left: 'its index stays',
} as const;

/** Branches that move as well, and what they leave behind. */
function headLines({ heads, dryRun }: ActJson): string[] {
  return heads.flatMap(({ path, before, after, index, unreachable, unreachableCount }) => [
    position(before) === position(after)
      ? `${repository(path)} stays at ${position(after)}; ${INDEXES[index]}.`
      : `${repository(path)} ${dryRun ? 'moves' : 'was moved'} from ${position(before)} to ${position(after)}; ${INDEXES[index]}.`,
    ...(unreachableCount === 0
      ? []
      : [`  no branch leads to ${counted(unreachableCount, 'commit')} then (the store keeps them):`]),
    ...unreachable.map(({ commit, subject }) => `    ${commit.slice(0, 10)} ${showText(subject)}`),
    ...(unreachableCount > unreachable.length ? [`    … and ${unreachableCount - unreachable.length} more`] : []),
  ]);
}

function targetNotes({ id, partial, unsettled }: BriefJson): string[] {
  return [
    ...listed(
      partial.map((gap) => `${shown(gap.path)} (${gapReason(gap)})`),
      () => `${id} is partial; what it could not read stays as it is:`,
    ),
    ...listed(unsettled.map(shown), () => `${id} is unsettled; these kept changing while it read them:`),
  ];
}

function repository(path: JsonName): string {
  return path === '' ? 'the repository' : `the repository ${showName(nameFromJson(path))}`;
}
