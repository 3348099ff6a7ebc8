import { showText } from '@savepoint/core';
import { meantCheckpoint, VERBS } from '@savepoint/core/frontend';
import { checkpointIdOption, command, lines, wholeNumber } from '../../command.ts';
import { shellWord } from '../../path-hint.ts';
import { checkpointLine, lineColumns, notHappenedLines } from '../../show/checkpoint.ts';
import { countText, lineCounts, localTime, relativeTime } from '../../show/format.ts';
import { rootChangeLines } from '../../show/roots.ts';

const VIEWS = [
  ['all', 'all'],
  ['manual', 'manual'],
  ['multiFile', 'multi-file'],
] as const;

export const list = command({
  verb: VERBS.list,
  operands: [],
  takesPaths: false,
  isPaged: true,
  options: [
    { flags: '--session <id>', description: 'only checkpoints of this session: its id, or a unique prefix' },
    { flags: '--all', description: 'all checkpoints, including automatic ones, without folding', conflicts: 'manual' },
    { flags: '--manual', description: 'only checkpoints taken on request', conflicts: 'multiFile' },
    { flags: '--multi-file', description: 'only checkpoints in which several paths changed', conflicts: 'all' },
    { flags: '-n, --limit <number>', description: 'maximum number of checkpoints (default 50)' },
    { flags: '--absolute-time', description: 'show local times instead of `5 min ago`' },
    { flags: '--before <checkpoint>', description: 'only checkpoints older than this one (cp_12)' },
  ],
  examples: ['savepoint list', 'savepoint list --limit 5', 'savepoint list --all --before cp_40'],

  excessExample: (text) => {
    if (/^[1-9]\d{0,8}$/.test(text)) return `savepoint list --limit ${text}`;
    return meantCheckpoint(text) === null && !text.startsWith('cp_')
      ? `savepoint history -- ${shellWord(text)}`
      : `savepoint show ${meantCheckpoint(text) ?? shellWord(text)}`;
  },

  input(given) {
    const limit = wholeNumber(given, 'limit', '--limit');
    const before = checkpointIdOption(given, 'before', '--before');
    const { session } = given.options;
    const view = VIEWS.find(([option]) => given.options[option] === true)?.[1];
    return {
      ...(view === undefined ? {} : { view }),
      ...(typeof session === 'string' ? { session } : {}),
      ...(limit === undefined ? {} : { limit }),
      ...(before === undefined ? {} : { before }),
    };
  },

  render({ checkpoints, folded, hidden, damaged, rootChanges, pinned, notHappened, next }, view, { options }) {
    const isNarrowed = ['session', 'manual', 'multiFile', 'before'].some((option) => options[option] !== undefined);
    const notes = [
      ...notHappenedLines(notHappened),
      ...(hidden > 0 && options['manual'] !== true && options['multiFile'] !== true
        ? [`${countText(hidden, 'automatic checkpoint')} hidden (--all shows ${hidden === 1 ? 'it' : 'them'})`]
        : []),
      ...(next === null ? [] : [`Older checkpoints: \`savepoint list --before ${next}\``]),
    ];
    if (checkpoints.length + damaged.length === 0) {
      return lines(
        isNarrowed ? 'No matching checkpoints.' : 'No checkpoints yet. Take one with `savepoint checkpoint`.',
        notes,
      );
    }
    const now = Date.now();
    const timeOf = ({ time }: (typeof checkpoints)[number]): string =>
      options['absoluteTime'] === true ? localTime(time) : relativeTime(time, now);
    const columns = lineColumns(
      [...checkpoints, ...damaged].map(({ id }) => id),
      checkpoints,
      timeOf,
    );
    const foldedInto = new Map(folded.map((one) => [one.into, one]));
    const rows = [
      ...checkpoints.map((one) => {
        const run = foldedInto.get(one.id);
        const more =
          run === undefined
            ? ''
            : `  [${run.ids.length + 1} small steps since ${run.ids.at(-1)}, ${lineCounts(run.added, run.removed)}]`;
        const moved = rootChangeLines(rootChanges.find(({ id }) => id === one.id)?.changes ?? []);
        const roots =
          moved.length === 0 ? '' : `  [${moved[0]}${moved.length > 1 ? ` and ${moved.length - 1} more` : ''}]`;
        const pin = pinned.includes(one.id) ? '  [pinned]' : '';
        return { id: one.id, line: `${checkpointLine(one, view, columns)}${pin}${roots}${more}` };
      }),
      ...damaged.map(({ id, problem }) => ({
        id,
        line: `${view.style.id(id.padEnd(columns.id))}  ${view.style.bad('damaged')}: ${showText(problem.message)}`,
      })),
    ].sort((a, b) => Number(b.id.slice(3)) - Number(a.id.slice(3)));
    return lines(
      rows.map(({ line }) => line),
      notes,
    );
  },
});
