/** Lists the changes of a plan: each with its hunks, or those of a large plan by folder. */

import type { OutputOf, VERBS } from '@savepoint/core/frontend';
import type { OutputView, Style } from '../view.ts';
import { changeLine } from './changes.ts';
import { countText, groupDigits, lineCounts, pathText } from './format.ts';

type PlanJson = OutputOf<typeof VERBS.planShow>;
type PlanChangeJson = PlanJson['changes'][number];

/** A plan with more changes is shown by folder. */
const MOST_CHANGES = 50;
const MOST_HUNKS = 10;
const MOST_FOLDERS = 30;
/** Fewer say so little that folders below them are listed, even if those are too many. */
const FEW_FOLDERS = 4;
const MOST_REJECTED = 20;

export function planChangesText({ id, changes, totals }: PlanJson, { style }: OutputView): readonly string[] {
  // Changes below given paths are listed, however many there are.
  if (changes.length <= MOST_CHANGES || changes.length < totals.files) {
    return changes.flatMap((one) => changeLines(one, style));
  }
  const groups = byFolder(changes);
  const rejected = changes.filter((one) => rejectionOf(one) !== '');
  const most = groups.length === 1 ? MOST_CHANGES : 0;
  return [
    ...(most > 0 ? [] : listed(groups, MOST_FOLDERS, ({ folder, of }) => folderLine(folder, of))),
    ...listed(changes.slice(0, most === 0 ? 0 : undefined), most, (one) => `  ${changeLineOf(one, style)}`),
    ...(rejected.length === 0 ? [] : [`  ${countText(rejected.length, 'change')} with something rejected:`]),
    ...listed(rejected, MOST_REJECTED, (one) => `  ${changeLineOf(one, style)}`),
    `  \`savepoint plan show ${id} -- PATH\` lists the hunks below a path, \`--json\` all of them.`,
  ];
}

function listed<Item>(items: readonly Item[], most: number, line: (item: Item) => string): readonly string[] {
  const left = items.length - most;
  return [...items.slice(0, most).map(line), ...(left > 0 ? [`  … and ${groupDigits(left)} more`] : [])];
}

interface FolderGroup {
  readonly folder: string;
  readonly of: readonly PlanChangeJson[];
}

/** As many levels of folders as fit. */
function byFolder(changes: readonly PlanChangeJson[]): readonly FolderGroup[] {
  let found: readonly FolderGroup[] = [];
  for (let level = 1; ; level++) {
    const groups = new Map<string, PlanChangeJson[]>();
    for (const change of changes) {
      const folders = pathText(change.path).split('/').slice(0, -1);
      const folder = folders.slice(0, level).join('/');
      const known = groups.get(folder);
      if (known === undefined) groups.set(folder, [change]);
      else known.push(change);
    }
    const isSame = found.every(({ folder }) => groups.has(folder));
    if (level > 1 && (isSame || (groups.size > MOST_FOLDERS && found.length >= FEW_FOLDERS))) return found;
    found = [...groups].map(([folder, of]) => ({ folder, of }));
  }
}

function folderLine(folder: string, changes: readonly PlanChangeJson[]): string {
  const sum = (of: (change: PlanChangeJson) => number | null): number =>
    changes.reduce((all, change) => all + (of(change) ?? 0), 0);
  const counts = lineCounts(
    sum(({ added }) => added),
    sum(({ removed }) => removed),
  );
  return `  ${`${folder === '' ? '.' : folder}/`.padEnd(32)}  ${countText(changes.length, 'path')}${counts === '' ? '' : `, ${counts}`}`;
}

/** With the names that `plan review --accept` and `--reject` take. */
function changeLines(change: PlanChangeJson, style: Style): readonly string[] {
  const { path } = change;
  // One that is alone is meant by the path.
  const isWhole = change.hunks?.length === 1 || change.hunks?.every(({ accepted }) => accepted === false);
  const hunks = isWhole === true ? [] : (change.hunks ?? []);
  const left = hunks.length - MOST_HUNKS;
  return [
    `  ${changeLineOf(change, style)}`,
    ...hunks.slice(0, left > 1 ? MOST_HUNKS : undefined).map(({ number, before, after, accepted }) => {
      const decided = accepted === null ? '' : accepted ? '  accepted' : style.bad('  rejected');
      return `     ${pathText(path)}:${number}  @@ -${rangeText(before)} +${rangeText(after)} @@${decided}`;
    }),
    ...(left > 1 ? [`     … and ${left} more hunks`] : []),
  ];
}

function rangeText({ start, count }: { readonly start: number; readonly count: number }): string {
  // As in patches: lines count from 1, and an empty range names the line before it.
  const first = count === 0 ? start : start + 1;
  return count === 1 ? String(first) : `${first},${count}`;
}

function changeLineOf(change: PlanChangeJson, style: Style): string {
  return `${changeLine(change, style)}${style.bad(rejectionOf(change))}`;
}

/** Empty: nothing is rejected. */
function rejectionOf(change: PlanChangeJson): string {
  const rejected = change.hunks?.filter(({ accepted }) => accepted === false) ?? [];
  const isRejected = change.hunks === null ? change.accepted === false : rejected.length === change.hunks.length;
  return isRejected && (change.hunks === null || change.hunks.length > 0)
    ? '  rejected'
    : rejected.length > 0
      ? `  rejected: ${rejected.length === 1 ? 'hunk' : 'hunks'} ${rejected.map(({ number }) => number).join(', ')}`
      : '';
}
