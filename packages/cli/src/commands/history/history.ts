import { SavepointError, showText } from '@savepoint/core';
import { type OutputOf, shellWord, VERBS } from '@savepoint/core/frontend';
import { nameOfArgument } from '../../argument-path.ts';
import { command, lines, wholeNumber } from '../../command.ts';
import { authorsText, toolText, uncertainLegend } from '../../show/authors.ts';
import { changeWord, folderSuffix, modeChangeText, uncapturedText } from '../../show/changes.ts';
import { countText, lineCounts, localTime, pathText } from '../../show/format.ts';
import type { OutputView } from '../../view.ts';

type HistoryJson = OutputOf<(typeof VERBS)['history']>;
type HistoryChangeJson = HistoryJson['changes'][number];

export const history = command({
  verb: VERBS.history,
  operands: [],
  takesPaths: 'one',
  options: [
    { flags: '--session <id>', description: 'only changes of this session: its id, or a unique prefix' },
    { flags: '--agent <name>', description: 'only changes of this agent; also user, outside' },
    { flags: '--tool <name>', description: 'only changes by this tool, or by an operation such as edit' },
    { flags: '--file <path>', description: 'only changes of this file, or below this folder; or: `-- <path>`' },
    { flags: '--since <time>', description: 'at or after: "2026-01-31 12:00", "10 minutes ago"' },
    { flags: '--until <time>', description: 'at or before' },
    { flags: '--all', description: 'all changes of each restore, rollback, undo and redo, instead of their number' },
    { flags: '-n, --limit <number>', description: 'maximum number of changes (default 100)' },
    { flags: '--before <change>', description: 'only changes older than this one (cp_12.3)' },
  ],
  examples: [
    'savepoint history',
    'savepoint history --agent claude --since "2 hours ago"',
    'savepoint history --limit 5 -- src/a.ts',
  ],

  excessExample: (path) => `savepoint history -- ${shellWord(path)}`,

  input(given, { output }) {
    const { file, ...texts } = given.options;
    const files = [...given.paths, ...(typeof file === 'string' ? [nameOfArgument(file)] : [])];
    const [named] = files;
    if (files.length > 1)
      throw new SavepointError('USAGE', 'history takes one path.', { argument: pathText(files[1] ?? '') });
    const limit = wholeNumber(given, 'limit', '--limit');
    if (typeof texts['before'] === 'string' && !/^cp_[1-9]\d{0,8}\.[1-9]\d{0,6}$/.test(texts['before'])) {
      throw new SavepointError(
        'USAGE',
        `--before needs the id of a change such as cp_12.3, not ${JSON.stringify(texts['before'])}.`,
        { argument: '--before' },
      );
    }
    const filters = ['session', 'agent', 'tool', 'since', 'until', 'before'].flatMap((name) => {
      const text = texts[name];
      return typeof text === 'string' ? [[name, text] as const] : [];
    });
    return {
      ...Object.fromEntries(filters),
      ...(named === undefined ? {} : { file: named }),
      ...(limit === undefined ? {} : { limit }),
      ...(output === 'json' || texts['all'] === true ? {} : { fold: true }),
    };
  },

  render({ changes, unlisted, damaged, more }, view) {
    const notes = [
      ...unlisted.map(({ id, why, files }) =>
        why === 'first'
          ? `${view.style.id(id)}  the first checkpoint, ${countText(files, 'file')}`
          : why === 'damaged'
            ? `${view.style.id(id)}  the list is incomplete: a folder could not be compared, because the store is damaged`
            : `${view.style.id(id)}  ${countText(files, 'path')} changed, too many to list: \`savepoint show ${id}\``,
      ),
      ...damaged.map(
        ({ id, problem }) => `${view.style.id(id)}  ${view.style.bad('damaged')}: ${showText(problem.message)}`,
      ),
    ];
    const heading = changes.length === 0 ? ['No changes.'] : changeRows(changes, view);
    const oldest = changes.at(-1)?.id;
    const isShortened = changes.some(({ folded }) => folded > 0);
    return lines(
      heading,
      isShortened ? ['Operations are shown as one line; `--all` lists their changes.'] : [],
      uncertainLegend(changes),
      notes.length === 0 ? [] : ['Checkpoints without a list of changes:', ...notes.map((note) => `  ${note}`)],
      more && oldest !== undefined ? [`Older changes: add --before ${oldest}`] : [],
    );
  },
});

function changeRows(changes: readonly HistoryChangeJson[], view: OutputView): string[] {
  const cells = changes.map((change) => [
    change.folded > 0 ? change.checkpoint : change.id,
    localTime(change.time),
    authorsText(change),
    toolText(change, change.trigger) || '–',
    change.folded > 0 ? '' : changeWord(change.operation),
  ]);
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...cells.map((row) => (row[column] as string).length)));
  return changes.map((change, index) => {
    const row = cells[index] as string[];
    const [id, time, who, tool, operation] = row.map((cell, column) => cell.padEnd(widths[column] as number)) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const { style } = view;
    return `${style.id(id)}  ${style.faint(time)}  ${who}  ${tool}  ${operation}  ${changeText(change)}`;
  });
}

function changeText(change: HistoryChangeJson): string {
  if (change.folded > 0) return `${countText(change.folded + 1, 'path')}${backText(change)}`;
  const { path, from, before, after, operation, added, removed } = change;
  const moved = from === null ? '' : `${pathText(from)} \u2192 `;
  const more =
    operation === 'mode' || operation === 'kind' ? modeChangeText(before, after) : lineCounts(added, removed);
  return `${moved}${pathText(path)}${folderSuffix(path, after ?? before)}${more === '' ? '' : `  ${more}`}${uncapturedText(change)}${backText(change)}`;
}

function backText({ takenBack, takenBackHunks }: HistoryChangeJson): string {
  if (takenBack !== null) return `  [reverted by ${takenBack}]`;
  if (takenBackHunks.length === 0) return '';
  const by = [...new Set(takenBackHunks.map((one) => one.by))].join(', ');
  const hunks = takenBackHunks.map(({ hunk }) => hunk).join(', ');
  return `  [hunk${takenBackHunks.length === 1 ? '' : 's'} ${hunks} reverted by ${by}]`;
}
