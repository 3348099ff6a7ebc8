/** The frame of a pane, with titles in its upper border. */
import { styledWidth } from '../../terminal-host/overlay/clip.ts';
import type { Paints } from './paint.ts';

export interface FrameTitles {
  /** May be styled. */
  readonly left: string;
  readonly right: string;
}

/** @param columns inside the frame */
export function topBorder({ left, right }: FrameTitles, columns: number, paint: (text: string) => string): string {
  const [start, end] = [titled(left), titled(right)];
  const room = columns - styledWidth(start) - styledWidth(end) - 2;
  if (room < 0)
    return right === ''
      ? `${paint('╭')}${paint('─'.repeat(columns))}${paint('╮')}`
      : topBorder({ left, right: '' }, columns, paint);
  return `${paint('╭─')}${start}${paint('─'.repeat(room))}${end}${paint('─╮')}`;
}

export function bottomBorder(columns: number, paint: (text: string) => string): string {
  return paint(`╰${'─'.repeat(columns)}╯`);
}

export function sideBorder(rows: number, paint: (text: string) => string): string {
  return Array.from({ length: rows }, () => paint('│')).join('\n');
}

/** The frame of the pane with the keyboard is brighter. */
export function framePaint(isActive: boolean, paints: Paints): (text: string) => string {
  return isActive ? paints.place : paints.faint;
}

function titled(text: string): string {
  return text === '' ? '' : ` ${text} `;
}
