import { showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';
import type { OutputView } from '../view.ts';
import { countText, localTime } from './format.ts';

/** A checkpoint without its changes. */
export type BriefJson = OutputOf<(typeof VERBS)['checkpoint']>['checkpoint'];

/**
 * Shows a checkpoint on one line: `cp_4  2026-01-31 12:00:00  manual   what it is about  [partial …]`.
 * @param idColumns minimum width of the id, to align several lines
 */
export function checkpointLine(checkpoint: BriefJson, { style }: OutputView, idColumns = 0): string {
  const { id, time, trigger, description } = checkpoint;
  const marks = checkpointMarks(checkpoint).map((mark) => `  [${mark}]`);
  // Padded by the length of the plain id: the escape sequences of a style have no width.
  const padding = ' '.repeat(Math.max(0, idColumns - id.length));
  const start = `${style.id(id)}${padding}  ${style.faint(localTime(time))}`;
  return `${start}  ${trigger.padEnd(8)}  ${showText(description)}${marks.join('')}`;
}

/** Lists the warnings about a checkpoint, and its test result. */
export function checkpointMarks({ partial, unsettled, testResult, late }: BriefJson): string[] {
  return [
    ...(testResult === null ? [] : [`tests ${testResult}`]),
    ...(late ? ['late: taken after its call started'] : []),
    ...(partial.length === 0 ? [] : [`partial: ${countText(partial.length, 'path')} could not be read`]),
    ...(unsettled.length === 0 ? [] : [`${countText(unsettled.length, 'file')} unsettled`]),
  ];
}

const SHOWN_LETTERS = 100;

/** The beginning of a text, on one line. */
export function shortText(text: string): string {
  const line = showText(text.replace(/\s+/g, ' ').trim());
  return line.length > SHOWN_LETTERS ? `${line.slice(0, SHOWN_LETTERS - 1)}…` : line;
}
