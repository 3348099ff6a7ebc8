/** What the diff pane says above the files. */
import { showText } from '@savepoint/core';
import { type TotalsJson, totalsLine } from '../../show/changes.ts';
import { checkpointMarks } from '../../show/checkpoint.ts';
import { countText, localTime } from '../../show/format.ts';
import type { Row } from '../model.ts';
import type { Paints } from '../view/paint.ts';
import { wrap } from '../view/text.ts';

const MOST_LINES = 6;

export function headingOf(row: Row | null, paints: Paints, columns: number): readonly string[] {
  if (row === null || row.kind === 'now') return [];
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
  const { before, after, began, actor, session, calls, changes, takenBack } = turn;
  const back = takenBack === 0 ? '' : `, ${takenBack === changes ? 'all' : takenBack} taken back`;
  return [
    `${paints.id(`${before ?? 'unknown'} → ${after ?? 'now'}`)}  ${paints.faint(localTime(began))}  ${paints.name(showText(actor.name))} ${paints.faint(showText(session))}`,
    paints.faint(`${countText(calls, 'call')} that changed something, ${countText(changes, 'change')}${back}`),
  ];
}
