import type { TreePath } from '../model/names.ts';
import { displayWidth, fitEnd, fitStart } from './display-width.ts';
import type { LineCounts } from './line-diff.ts';
import { showName } from './show-name.ts';

/** One changed path in a summary. */
export interface StatRow {
  readonly path: TreePath;
  /** Null if lines were not counted: binary, too long, or a folder. */
  readonly counts: LineCounts | null;
  /** In bytes, shown if there are no counts; null if the path does not exist on that side. */
  readonly before: number | null;
  readonly after: number | null;
}

const MIN_COLUMNS = 20;
const MIN_GRAPH = 4;

/**
 * Formats one line per path, like `git diff --stat`: `src/a.ts | 12 +++++----`.
 * @param width columns of the terminal; no line is wider, but at least 20 columns are used
 */
export function statLines(rows: readonly StatRow[], width: number): string[] {
  const names = rows.map(nameOf);
  const largest = rows.reduce((most, row) => Math.max(most, changedLines(row)), 0);
  const digits = String(largest).length;
  const shared = Math.max(width, MIN_COLUMNS) - ' | '.length - digits - ' '.length;
  // A name of combining marks alone is shortened to `…`.
  const longestName = names.reduce((most, name) => Math.max(most, displayWidth(name)), 1);
  const graphWanted = Math.min(largest, Math.max(MIN_GRAPH, Math.floor((shared * 3) / 8)));
  const nameColumns = Math.min(longestName, shared - Math.max(graphWanted, MIN_GRAPH));
  const graphColumns = shared - nameColumns;
  return rows.map((row, i) => {
    const name = fitEnd(names[i]!, nameColumns);
    const padding = ' '.repeat(Math.max(0, nameColumns - displayWidth(name)));
    const figures =
      row.counts === null
        ? fitStart(sizes(row), digits + 1 + graphColumns)
        : `${String(changedLines(row)).padStart(digits)} ${graph(row.counts, largest, graphColumns)}`.trimEnd();
    return `${name}${padding} | ${figures}`;
  });
}

/** Formats the totals as git does: `3 files changed, 12 insertions(+), 4 deletions(-)`. */
export function statTotals(rows: readonly StatRow[]): string {
  const { added, removed } = totals(rows);
  const parts = [`${counted(rows.length, 'file')} changed`];
  if (rows.length > 0 && (added > 0 || removed === 0)) parts.push(`${counted(added, 'insertion')}(+)`);
  if (rows.length > 0 && (removed > 0 || added === 0)) parts.push(`${counted(removed, 'deletion')}(-)`);
  return parts.join(', ');
}

const DESCRIPTION_CHARACTERS = 100;
const MANY_FILES = 100;

/**
 * Describes the changes of a checkpoint in at most 100 characters: `3 files, +12 −4: src/a.ts, src/b.ts, …`. Lists as
 * many paths as fit, in the given order; `no changes` for no rows.
 */
export function describeChanges(rows: readonly StatRow[]): string {
  if (rows.length === 0) return 'no changes';
  const { added, removed } = totals(rows);
  const known = rows.filter(({ counts }) => counts !== null).length;
  // Among many files, the lines of only some are counted. Among few, those without are binary.
  const where = known < rows.length && rows.length > MANY_FILES ? ` in ${known} of them` : '';
  const lines = known > 0 ? `, +${added} \u2212${removed}${where}` : '';
  let text = `${counted(rows.length, 'file')}${lines}: `;
  for (const [i, row] of rows.entries()) {
    const name = nameOf(row);
    const isLast = i === rows.length - 1;
    const room = DESCRIPTION_CHARACTERS - characters(text) - (isLast ? 0 : ', …'.length);
    if (i === 0) text += characters(name) <= room ? name : `…${[...name].slice(1 - room).join('')}`;
    else if (characters(name) + ', '.length <= room) text += `, ${name}`;
    else return `${text}, …`;
  }
  return text;
}

function characters(text: string): number {
  return [...text].length;
}

function changedLines({ counts }: StatRow): number {
  return counts === null ? 0 : counts.added + counts.removed;
}

function totals(rows: readonly StatRow[]): LineCounts {
  let added = 0;
  let removed = 0;
  for (const { counts } of rows) {
    added += counts?.added ?? 0;
    removed += counts?.removed ?? 0;
  }
  return { added, removed };
}

function sizes({ before, after }: StatRow): string {
  if (before === null && after === null) return '-';
  return `${before ?? 0} -> ${after ?? 0} bytes`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** Draws one sign per line, scaled down if the largest change does not fit. Every change stays visible. */
function graph({ added, removed }: LineCounts, largest: number, columns: number): string {
  const all = added + removed;
  if (largest <= columns) return '+'.repeat(added) + '-'.repeat(removed);
  if (all === 0) return '';
  const kinds = Number(added > 0) + Number(removed > 0);
  const signs = Math.max(kinds, Math.round((all * columns) / largest));
  const plus = Math.min(signs - Number(removed > 0), Math.max(Number(added > 0), Math.round((added * signs) / all)));
  return '+'.repeat(plus) + '-'.repeat(signs - plus);
}

function nameOf({ path }: Pick<StatRow, 'path'>): string {
  return path === '' ? '.' : showName(path);
}
