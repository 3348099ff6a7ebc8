/** What `savepoint run` says at the end: what changed while the command ran, in any capture. */
import type { EndedCall, Savepoint } from '@savepoint/core';
import { countText } from '../../show/format.ts';

export interface FinishedRun {
  readonly found: EndedCall;
  /** The newest checkpoint when the command was started; null if that is not known. */
  readonly before: string | null;
  readonly session: string;
  readonly id: (text: string) => string;
}

const LIST = '`savepoint list` shows';

/** @returns null if it cannot be read, which must not stop the command */
export async function newestCheckpoint(savepoint: Savepoint): Promise<string | null> {
  return savepoint.show('last').then(
    ({ id }) => id,
    () => null,
  );
}

export async function resultNotes(savepoint: Savepoint, run: FinishedRun): Promise<readonly string[]> {
  const { found, uncovered } = run.found;
  if (!found) return [];
  const left = uncovered.length === 0 ? [] : [`${countText(uncovered.length, 'path')} could not be captured.`];
  return [await changesNote(savepoint, run), ...left];
}

async function changesNote(savepoint: Savepoint, { found, before, session, id }: FinishedRun): Promise<string> {
  const { checkpoint, changes } = found;
  const now = await newestCheckpoint(savepoint);
  if (before !== null && before === now) return 'savepoint: no changes.';
  const count = before === null || now === null ? null : await changedPaths(savepoint, before, now);
  if (count === null) return `savepoint: ${LIST} what changed.`;
  if (count === 0) return `savepoint: all files are as before. ${LIST} what changed in between.`;
  const isOwn =
    changes.length === count && changes.every(({ by }) => by.authors.some((one) => one.session === session));
  const text = `savepoint: ${countText(count, 'path')} changed`;
  if (checkpoint === null || !isOwn) return `${text}. ${LIST} the changes.`;
  return `${text} (${id(checkpoint.id)}). To revert: \`savepoint rollback --session ${session} --likely\``;
}

async function changedPaths(savepoint: Savepoint, from: string, to: string): Promise<number | null> {
  return savepoint.diff({ from, to }).then(
    ({ changes }) => changes.length,
    () => null,
  );
}
