import { type JsonName, nameFromJson, type TreePath } from '@savepoint/core';
import { COUNTED_FILES, type OutputOf, statLines, type VERBS } from '@savepoint/core/frontend';
import type { OutputView, Style } from '../view.ts';
import { countText, lineCounts, pathText, sizeText } from './format.ts';

export type ChangeJson = OutputOf<(typeof VERBS)['diff']>['changes'][number];
export type TotalsJson = OutputOf<(typeof VERBS)['diff']>['totals'];
type EntryJson = ChangeJson['before'];

/** What happens to a path. All text output uses these words, before and after the fact. */
const WORDS: Readonly<Record<ChangeJson['operation'], string>> = {
  create: 'new',
  write: 'changed',
  patch: 'changed',
  delete: 'deleted',
  rename: 'renamed',
  mode: 'mode',
  kind: 'kind',
};

export function changeLine(change: ChangeJson, style: Style): string {
  const { path, operation, from, before, after, added, removed } = change;
  const paint = operation === 'create' ? style.good : operation === 'delete' ? style.bad : style.strong;
  const more =
    operation === 'mode' || operation === 'kind' ? modeChangeText(before, after) : lineCounts(added, removed);
  const where = from === null ? pathText(path) : `${pathText(from)} \u2192 ${pathText(path)}`;
  return `${paint(WORDS[operation].padEnd(7))}  ${where}${folderSuffix(path, after ?? before)}${more === '' ? '' : `  ${more}`}${uncapturedText(change)}`;
}

export function uncapturedText({
  beforeUncaptured: before,
  afterUncaptured: after,
  beforeSize,
  afterSize,
}: Pick<ChangeJson, 'beforeUncaptured' | 'afterUncaptured' | 'beforeSize' | 'afterSize'>): string {
  if (before !== null && after !== null) {
    if (beforeSize === afterSize) return `  (same size, new modification time; not captured, ${after})`;
    return `  (${sizeText(beforeSize ?? 0)} \u2192 ${sizeText(afterSize ?? 0)}; not captured, ${after})`;
  }
  if (after !== null) return `  (after: not captured, ${after})`;
  return before === null ? '' : `  (before: not captured, ${before})`;
}

export function changeWord(operation: ChangeJson['operation']): string {
  return WORDS[operation];
}

/** `0644 → 0755`, or `file → link` if the kind changed. */
export function modeChangeText(before: EntryJson, after: EntryJson): string {
  if (before === null || after === null) return '';
  if (before.kind !== after.kind) return `${before.kind} \u2192 ${after.kind}`;
  return before.kind === 'link' || after.kind === 'link' ? '' : `${before.mode} \u2192 ${after.mode}`;
}

export function folderSuffix(path: JsonName, entry: EntryJson): string {
  return entry?.kind === 'folder' && path !== '' ? '/' : '';
}

/** `3 paths, +12 −4`; folders count as well. If there are too many to count the lines of all, it says so. */
export function totalsLine({ files, added, removed }: TotalsJson): string {
  const lines = lineCounts(added, removed);
  const where = files > COUNTED_FILES ? ` in ${COUNTED_FILES} of them` : '';
  return `${countText(files, 'path')}${lines === '' ? '' : `, ${lines}${where}`}`;
}

export function statOf(changes: readonly ChangeJson[], { style, width }: OutputView): string[] {
  const rows = changes.map(({ path, added, removed }) => ({
    path: nameFromJson(path) as TreePath,
    counts: added === null || removed === null ? null : { added, removed },
    before: null,
    after: null,
  }));
  return statLines(rows, width).map((line) => coloured(line, style));
}

function coloured(line: string, style: Style): string {
  const graph = /\+*-*$/.exec(line)?.[0] ?? '';
  const plus = graph.replace(/-/g, '');
  return `${line.slice(0, line.length - graph.length)}${style.good(plus)}${style.bad(graph.slice(plus.length))}`;
}
