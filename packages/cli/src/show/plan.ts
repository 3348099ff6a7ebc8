/** Shows an operation or its preview path by path, and what it leaves unchanged. */
import { type JsonName, nameFromJson, showName, showText } from '@savepoint/core';
import { type OutputOf, type VERBS, WAYS_ON } from '@savepoint/core/frontend';
import type { OutputView, Style } from '../view.ts';
import { gapReason, listedIn, listWithHeading } from './capture.ts';
import { changeWord, folderSuffix, modeChangeText } from './changes.ts';
import type { BriefJson } from './checkpoint.ts';
import { countText, pathText } from './format.ts';
import { reasonLines } from './reasons.ts';
import { rootPosition as position } from './roots.ts';
import { sidesLines } from './sides.ts';

export type OperationJson = Omit<
  OutputOf<(typeof VERBS)['undo']>,
  'undoes' | 'openCalls' | 'restored' | 'conversationRewound' | 'error'
>;
type PlannedPathJson = OperationJson['plan']['paths'][number];

/**
 * Returns the paths to list. A folder that is created or deleted together with its content is omitted; the content is
 * listed.
 */
export function listedPaths({ plan: { paths } }: OperationJson): readonly PlannedPathJson[] {
  const names = paths.map(({ path }) => nameFromJson(path));
  return paths.filter(({ before, after }, index) => {
    const comesOrGoes = before === null || after === null;
    if (!comesOrGoes || (before ?? after)?.kind !== 'folder') return true;
    return names[index + 1]?.startsWith(`${names[index]}/`) !== true;
  });
}

/** One line per path. @param most the other paths are only counted */
export function planLines(operation: OperationJson, style: Style, most = Number.POSITIVE_INFINITY): string[] {
  const paths = listedPaths(operation);
  const lines = paths.slice(0, most).map(({ path, operation, before, after, merged }) => {
    const paint = operation === 'create' ? style.good : operation === 'delete' ? style.bad : style.strong;
    const more = [
      operation === 'mode' || operation === 'kind' ? modeChangeText(before, after) : '',
      merged ? 'merged' : '',
    ];
    const tail = more.filter((text) => text !== '').map((text) => `  (${text})`);
    return `  ${paint(changeWord(operation).padEnd(7))}  ${pathText(path)}${folderSuffix(path, after ?? before)}${tail.join('')}`;
  });
  return paths.length > most ? [...lines, `  … and ${paths.length - most} more (all with --json)`] : lines;
}

const KEPT_LISTED = 20;

/** Lists what is left unchanged, what blocks the operation, and what a restore of files does not restore. */
export function planNotes(
  operation: OperationJson,
  target: BriefJson | null,
  view: Pick<OutputView, 'isPage'>,
): string[] {
  const most = listedIn(view);
  const { kept, conflicts, refused, notes } = operation.plan;
  const reason = ({ path, why }: { path: JsonName; why: string }): string => `${pathText(path)} (${showText(why)})`;
  return [
    ...listWithHeading(
      refused.map(reason),
      (count) => `refused, so nothing would be changed: ${countText(count, 'path')}`,
      most,
    ),
    ...(conflicts.length === 0
      ? []
      : [
          `in conflict, so nothing would be changed: ${countText(conflicts.length, 'path')}`,
          ...reasonLines(
            conflicts.slice(0, most).map(({ path, why }) => ({ path: pathText(path), reason: showText(why) })),
            ({ path, reason }) => `${path} (${reason})`,
          ).map((line) => `  ${line}`),
          ...(conflicts.length > most ? [`  … and ${conflicts.length - most} more (all with --json)`] : []),
        ]),
    ...listWithHeading(kept.map(reason), () => 'left unchanged:', listedIn(view, KEPT_LISTED)),
    ...notes.map(({ path, note }) => `${pathText(path)} ${showText(note)}.`),
    ...listWithHeading(
      operation.keptFiles.map(({ path, backup }) => `${pathText(path)}: ${pathText(backup)}`),
      () => 'written by another program meanwhile; backups of its data:',
      most,
    ),
    ...(target === null ? [] : targetNotes(target, most)),
    ...headLines(operation),
    ...operation.headMoved.map(
      ({ path, before, now }) =>
        `only files are restored: ${repository(path)} was on ${position(before)} and stays on ${position(now)}.`,
    ),
    ...operation.repositoriesGone.map(
      (path) => `only files are restored: the .git of ${repository(path)} no longer exists and is not restored.`,
    ),
  ];
}

/** The three sides of each conflict, and how to go on. */
export function conflictSides({ plan: { conflicts } }: OperationJson, view: OutputView): string[] {
  return [...conflicts.flatMap(({ path, sides }) => sidesLines(path, sides, view.style)), ...waysOn(conflicts, view)];
}

/** Says how to go on, if both sides changed a file. A page offers the ways as keys. */
export function waysOn(
  conflicts: OperationJson['plan']['conflicts'],
  { isPage }: Pick<OutputView, 'isPage'>,
): string[] {
  return !isPage && conflicts.some(({ sides }) => sides !== null) ? [WAYS_ON] : [];
}

const INDEXES = {
  rebuilt: 'index rebuilt from the commit',
  'put-back': 'index restored, including staged changes',
  left: 'index unchanged',
} as const;

/** Lists branches that move as well, and commits that become unreachable. */
function headLines({ heads, dryRun }: OperationJson): string[] {
  return heads.flatMap(({ path, before, after, index, unreachable, unreachableCount }) => [
    position(before) === position(after)
      ? `${repository(path)} stays at ${position(after)}; ${INDEXES[index]}.`
      : `${repository(path)} ${dryRun ? 'would move' : 'was moved'} from ${position(before)} to ${position(after)}; ${INDEXES[index]}.`,
    ...(unreachableCount === 0
      ? []
      : [
          `  ${countText(unreachableCount, 'commit')} ${dryRun ? 'would become' : 'became'} unreachable (kept in the store):`,
        ]),
    ...unreachable.map(({ commit, subject }) => `    ${commit.slice(0, 10)} ${showText(subject)}`),
    ...(unreachableCount > unreachable.length ? [`    … and ${unreachableCount - unreachable.length} more`] : []),
  ]);
}

function targetNotes({ id, partial, unsettled }: BriefJson, most: number): string[] {
  return [
    ...listWithHeading(
      partial.map((gap) => `${pathText(gap.path)} (${gapReason(gap)})`),
      () => `${id} is partial; paths that it could not read are left unchanged:`,
      most,
    ),
    ...listWithHeading(
      unsettled.map(pathText),
      () => `${id} is unsettled; these files kept changing while they were read:`,
      most,
    ),
  ];
}

function repository(path: JsonName): string {
  return path === '' ? 'the repository' : `the repository ${showName(nameFromJson(path))}`;
}
