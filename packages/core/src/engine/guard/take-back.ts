/** Takes back what a session has changed since a checkpoint, because checks became worse. */

import { showName } from '../../content/show-name.ts';
import { type Checkpoint, isReversion } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import type { CallId, SessionId } from '../../model/ids.ts';
import { NO_CHOICES } from '../../rewind/conflict-choices.ts';
import { undoOperation } from '../../rewind/operations.ts';
import { type RollbackPreview, rollbackOperation } from '../../rewind/rollback.ts';
import { nextOperations } from '../../timeline/activity/operations.ts';
import type { Engine } from '../engine.ts';
import { makeRoom, RESERVE_BYTES } from '../maintenance.ts';
import { runAndAnnounce } from '../operate.ts';

/** The actor of what the guard does. A person turned it on. */
export const GUARD = { kind: 'user', name: 'guard' } as const;

export interface TakeBackRequest {
  readonly session: SessionId;
  /** Number of the checkpoint after which everything of the session is taken back. */
  readonly after: number;
  /** The call in which the guard itself runs. */
  readonly inside: CallId | null;
  /** For the timeline, in one line. */
  readonly because: string;
  readonly signal: AbortSignal;
}

export interface TakenBack {
  /** Null: there was nothing to take back. */
  readonly operation: Checkpoint | null;
  readonly kept: readonly { readonly path: string; readonly why: string }[];
}

/**
 * Rolls back what is surely or likely the session's. What may be by others stays, and so do files that do not merge.
 * Calls of the session that go on in the background do not prevent it.
 * @throws SavepointError CALL_OPEN, PENDING, and what `rollback` throws
 */
export function takeBack(engine: Engine, request: TakeBackRequest): Promise<TakenBack> {
  const { session, after, inside, because, signal } = request;
  return engine.operate({ signal }, async (operating) => {
    const { workspace, pace } = operating;
    await makeRoom(operating, 'all', RESERVE_BYTES);
    const { operation, preview } = rollbackOperation(
      workspace,
      {
        selection: { session, after: { checkpoint: after } },
        actor: GUARD,
        least: 'likely',
        choices: { ...NO_CHOICES, skipConflicts: true },
        force: false,
        inside,
        because,
        passesOver: (call) => call.session === session && call.background,
      },
      pace,
    );
    const done = await runAndAnnounce(engine, operating, 'rollback:completed', operation, { signal });
    return { operation: done.checkpoint, kept: keptOf(preview()) };
  });
}

/** Undoes the take-back, unless an operation came after it. @returns whether it was undone */
export function putBackAgain(engine: Engine, { id }: Checkpoint, signal: AbortSignal): Promise<boolean> {
  return engine.operate({ signal }, async (operating) => {
    const { workspace, pace } = operating;
    if (nextOperations(workspace.timeline.newestFirst()).undo?.id !== id) return false;
    try {
      await makeRoom(operating, 'all', RESERVE_BYTES);
      const operation = undoOperation(workspace, GUARD, NO_CHOICES, pace);
      await runAndAnnounce(engine, operating, 'undo:completed', operation, { signal });
      return true;
    } catch (error) {
      if (error instanceof SavepointError && error.code === 'CONFLICT') return false;
      throw error;
    }
  });
}

/** Who changed files after a checkpoint: this session, others, or both. The guard itself does not count. */
export function whoWorkedSince(
  engine: Engine,
  session: SessionId,
  after: number,
): Promise<{ readonly session: boolean; readonly others: boolean }> {
  return engine.read(({ timeline }) => {
    const found = { session: false, others: false };
    for (const { checkpoint } of timeline.newestFirst()) {
      if (checkpoint === null || checkpoint.changes === null) return { session: true, others: true };
      if (checkpoint.number <= after) break;
      if (checkpoint.actor.name === GUARD.name && isReversion(checkpoint.trigger)) continue;
      for (const { by } of checkpoint.changes) {
        if (by.authors.some((author) => author.session === session)) found.session = true;
        if (by.authors.some((author) => author.session !== session)) found.others = true;
      }
    }
    return found;
  });
}

function keptOf({ skipped, results }: RollbackPreview): TakenBack['kept'] {
  const inConflict = results.filter(({ result }) => result === 'conflict');
  return [
    ...skipped.filter(({ grade }) => grade !== null).map(({ change, why }) => ({ path: showName(change.path), why })),
    ...inConflict.map(({ path, why }) => ({ path: showName(path), why: why ?? 'it does not merge' })),
  ];
}
