/** Maintenance of a store: retention, and merging packs. */

import { Pace } from '../io/pace.ts';
import type { CallOptions } from '../model/call-options.ts';
import { SavepointError } from '../model/errors.ts';
import type { SessionId } from '../model/ids.ts';
import type { HeldLock } from '../store/lock.ts';
import { dropScopes } from '../store/state/scope.ts';
import { dropSessionStates, readSessionState, type SessionState } from '../store/state/session-state.ts';
import { bytesIn } from '../store/usage.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { type CleanUpResult, cleanUp } from '../timeline/retention/clean-up.ts';
import { expiredForkStates } from '../timeline/retention/dropped-forks.ts';
import { expiredCheckpoints, type RetentionPolicy } from '../timeline/retention/retention.ts';
import { dropBackups } from '../transaction/backups.ts';
import { asSavepointError } from '../transaction/outcome.ts';
import { hasNewLinks, replaceLinks, verifyAdoptedObjects } from './adopted-objects.ts';
import type { Engine } from './engine.ts';
import { dropExpiredPlans } from './plans/expire.ts';
import { hasPendingOperation } from './recovery.ts';
import { retentionInEffect } from './retention-in-effect.ts';
import type { WriteContext } from './write-context.ts';

/** Automatic clean-up runs once the timeline is longer than allowed by this factor, and by this number. */
const OVERRUN = 1.1;
const OVERRUN_BY = 10;
/** Each checkpoint adds a pack, and lookups in many packs are slow. */
const MAX_PACKS = 50;
const MB = 1024 * 1024;

/**
 * What counts towards the size of a store. Captures add no backups, so they count only objects. Existing backups were
 * counted when they were added.
 */
type SizeScope = 'objects' | 'all';

/** Bytes by which the store may exceed its limit for going back: a full store must not close the way back. */
export const RESERVE_BYTES = 64 * MB;

/**
 * If the store is too large, drops its oldest checkpoints first.
 * @param reserve bytes by which the store may exceed its limit
 * @throws SavepointError STORE_FULL if that is not enough
 */
export async function makeRoom(
  { context, workspace, lock, pace }: WriteContext,
  of: SizeScope,
  reserve = 0,
): Promise<void> {
  const { retention } = context.effectiveSettings(workspace.root);
  const limit = retention.maxStoreBytes;
  // Going back drops nothing: what it would drop may be what the next undo needs.
  if (limit === null || storeBytes(workspace, of) <= limit + reserve) return;
  if (!hasPendingOperation(workspace)) {
    dropExpiredPlans(workspace, context, true);
    await applyRetention({ workspace, lock, pace }, retentionInEffect(workspace, retention));
  }
  workspace.store.objects.refresh();
  const bytes = storeBytes(workspace, of);
  if (bytes <= limit + reserve) return;
  throw new SavepointError(
    'STORE_FULL',
    `The store has ${Math.ceil(bytes / MB)} MB, the limit is ${Math.floor(limit / MB)} MB, and nothing more can be dropped.`,
    { bytes, limit, pinned: workspace.timeline.pinned().size },
  );
}

/** Runs clean-up at the end of a call, if due. A failure is only a warning. */
export async function tidyAfter(engine: Engine, { context, workspace, lock }: WriteContext): Promise<void> {
  try {
    const { retention } = context.effectiveSettings(workspace.root);
    const most = Math.max(retention.maxCheckpoints * OVERRUN, retention.maxCheckpoints + OVERRUN_BY);
    const isOverrun = workspace.timeline.list().length > most;
    if (engine.base.keepsStores && hasNewLinks(workspace)) tidyLater(engine);
    if (!isOverrun && workspace.store.objects.packCount <= MAX_PACKS) return;
    // A sweep would remove objects that a pending operation needs and no ref reaches.
    if (hasPendingOperation(workspace)) return;
    const pace = engine.pace({});
    if (isOverrun) await applyRetention({ workspace, lock, pace }, retentionInEffect(workspace, retention));
    else if (engine.base.keepsStores) tidyLater(engine);
    else await mergePacks(workspace, lock, pace);
  } catch (error) {
    engine.events.emit('warning', { message: `Clean-up failed: ${asSavepointError(error).message}` });
  }
}

/** Runs in the background, one run at a time. If calls request it meanwhile, it runs once more. */
export function tidyLater({ base }: Engine): void {
  const { background, ports } = base;
  background.startAlone('Clean-up', () =>
    tidyUp(
      base,
      {},
      Pace.background(ports.clock, () => background.isAwaited),
    ),
  );
}

/**
 * Applies retention if due, and merges packs if there are many.
 * @param checking pace of the work on adopted objects
 * @returns null if retention was not due, if there is no store, or while an operation is pending
 */
export async function tidyUp(engine: Engine, options: CallOptions, checking: Pace): Promise<CleanUpResult | null> {
  return engine.mapErrors(async () => {
    if (engine.context().find() === null) return null;
    await engine.once(async (once) => {
      await replaceLinks(once, options, checking);
      await verifyAdoptedObjects(once, options, checking);
    });
    return engine.write(options, 'existing', async ({ context, workspace, lock, pace }) => {
      if (hasPendingOperation(workspace)) return null;
      const retention = retentionInEffect(workspace, context.effectiveSettings(workspace.root).retention);
      const limit = retention.maxStoreBytes;
      const isTooLarge = limit !== null && storeBytes(workspace, 'all') > limit;
      const isDue =
        dropExpiredPlans(workspace, context, isTooLarge) ||
        isTooLarge ||
        expiredCheckpoints(workspace, retention).length > 0 ||
        expiredForkStates(workspace, retention).length > 0;
      if (isDue) return applyRetention({ workspace, lock, pace }, retention);
      await mergePacks(workspace, lock, pace);
      return null;
    });
  });
}

/** Drops checkpoints according to the policy, then everything that only they needed. */
export async function applyRetention(
  { workspace, lock, pace }: Omit<WriteContext, 'context'>,
  policy: RetentionPolicy,
): Promise<CleanUpResult> {
  const { ports, store } = workspace;
  const done = await cleanUp(workspace, lock, policy, pace, () => {
    dropUnusedBackups(workspace);
    return bytesIn(ports.fs, store.layout.backups);
  });
  if (done.dropped.length > 0) dropUnusedSessions(workspace);
  return done;
}

/** Drops the state of sessions that have no checkpoint. */
export function dropUnusedSessions({ ports, store, timeline }: Workspace): void {
  const sessions = new Set<SessionId | null>();
  const authors = new Set<SessionId | null>();
  const numbers = new Set<number>();
  for (const { number, session, changes } of timeline.upTo()) {
    numbers.add(number);
    sessions.add(session);
    for (const { by } of changes ?? []) for (const author of by.authors) authors.add(author.session);
  }
  // A conversation that went back has no checkpoint until it is continued.
  const waits = ({ wentBack, heard }: Pick<SessionState, 'wentBack' | 'heard'>): boolean =>
    wentBack && heard !== null && numbers.has(heard);
  dropSessionStates(
    ports.fs,
    store.layout,
    // A deleted history is remembered as long as other checkpoints name the session.
    (state) =>
      !sessions.has(state.session) && (state.deletedUpTo === null || !authors.has(state.session)) && !waits(state),
  );
  dropScopes(
    ports,
    store.layout,
    (session) => !sessions.has(session) && !waits(readSessionState(ports.fs, store.layout, session)),
  );
}

/** Keeps the backups of an operation as long as the checkpoint before it. */
export function dropUnusedBackups({ ports, store, root, timeline }: Workspace): void {
  const kept = new Set(timeline.list().map(({ number }) => number));
  dropBackups(ports, store.layout, root, (number) => kept.has(number));
}

export function storeBytes({ ports, store }: Workspace, of: SizeScope): number {
  return store.objects.bytes + (of === 'all' ? bytesIn(ports.fs, store.layout.backups) : 0);
}

/** Merges the smallest packs into one, and all refs into one file. Drops nothing. */
async function mergePacks({ store, timeline }: Workspace, lock: HeldLock, pace: Pace): Promise<void> {
  if (store.objects.packCount <= MAX_PACKS) return;
  await store.objects.consolidate({ pace, smallest: true, assertHeld: () => lock.assertHeld() });
  lock.assertHeld();
  if (timeline.damage() === null) store.refs.pack();
}
