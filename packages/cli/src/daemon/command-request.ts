/** What a command sends to the daemon, and what it gets back. Loads nothing of the engine. */
import type { Progress } from '@savepoint/core';
import type { Stream } from '../view.ts';

/** The path of the request. */
export const COMMAND_ROUTE = 'command';

/** All that the output of a command depends on, apart from the files. */
export interface CommandRequest {
  readonly args: readonly string[];
  /** The current folder, as the shell names it. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Standard output and standard error. */
  readonly streams: readonly [Stream, Stream];
  /** See {@link zoneOffsets}. */
  readonly zone: readonly number[];
  readonly node: string;
  readonly script: string;
}

/** One line of JSON each. The last one has an answer, or says that the command must do the work itself. */
export type CommandReply =
  | { readonly progress: Progress | null }
  | { readonly answer: CommandAnswer }
  | { readonly declined: string };

export interface CommandAnswer {
  /** Base64. */
  readonly text: string;
  /** The root of the workspace, if the text goes through the pager. One character per byte. */
  readonly pagedIn: string | null;
  /** Printed on standard error, in this order. */
  readonly warnings: readonly string[];
  readonly exit: number;
}

/**
 * The verbs that the daemon answers: they only read, they end by themselves, and most of their time was the start of the
 * process and the scan.
 */
export const ANSWERED: ReadonlySet<string> = new Set([
  'blame',
  'diff',
  'history',
  'list',
  'sessions',
  'show',
  'stats',
  'status',
  'turns',
]);

/** Offsets of local time from UTC in minutes, now and in summers and winters: two processes show the same local times. */
export function zoneOffsets(now: Date): readonly number[] {
  const years = [2000, now.getFullYear() - 1, now.getFullYear()];
  const days = years.flatMap((year) => [new Date(year, 0, 15), new Date(year, 6, 15)]);
  return [now, ...days].map((day) => day.getTimezoneOffset());
}
