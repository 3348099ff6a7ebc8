/** Deletes one session's part of the timeline. */

import { showText } from '../../content/show-name.ts';
import type { Pace } from '../../io/pace.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { type Comment, commentStatus } from '../../model/comment.ts';
import { SavepointError } from '../../model/errors.ts';
import type { CheckpointId, ObjectId, PlanId, SessionId } from '../../model/ids.ts';
import type { HeldLock } from '../../store/lock.ts';
import { dropComments } from '../../store/state/comments.ts';
import { removeFactCache } from '../../store/state/fact-cache.ts';
import { removeTextsOfCalls } from '../../store/state/open-calls.ts';
import { dropScopes } from '../../store/state/scope.ts';
import { UNKNOWN_STATE, writeSessionState } from '../../store/state/session-state.ts';
import { removeWatchViews } from '../../store/state/watch-views.ts';
import { describeWithoutTexts } from '../capture/describe.ts';
import type { Workspace } from '../capture/workspace.ts';
import { redactRecord } from '../record/checkpoint-json.ts';
import { quotesPlan } from '../record/plan-descriptions.ts';
import { isPlanOf, readPlans, removeTextsOfPlans, type StoredPlan } from '../record/plan-records.ts';
import { writeCheckpoint } from '../record/timeline.ts';
import { type CleanUpResult, dropCheckpoints } from './clean-up.ts';
import { type KeptReason, reasonsToKeep } from './kept-reasons.ts';

export interface ForgottenSession extends CleanUpResult {
  readonly session: SessionId;
  /** Checkpoints of the session that are kept anyway. */
  readonly stayed: readonly { readonly id: CheckpointId; readonly why: KeptReason }[];
  /** Plans that the session had a part in: their texts were removed, and what they propose stays. */
  readonly plans: readonly PlanId[];
  /** How many comments were removed that no agent had received. */
  readonly unsentComments: number;
}

/**
 * Drops the session's checkpoints and what only they needed. Changes of the session that other checkpoints list are kept.
 * The texts of the session, including descriptions, are removed from the checkpoints that are kept. These get another
 * commit, and keep everything else. They are removed from the records of open calls as well, and from plans that the session
 * had a part in.
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
  const plans = plansOf(workspace, session);
  if (own.length === 0 && plans.length === 0) {
    const isNamed = checkpoints.some(({ changes }) =>
      changes?.some(({ by }) => by.authors.some((one) => one.session === session)),
    );
    const message = isNamed
      ? `Session ${showText(session)} has no checkpoints of its own; its changes are recorded in checkpoints of other sessions.`
      : `No checkpoint belongs to session ${showText(session)}.`;
    throw new SavepointError('UNKNOWN_SESSION', message, { session });
  }
  const pinned = workspace.timeline.pinned();
  const reasons = reasonsToKeep(checkpoints, (one) => one.session === session, pinned, workspace.basesOfCopies());
  const stayed = own.flatMap(({ id }) => {
    const why = reasons.get(id);
    return why === undefined ? [] : [{ id, why }];
  });
  const drop = own.filter(({ id }) => !reasons.has(id)).map(({ number }) => number);
  const { ports, store, timeline } = workspace;
  const upTo = timeline.lastNumber();
  await removeTexts(workspace, lock, withTextsOf(checkpoints, session, plans, new Set(drop)), plans, pace);
  removeTextsOfCalls(ports.fs, store.layout, session);
  removeWatchViews(ports.fs, store.layout);
  removeFactCache(ports.fs, store.layout);
  // They quote lines of the session.
  const isOfSession = (one: Comment) => one.session === session || one.sent?.session === session;
  const comments = dropComments(ports.fs, store.layout, isOfSession);
  const unsentComments = comments.filter((one) => commentStatus(one) === 'open').length;
  dropScopes(ports, store.layout, (one) => one === session);
  const done = await dropCheckpoints(workspace, lock, drop, pace);
  // Other checkpoints still name the session as an author. Without this state, lists would show it again.
  writeSessionState(ports.fs, store.layout, session, { ...UNKNOWN_STATE, deletedUpTo: upTo });
  return { ...done, session, stayed, plans: plans.map(({ id }) => id), unsentComments };
}

/** The plans that a session had a part in. One that cannot be read is left as it is. */
export function plansOf({ store }: Workspace, session: SessionId): readonly StoredPlan[] {
  return readPlans(store.objects, store.refs).plans.filter((plan) => isPlanOf(plan, session));
}

/** A checkpoint that is kept and has texts of the session: all its own, or only a description that quotes another one. */
interface CheckpointWithTexts {
  readonly checkpoint: Checkpoint;
  readonly isOwn: boolean;
}

function withTextsOf(
  checkpoints: readonly Checkpoint[],
  session: SessionId,
  plans: readonly StoredPlan[],
  dropped: ReadonlySet<number>,
): readonly CheckpointWithTexts[] {
  const described = new Set<CheckpointId>();
  const found: CheckpointWithTexts[] = [];
  for (const checkpoint of checkpoints) {
    const { id, undoes, description } = checkpoint;
    const isOwn = checkpoint.session === session;
    const isOfPlan = plans.some((plan) => quotesPlan(description, plan.id));
    // An undo or a redo quotes the description of the operation that it reverts, which may quote another one.
    if (!isOwn && !isOfPlan && (undoes === null || !described.has(undoes))) continue;
    described.add(id);
    if (!dropped.has(checkpoint.number)) found.push({ checkpoint, isOwn });
  }
  return found;
}

async function removeTexts(
  { store }: Workspace,
  lock: HeldLock,
  found: readonly CheckpointWithTexts[],
  plans: readonly StoredPlan[],
  pace: Pace,
): Promise<void> {
  const moved = new Map<ObjectId, ObjectId>();
  const batch = store.objects.batch();
  try {
    for (const { checkpoint, isOwn } of found) {
      if (pace.isDue()) await pace.yieldNow();
      const texts = isOwn ? ('all' as const) : null;
      const record = redactRecord(checkpoint, { local: false, texts, contents: false }, () => false);
      const description = describeWithoutTexts(record);
      const { commit } = writeCheckpoint(batch, { ...record, description }, checkpoint.snapshot);
      if (commit !== checkpoint.commit) moved.set(checkpoint.commit, commit);
    }
    for (const [old, now] of removeTextsOfPlans(batch, plans)) moved.set(old, now);
    if (moved.size > 0) await batch.finish();
  } finally {
    batch.abandon();
  }
  lock.assertHeld();
  if (moved.size > 0) store.refs.moveAll(moved);
}
