/** Deletes one session's part of the timeline. */

import { showText } from '../../content/show-name.ts';
import type { Pace } from '../../io/pace.ts';
import { type Checkpoint, isOperation } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import type { CheckpointId, SessionId } from '../../model/ids.ts';
import type { HeldLock } from '../../store/lock.ts';
import { writeSessionState } from '../../store/state/session-state.ts';
import type { Workspace } from '../capture/workspace.ts';
import { type CleanUpResult, dropCheckpoints } from './clean-up.ts';

/**
 * `newest`: the workspace's last checkpoint. `pinned`: it is pinned. `undo`: the state before a kept operation, which its
 * undo needs.
 */
export type KeptReason = 'newest' | 'pinned' | 'undo';

export interface ForgottenSession extends CleanUpResult {
  readonly session: SessionId;
  /** Checkpoints of the session that are kept anyway. */
  readonly stayed: readonly { readonly id: CheckpointId; readonly why: KeptReason }[];
}

/**
 * Drops the session's checkpoints and what only they needed. Changes of the session that other
 * checkpoints list are kept.
 * @throws SavepointError UNKNOWN_SESSION, and the errors of `dropCheckpoints`
 */
export async function forgetSession(
  workspace: Workspace,
  lock: HeldLock,
  session: SessionId,
  pace: Pace,
): Promise<ForgottenSession> {
  const { checkpoints } = workspace.timeline.readAll();
  const own = checkpoints.filter((one) => one.session === session);
  if (own.length === 0) {
    const isNamed = checkpoints.some(({ changes }) =>
      changes?.some(({ by }) => by.authors.some((one) => one.session === session)),
    );
    const message = isNamed
      ? `Session ${showText(session)} has no checkpoints of its own; its changes are recorded in checkpoints of other sessions.`
      : `No checkpoint belongs to session ${showText(session)}.`;
    throw new SavepointError('UNKNOWN_SESSION', message, { session });
  }
  const reasons = reasonsToKeep(checkpoints, session, workspace.timeline.pinned());
  const stayed = own.flatMap(({ id }) => {
    const why = reasons.get(id);
    return why === undefined ? [] : [{ id, why }];
  });
  const drop = own.filter(({ id }) => !reasons.has(id)).map(({ number }) => number);
  const { ports, store, timeline } = workspace;
  const upTo = timeline.lastNumber();
  const done = await dropCheckpoints(workspace, lock, drop, pace);
  // Other checkpoints still name the session as an author. Without this state, lists would show it again.
  writeSessionState(ports.fs, store.layout, session, {
    conversation: null,
    heard: null,
    transcript: null,
    deletedUpTo: upTo,
    events: [],
    processes: [],
  });
  return { ...done, session, stayed };
}

function reasonsToKeep(
  checkpoints: readonly Checkpoint[],
  session: SessionId,
  pinned: ReadonlySet<number>,
): ReadonlyMap<CheckpointId, KeptReason> {
  const reasons = new Map<CheckpointId, KeptReason>();
  const newest = checkpoints.at(-1);
  if (newest !== undefined) reasons.set(newest.id, 'newest');
  for (const { id, number } of checkpoints) if (pinned.has(number) && !reasons.has(id)) reasons.set(id, 'pinned');
  for (const { id, previous, trigger, session: of } of checkpoints) {
    const isKept = of !== session || reasons.has(id);
    if (isKept && isOperation(trigger) && previous !== null && !reasons.has(previous)) reasons.set(previous, 'undo');
  }
  return reasons;
}
