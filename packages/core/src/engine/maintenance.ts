/** Keeping a store small and sound: retention, merging packs, and the check of contents that were taken over unread. */

import { Pace } from '../io/pace.ts';
import type { CallOptions } from '../model/call-options.ts';
import { OUTSIDE } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { SessionId } from '../model/ids.ts';
import type { HeldLock } from '../store/lock.ts';
import { hasAdoptedMarker, removeAdoptedMarker } from '../store/state/adopted-marker.ts';
import { dropSessionStates } from '../store/state/session-state.ts';
import { bytesIn } from '../store/usage.ts';
import { capture, checkpointInfo, type Workspace } from '../timeline/capture/capture.ts';
import { type CleanUpResult, cleanUp } from '../timeline/retention/clean-up.ts';
import { expiredCheckpoints, type RetentionPolicy } from '../timeline/retention/retention.ts';
import { dropBackups } from '../transaction/backups.ts';
import { asSavepointError } from '../transaction/outcome.ts';
import { announceCapture } from './announce.ts';
import type { Engine } from './engine.ts';
import { hasPendingOperation } from './recovery.ts';
import type { WriteContext } from './write-context.ts';

/** Automatic clean-up runs once the timeline is longer than allowed by this factor. */
const OVERRUN = 1.1;
/** Each checkpoint adds a pack, and a look-up in many packs is slow. */
const MAX_PACKS = 50;
const MB = 1024 * 1024;

/** What counts towards the size of a store. Captures add no backups: those there are were counted when they came. */
type SizeScope = 'objects' | 'all';

/**
 * A store that is too large loses its oldest checkpoints before anything else is done.
 * @throws SavepointError STORE_FULL when that is not enough
 */
export async function makeRoom({ context, workspace, lock, pace }: WriteContext, of: SizeScope): Promise<void> {
  const { retention } = context.effectiveSettings(workspace.root);
  const limit = retention.maxStoreBytes;
  if (limit === null || storeBytes(workspace, of) <= limit) return;
  if (!hasPendingOperation(workspace)) await applyRetention({ workspace, lock, pace }, retention);
  workspace.store.objects.refresh();
  const bytes = storeBytes(workspace, of);
  if (bytes <= limit) return;
  throw new SavepointError(
    'STORE_FULL',
    `The store has ${Math.ceil(bytes / MB)} MB, the limit is ${Math.floor(limit / MB)} MB, and nothing more can be dropped.`,
    { bytes, limit, pinned: workspace.timeline.pinned().size },
  );
}

/** Clean-up where it is due, at the end of a call. Its failure is a warning. */
export async function tidyAfter(engine: Engine, { context, workspace, lock }: WriteContext): Promise<void> {
  try {
    const { retention } = context.effectiveSettings(workspace.root);
    const isOverrun = workspace.timeline.list().length > retention.maxCheckpoints * OVERRUN;
    if (!isOverrun && workspace.store.objects.packCount <= MAX_PACKS) return;
    // A sweep would remove what a pending operation needs besides the refs.
    if (hasPendingOperation(workspace)) return;
    const pace = engine.pace({});
    if (isOverrun) await applyRetention({ workspace, lock, pace }, retention);
    else if (engine.base.keepsStores) tidyLater(engine);
    else await mergePacks(workspace, lock, pace);
  } catch (error) {
    engine.events.emit('warning', { message: `Clean-up failed: ${asSavepointError(error).message}` });
  }
}

/** In the background, one run after the other, and once more however many calls ask for it meanwhile. */
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
 * Applies retention where it is due, and merges packs where there are many.
 * @param checking pace of the check of contents that were taken over
 * @returns null where retention was not due, where there is no store, and while an operation is pending
 */
export async function tidyUp(engine: Engine, options: CallOptions, checking: Pace): Promise<CleanUpResult | null> {
  return engine.mapErrors(async () => {
    if (engine.context().find() === null) return null;
    await checkAdopted(engine, options, checking);
    return engine.write(options, 'existing', async ({ context, workspace, lock, pace }) => {
      if (hasPendingOperation(workspace)) return null;
      const { retention } = context.effectiveSettings(workspace.root);
      const limit = retention.maxStoreBytes;
      const isTooLarge = limit !== null && storeBytes(workspace, 'all') > limit;
      const isDue = isTooLarge || expiredCheckpoints(workspace.timeline, retention).length > 0;
      if (isDue) return applyRetention({ workspace, lock, pace }, retention);
      await mergePacks(workspace, lock, pace);
      return null;
    });
  });
}

/** Drops checkpoints by the policy, then what only they needed. */
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

/** State of sessions that have no checkpoint. */
export function dropUnusedSessions({ ports, store, timeline }: Workspace): void {
  const sessions = new Set<SessionId | null>();
  const authors = new Set<SessionId | null>();
  for (const { session, changes } of timeline.upTo()) {
    sessions.add(session);
    for (const { by } of changes ?? []) for (const author of by.authors) authors.add(author.session);
  }
  dropSessionStates(
    ports.fs,
    store.layout,
    // That its history was deleted is remembered for as long as other checkpoints name it.
    ({ session, deletedUpTo }) => !sessions.has(session) && (deletedUpTo === null || !authors.has(session)),
  );
}

/** Backups of an operation are kept as long as the checkpoint before it. */
export function dropUnusedBackups({ ports, store, root, timeline }: Workspace): void {
  const kept = new Set(timeline.list().map(({ number }) => number));
  dropBackups(ports, store.layout, root, (number) => kept.has(number));
}

/** One pack instead of many, and one file of refs. Drops nothing. */
async function mergePacks({ store }: Workspace, lock: HeldLock, pace: Pace): Promise<void> {
  if (store.objects.packCount <= MAX_PACKS) return;
  await store.objects.consolidate({ pace, smallest: true, assertHeld: () => lock.assertHeld() });
  lock.assertHeld();
  store.refs.pack();
}

/**
 * Reads what a first checkpoint took over from repositories, if nobody has yet. If something there is damaged, warns, and
 * takes a checkpoint for which every file is read. Not while an operation is pending.
 */
async function checkAdopted(engine: Engine, options: CallOptions, pace: Pace): Promise<void> {
  const checked = await engine.read(async (workspace) => {
    if (!hasAdoptedMarker(workspace.ports.fs, workspace.store.layout) || hasPendingOperation(workspace)) return null;
    const { verifyAdopted: check, describeAdopted: tellAdopted } = await import('../timeline/capture/adopted.ts');
    const found = await check(workspace, pace);
    return { problem: found === null ? null : tellAdopted(found) };
  });
  if (checked === null) return;
  await engine.write(options, 'alone', async (writing) => {
    const { context, workspace, lock } = writing;
    if (hasPendingOperation(workspace)) return;
    if (checked.problem !== null) {
      engine.events.emit('warning', { message: checked.problem });
      workspace.memory.forget();
      const taken = await capture(workspace, lock, writing.pace, checkpointInfo('before', OUTSIDE), { always: false });
      announceCapture(engine, context, taken);
    }
    removeAdoptedMarker(workspace.ports.fs, workspace.store.layout);
  });
}

function storeBytes({ ports, store }: Workspace, of: SizeScope): number {
  return store.objects.bytes + (of === 'all' ? bytesIn(ports.fs, store.layout.backups) : 0);
}
