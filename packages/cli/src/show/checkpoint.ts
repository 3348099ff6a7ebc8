import { showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';
import type { OutputView } from '../view.ts';
import { countText, localTime } from './format.ts';

export type BriefJson = OutputOf<(typeof VERBS)['checkpoint']>['checkpoint'];

/** `cp_4  2026-01-31 12:00:00  manual   what it is about  [partial …]` */
export function checkpointLine(checkpoint: BriefJson, { style }: OutputView, idColumns = 0): string {
  const { id, time, trigger, description } = checkpoint;
  const marks = checkpointMarks(checkpoint).map((mark) => `  [${mark}]`);
  const start = `${style.id(id)}${' '.repeat(Math.max(0, idColumns - id.length))}  ${style.faint(localTime(time))}`;
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
