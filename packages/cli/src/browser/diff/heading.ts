/** What the diff pane says above the files. */
import { showText } from '@savepoint/core';
import { type TotalsJson, totalsLine } from '../../show/changes.ts';
import { checkpointMarks, shortText } from '../../show/checkpoint.ts';
import { countText, localTime } from '../../show/format.ts';
import { clip } from '../../terminal-host/overlay/clip.ts';
import type { Row } from '../model.ts';
import type { Paints } from '../view/paint.ts';
import { wrap } from '../view/text.ts';

const MOST_LINES = 6;

/** @param rows one, or the older and the newer of two */
export function headingOf(rows: readonly Row[], paints: Paints, columns: number): readonly string[] {
  const [row, other] = rows;
  if (row !== undefined && other !== undefined) {
    return [briefly(row, 'before', paints), briefly(other, 'after', paints)].map((text) => clip(text, columns - 2));
  }
  if (row === undefined || row.kind === 'now') return [paints.strong('What differs from the last checkpoint')];
  if (row.kind === 'damaged') return [paints.bad(`${row.id} is damaged: ${showText(row.message)}`)];
  const words = row.kind === 'turn' ? (row.turn.prompt ?? '(no prompt recorded)') : row.checkpoint.description;
  const text = wrap(showText(words.replace(/\s+/g, ' ').trim()), columns - 2, MOST_LINES).map(paints.strong);
  return [...(row.kind === 'turn' ? turnFacts(row, paints) : checkpointFacts(row, paints)), ...text];
}

/** One line below: how much changed. */
export function totalsHeading(totals: TotalsJson, notes: readonly string[], paints: Paints): readonly string[] {
  return [
    '',
    totals.files === 0 ? paints.faint('no file changed') : paints.faint(totalsLine(totals)),
    ...notes.map(paints.bad),
  ];
}

/** @param side which state of a turn is compared */
function briefly(row: Row, side: 'before' | 'after', paints: Paints): string {
  if (row.kind === 'now') return `${paints.id('now')}  the files as they are`;
  if (row.kind === 'damaged') return `${paints.id(row.id)}  ${paints.bad('damaged')}`;
  if (row.kind === 'checkpoint') return `${paints.id(row.checkpoint.id)}  ${shortText(row.checkpoint.description)}`;
  const id = side === 'before' ? (row.turn.before ?? 'unknown') : (row.turn.after ?? 'now');
  return `${paints.id(id)}  ${side} ${shortText(row.turn.prompt ?? '(no prompt recorded)')}`;
}

function checkpointFacts({ checkpoint, isPinned, rootNotes }: Extract<Row, { kind: 'checkpoint' }>, paints: Paints) {
  const { id, time, actor, trigger, session, previous, counts } = checkpoint;
  const by = `${paints.name(showText(actor.name))}${session === null ? '' : paints.faint(` ${showText(session)}`)}`;
  return [
    `${paints.id(id)}  ${paints.faint(localTime(time))}  ${by}  ${trigger}${isPinned ? `  ${paints.mark('◆ pinned')}` : ''}`,
    ...checkpointMarks(checkpoint).map((mark) => paints.bad(mark)),
    ...rootNotes.map((note) => paints.place(note)),
    ...(previous === null ? [paints.faint(`first checkpoint here, of ${countText(counts.files, 'file')}`)] : []),
  ];
}

function turnFacts({ turn }: Extract<Row, { kind: 'turn' }>, paints: Paints): readonly string[] {
  const { before, after, began, actor, session, changes, takenBack } = turn;
  const states = `${before ?? 'unknown'} → ${after ?? 'now'}`;
  const back = `${takenBack === changes ? 'all' : takenBack} of ${countText(changes, 'change')} taken back since`;
  return [
    `${paints.id(states)}  ${paints.faint(localTime(began))}  ${paints.name(showText(actor.name))} ${paints.faint(showText(session))}`,
    ...(takenBack === 0 ? [] : [paints.mark(back)]),
  ];
}
