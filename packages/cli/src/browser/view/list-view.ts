/** The lines of the list: one for each row in view. */
import { showText } from '@savepoint/core';
import { checkpointMarks, shortText } from '../../show/checkpoint.ts';
import { countText, groupDigits, lineCounts } from '../../show/format.ts';
import { layoutOf } from '../layout.ts';
import { chosenIndex, visibleRows } from '../list/rows.ts';
import { type Row, rowKey, type State } from '../model.ts';
import type { Paints } from './paint.ts';
import { ends, fit } from './text.ts';

interface Context {
  readonly paints: Paints;
  readonly columns: number;
  readonly now: number;
  readonly widths: { readonly id: number; readonly actor: number };
  /** `A` or `B`; `▸` for the chosen row while the diff has the keyboard. */
  readonly mark: string;
}

const TIME_COLUMNS = 4;
/** In a narrower list, a turn is its words: the diff names its checkpoints. */
const ID_COLUMNS = 64;
const ACTOR_COLUMNS = 10;

export function listLines(state: State, paints: Paints, now: number): readonly string[] {
  const { columns, rows: height } = layoutOf(state.size).list;
  const rows = visibleRows(state);
  const chosen = chosenIndex(state);
  const shown = rows.slice(state.top, state.top + height);
  if (shown.length === 0) return [fit(paints.faint(emptyText(state)), columns)];
  const widths = {
    id: state.tab === 'turns' && columns < ID_COLUMNS ? 0 : Math.max(...shown.map((row) => idOf(row).length)),
    actor: Math.min(ACTOR_COLUMNS, Math.max(...shown.map((row) => actorOf(row).length))),
  };
  return shown.map((row, index) => {
    const isChosen = state.top + index === chosen;
    const marked = ['A', 'B'][state.marks.indexOf(rowKey(row))];
    const mark = marked ?? (isChosen && state.focus === 'diff' ? '▸' : ' ');
    const context = {
      paints: isChosen && state.focus === 'list' ? INVERTED(paints) : paints,
      columns,
      now,
      widths,
      mark,
    };
    const line = rowLine(row, context);
    if (!isChosen) return line;
    return state.focus === 'list' ? paints.inverse(line) : paints.strong(line);
  });
}

/** `5s`, `12m`, `3h`, `9d`, `2y`: the age in at most four columns. */
export function shortAge(iso: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - new Date(iso).getTime()) / 1000));
  const [, unit, length] = AGES.find(([below]) => seconds < below) ?? AGES.at(-1)!;
  return `${groupDigits(Math.floor(seconds / length))}${unit}`;
}

function emptyText({ lists, tab, filter }: State): string {
  if (lists[tab].isLoading || lists[tab].next === 'first') return ' loading …';
  if (filter !== '') return ' nothing matches the filter';
  return tab === 'turns' ? ' no prompts to agents recorded yet' : ' no checkpoints';
}

/** On the inverse row, colours would make a patchwork. */
const INVERTED = (paints: Paints): Paints => {
  const same = (text: string): string => text;
  return {
    ...Object.fromEntries(Object.keys(paints).map((name) => [name, same])),
  } as unknown as Paints;
};

function rowLine(row: Row, context: Context): string {
  const { paints, columns, widths, mark } = context;
  const start = paints.mark(mark);
  switch (row.kind) {
    case 'now':
      return fit(`${start}${paints.name('●')} ${'the files as they are'}`, columns);
    case 'damaged': {
      const id = paints.id(row.id.padEnd(widths.id));
      return fit(`${start}  ${id} ${paints.bad('damaged')}: ${showText(row.message)}`, columns);
    }
    case 'turn':
      return turnLine(row, context);
    case 'checkpoint':
      return checkpointLine(row, context);
  }
}

function turnLine({ turn }: Extract<Row, { kind: 'turn' }>, context: Context): string {
  const { paints, columns, now, mark } = context;
  const words = turn.prompt === null ? paints.faint('(no prompt recorded)') : shortText(turn.prompt);
  const here = turn.isCurrent ? paints.name('●') : ' ';
  const left = `${paints.mark(mark)}${here} ${head(turn.before ?? '-', turn.ended, turn.actor.name, context, now)} ${words}`;
  const undone =
    turn.takenBack === 0 ? '' : turn.takenBack === turn.changes ? 'taken back' : `${turn.takenBack} taken back`;
  const right =
    turn.changes === 0 ? paints.faint('no change') : undone !== '' ? paints.faint(undone) : counts(turn, paints);
  return `${ends(left, right, columns - 1)} `;
}

function checkpointLine(row: Extract<Row, { kind: 'checkpoint' }>, context: Context): string {
  const { paints, columns, now, mark } = context;
  const { checkpoint, isPinned, isCurrent, folded, rootNotes } = row;
  const pin = isPinned ? paints.mark('◆') : isCurrent ? paints.name('●') : ' ';
  const marks = [
    ...checkpointMarks({ ...checkpoint, testResult: null }),
    ...(folded.length > 0 ? [`${folded.length + 1} steps`] : []),
    ...rootNotes,
  ];
  const notes = marks.length === 0 ? '' : ` ${paints.faint(marks.map((text) => `[${showText(text)}]`).join(' '))}`;
  const description = shortText(checkpoint.description);
  const words = isOwn(checkpoint.trigger) ? paints.place(description) : description;
  const { testResult } = checkpoint;
  const tests = testResult === null ? '' : testResult === 'pass' ? paints.good('✓ ') : paints.bad('✗ ');
  const left = `${paints.mark(mark)}${pin} ${head(checkpoint.id, checkpoint.time, namesOf(checkpoint.by), context, now)} ${tests}${words}${notes}`;
  return `${ends(left, counts(checkpoint.totals, paints), columns - 1)} `;
}

/** Operations of Savepoint itself stand out, because they move the files. */
function isOwn(trigger: string): boolean {
  return ['restore', 'rollback', 'undo', 'redo'].includes(trigger);
}

function head(id: string, time: string, actor: string, { paints, widths }: Context, now: number): string {
  const who = fit(showText(actor), widths.actor);
  const name = widths.id === 0 ? '' : `${paints.id(id.padEnd(widths.id))} `;
  return `${name}${paints.faint(shortAge(time, now).padStart(TIME_COLUMNS))} ${paints.name(who)}`;
}

function counts({ files, added, removed }: { files: number; added: number; removed: number }, paints: Paints): string {
  if (files === 0) return '';
  if (added + removed === 0) return paints.faint(countText(files, 'file'));
  const [plus, minus] = [lineCounts(added, 0), lineCounts(0, removed)];
  return [paints.good(plus), paints.bad(minus)].filter((part) => part !== '').join(' ');
}

function idOf(row: Row): string {
  if (row.kind === 'now') return '';
  if (row.kind === 'turn') return row.turn.before ?? '-';
  return row.kind === 'damaged' ? row.id : row.checkpoint.id;
}

function namesOf(actors: readonly { readonly name: string }[]): string {
  return actors.map(({ name }) => name).join(', ');
}

function actorOf(row: Row): string {
  if (row.kind === 'turn') return showText(row.turn.actor.name);
  return row.kind === 'checkpoint' ? showText(namesOf(row.checkpoint.by)) : '';
}

const AGES = [
  [60, 's', 1],
  [3_600, 'm', 60],
  [86_400, 'h', 3_600],
  [86_400 * 365, 'd', 86_400],
  [Number.POSITIVE_INFINITY, 'y', 86_400 * 365],
] as const;
