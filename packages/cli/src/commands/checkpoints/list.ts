import { showText } from '@savepoint/core';
import { type InputOf, meantCheckpoint, type OutputOf, shellWord, VERBS } from '@savepoint/core/frontend';
import { checkpointIdOption, command, lines, type VerbArguments, wholeNumber } from '../../command.ts';
import { checkpointLine, lineColumns, lineStart, notHappenedLines } from '../../show/checkpoint.ts';
import { countText, lineCounts, localTime, relativeTime } from '../../show/format.ts';
import { rootChangeLines } from '../../show/roots.ts';
import { idOf, turnText } from '../../show/turn.ts';

const VIEWS = [
  ['turns', 'turns'],
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
    { flags: '--session <id>', description: 'only work of this session: its id, or a unique prefix' },
    {
      flags: '--turns',
      description: 'turns of agents as one line each (without --json the default; --json lists checkpoints)',
      conflicts: ['all', 'manual', 'multiFile'],
    },
    { flags: '--all', description: 'all single checkpoints, including automatic ones', conflicts: 'manual' },
    { flags: '--manual', description: 'only checkpoints taken on request', conflicts: 'multiFile' },
    { flags: '--multi-file', description: 'only checkpoints in which several paths changed', conflicts: 'all' },
    { flags: '-n, --limit <number>', description: 'maximum number of lines (default 50)' },
    { flags: '--absolute-time', description: 'show local times instead of `5 min ago`' },
    { flags: '--before <checkpoint>', description: 'only what is older than this checkpoint (cp_12)' },
  ],
  examples: ['savepoint list', 'savepoint list --limit 5', 'savepoint list --all --before cp_40'],

  excessExample: (text) => {
    if (/^[1-9]\d{0,8}$/.test(text)) return `savepoint list --limit ${text}`;
    return meantCheckpoint(text) === null && !text.startsWith('cp_')
      ? `savepoint history -- ${shellWord(text)}`
      : `savepoint show ${meantCheckpoint(text) ?? shellWord(text)}`;
  },

  input(given, { output }) {
    const limit = wholeNumber(given, 'limit', '--limit');
    const before = checkpointIdOption(given, 'before', '--before');
    const { session } = given.options;
    // Programs that read JSON get checkpoints, unless they ask for turns.
    const view: InputOf<typeof VERBS.list>['view'] =
      VIEWS.find(([option]) => given.options[option] === true)?.[1] ?? (output === 'json' ? 'main' : 'turns');
    return {
      view,
      ...(typeof session === 'string' ? { session } : {}),
      ...(limit === undefined ? {} : { limit }),
      ...(before === undefined ? {} : { before }),
    };
  },

  render(output, view, { options }) {
    const { checkpoints, turns, current, sameFiles, folded, damaged, rootChanges, pinned } = output;
    const isNarrowed = ['session', 'manual', 'multiFile', 'before'].some((option) => options[option] !== undefined);
    const notes = notesOf(output, options);
    if (checkpoints.length + damaged.length + turns.length === 0) {
      return lines(
        isNarrowed ? 'No matching checkpoints.' : 'No checkpoints yet. Take one with `savepoint checkpoint`.',
        notes,
      );
    }
    const now = Date.now();
    const timeOf = (time: string): string =>
      options['absoluteTime'] === true ? localTime(time) : relativeTime(time, now);
    const begins = turns.map((turn) => ({ ...turn, id: idOf(turn), time: turn.began, kind: 'turn' }));
    const columns = lineColumns(
      damaged.map(({ id }) => id),
      [...checkpoints, ...begins],
      timeOf,
    );
    const isInTurn = turns.some(({ isCurrent }) => isCurrent);
    const foldedInto = new Map(folded.map((one) => [one.into, one]));
    // A turn is above the checkpoint with which it begins.
    const rows = [
      ...begins.map((turn) => ({
        place: turn.place,
        state: turn.after,
        isHere: turn.isCurrent,
        line: `${lineStart(turn, view, columns)}  ${turnText(turn, view.style)}`,
      })),
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
        return {
          place: one.id,
          state: one.id,
          isHere: one.id === current && !isInTurn,
          line: `${checkpointLine(one, view, columns)}${pin}${roots}${more}`,
        };
      }),
      ...damaged.map(({ id, problem }) => ({
        place: id,
        state: null,
        isHere: id === current && !isInTurn,
        line: `${view.style.id(id.padEnd(columns.id))}  ${view.style.bad('damaged')}: ${showText(problem.message)}`,
      })),
    ].sort((a, b) => Number(b.place.slice(3)) - Number(a.place.slice(3)));
    return lines(
      rows.map(({ isHere, state, line }) => {
        if (isHere) return `${line}  [here]`;
        return state !== null && sameFiles.includes(state) ? `${line}  [same files]` : line;
      }),
      notes,
    );
  },
});

type Output = OutputOf<typeof VERBS.list>;

function notesOf({ turns, hidden, notHappened, next }: Output, options: VerbArguments['options']): readonly string[] {
  const isKind = options['manual'] === true || options['multiFile'] === true;
  return [
    ...notHappenedLines(notHappened),
    ...(turns.some(({ before }) => before === null)
      ? ['`-`: no checkpoint has the state before that work. --all lists the checkpoints of the work.']
      : []),
    ...(hidden > 0 && !isKind
      ? [`${countText(hidden, 'automatic checkpoint')} hidden (--all shows ${hidden === 1 ? 'it' : 'them'})`]
      : []),
    ...(next === null ? [] : [`Older checkpoints: \`savepoint list ${samePage(options)}--before ${next}\``]),
  ];
}

/** The options that decide what is listed. */
function samePage(options: VerbArguments['options']): string {
  const view = VIEWS.flatMap(([option, name]) => (options[option] === true ? [`--${name} `] : []));
  const { session } = options;
  return `${view.join('')}${typeof session === 'string' ? `--session ${shellWord(session)} ` : ''}`;
}
