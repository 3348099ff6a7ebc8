import { showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';
import type { OutputView } from '../view.ts';
import { countText } from './format.ts';

/** A checkpoint without its changes. */
export type BriefJson = OutputOf<(typeof VERBS)['checkpoint']>['checkpoint'];

/**
 * Shows a checkpoint on one line: `cp_4  5 min ago  manual    user  what it is about  [partial …]`.
 * @param columns minimum widths, to align several lines
 */
export function checkpointLine(checkpoint: BriefJson, view: OutputView, columns: LineColumns): string {
  const marks = checkpointMarks(checkpoint).map((mark) => `  [${mark}]`);
  return `${lineStart({ ...checkpoint, kind: checkpoint.trigger }, view, columns)}  ${titleText(checkpoint.description)}${marks.join('')}`;
}

/** What every line of a list begins with. */
export interface LineStart {
  readonly id: string;
  /** ISO 8601. */
  readonly time: string;
  readonly actor: BriefJson['actor'];
  /** Of a checkpoint, who did what it records. */
  readonly by?: BriefJson['by'];
}

interface LineColumns {
  readonly id: number;
  readonly time: number;
  readonly actor: number;
  readonly timeOf: (iso: string) => string;
}

/** @param timeOf how to show a time */
export function lineColumns(
  ids: readonly string[],
  rows: readonly LineStart[],
  timeOf: (iso: string) => string,
): LineColumns {
  const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => text.length));
  return {
    id: widest([...ids, ...rows.map(({ id }) => id)]),
    time: widest(rows.map(({ time }) => timeOf(time))),
    actor: widest(rows.map(actorName)),
    timeOf,
  };
}

/** @param row.kind what the line is about: `manual`, `turn` */
export function lineStart(
  row: LineStart & { readonly kind: string },
  { style }: OutputView,
  columns: LineColumns,
): string {
  // Padded by the length of the plain id: the escape sequences of a style have no width.
  const padding = ' '.repeat(Math.max(0, columns.id - row.id.length));
  const time = style.faint(columns.timeOf(row.time).padEnd(columns.time));
  return `${style.id(row.id)}${padding}  ${time}  ${row.kind.padEnd(8)}  ${actorName(row).padEnd(columns.actor)}`;
}

/** Tells of an operation that did not happen. */
export function notHappenedLines(given: OutputOf<(typeof VERBS)['status']>['notHappened']): string[] {
  if (given === null) return [];
  const { before, operation, target } = given;
  const what = target === null ? `The last ${operation}` : `The ${operation} of ${target}`;
  return [
    `${what} did not happen: it was interrupted or refused. Run it again if you still want it. The state before it is ${before}.`,
  ];
}

/** Names damaged checkpoints, whose changes are not counted. */
export function uncountedLines(
  damaged: OutputOf<(typeof VERBS)['sessions']>['damaged'],
  { style }: OutputView,
): string[] {
  return damaged.map(
    ({ id, problem }) => `${style.id(id)}  ${style.bad('damaged')}, not counted: ${showText(problem.message)}`,
  );
}

/** Lists the warnings about a checkpoint, and its test result. */
export function checkpointMarks({ partial, unsettled, incomplete, testResult, late }: BriefJson): string[] {
  return [
    ...(testResult === null ? [] : [`tests ${testResult}`]),
    ...(late ? ['late: taken after its call started'] : []),
    ...(partial.length === 0 ? [] : [`partial: ${countText(partial.length, 'path')} could not be read`]),
    ...(incomplete ? ['list of changes incomplete'] : []),
    ...(unsettled.length === 0 ? [] : [`${countText(unsettled.length, 'file')} unsettled`]),
  ];
}

/** Why a checkpoint cannot be dropped. */
export const KEPT_BECAUSE = {
  newest: 'newest checkpoint of the workspace',
  pinned: 'pinned',
  copy: 'what the changes in a copy are relative to',
  undo: 'needed to undo an operation that remains',
} as const;

const SHOWN_LETTERS = 100;

/** The beginning of a text, on one line. */
export function shortText(text: string): string {
  const line = showText(text.replace(/\s+/g, ' ').trim());
  return line.length > SHOWN_LETTERS ? `${line.slice(0, SHOWN_LETTERS - 1)}…` : line;
}

/** A description on one line. Of an undo, which names what it reverted, the end stays: `Undid cp_3 (Tried: …)`. */
export function titleText(description: string): string {
  const [, what, inner] = /^((?:Undid|Redid) cp_\d+) \((.*)\)$/s.exec(description) ?? [];
  return what === undefined || inner === undefined ? shortText(description) : `${what} (${titleText(inner)})`;
}

const ACTOR_LETTERS = 20;

function actorName({ actor, by = [actor] }: LineStart): string {
  return showText(by.map(({ name }) => name).join(', ')).slice(0, ACTOR_LETTERS);
}
