/** Objects that a first checkpoint adopted from repositories: verifies them, and makes the store independent of links. */

import { Pace } from '../io/pace.ts';
import type { CallOptions } from '../model/call-options.ts';
import { OUTSIDE } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import { layoutOf } from '../store/layout.ts';
import { isLocked } from '../store/lock.ts';
import { isDamage } from '../store/objects/damage.ts';
import type { DamagedObject, UnderLock } from '../store/objects/packs/link-replacement.ts';
import { hasAdoptedMarker, removeAdoptedMarker } from '../store/state/adopted-marker.ts';
import { capture } from '../timeline/capture/capture.ts';
import { checkpointInfo } from '../timeline/capture/compose.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { asSavepointError } from '../transaction/outcome.ts';
import { announceCapture } from './announce.ts';
import type { Engine } from './engine.ts';
import { hasPendingOperation } from './recovery.ts';
import type { WriteContext } from './write-context.ts';

/** Whether a first checkpoint linked packs, and nothing was done about it yet. */
export function hasNewLinks({ ports, store }: Workspace): boolean {
  return hasAdoptedMarker(ports.fs, store.layout) && store.objects.hasLinkedPacks;
}

/**
 * Replaces linked packs by what is needed of them. Does nothing while an operation is pending. The caller does not hold
 * the lock, and this holds it only for short times. If needed objects are damaged, all files are read again. A warning
 * names the code STORE_DAMAGED if that does not help.
 * @throws SavepointError LOCKED, CANCELLED
 */
export async function replaceLinks(engine: Engine, options: CallOptions, pace: Pace): Promise<void> {
  const hasLinks = await engine.read(
    (workspace) =>
      workspace.store.objects.hasLinkedPacks && workspace.timeline.damage() === null && !hasPendingOperation(workspace),
  );
  if (!hasLinks) return;
  const { replaceLinkedPacks } = await import('../timeline/retention/replace-links.ts');
  const damaged = await engine.once(async (once) => {
    const underLock: UnderLock = (work) =>
      once.write(options, 'alone', async ({ workspace, lock }) => {
        return !hasPendingOperation(workspace) && work(() => lock.assertHeld());
      });
    const replace = () => once.read((workspace) => replaceLinkedPacks(workspace, pace, underLock));
    if (await isSound(replace)) return [];
    // Says which files are affected.
    await verifyAdoptedObjects(once, options, pace);
    await once.write(options, 'alone', (writing) => readAllFiles(once, writing));
    return replace();
  });
  if (damaged.length > 0) engine.events.emit('warning', { message: describeDamaged(damaged) });
}

/** `busy`: the work is left for later, because another process works in the store, or an operation is pending. */
export type IdleWork = 'nothing' | 'busy' | 'done';

/**
 * Replaces the links of a first checkpoint and verifies what it adopted, in short slices, for a process that is idle. To
 * ask whether there is anything to do is cheap.
 * @throws SavepointError CANCELLED, STORE_UNSAFE, IO on a file system that is read-only
 */
export async function replaceLinksAtIdle(engine: Engine, options: CallOptions): Promise<IdleWork> {
  const { ports, background } = engine;
  try {
    return await engine.once(async (once) => {
      const found = once.context().find();
      if (found === null) return 'nothing';
      const layout = layoutOf(found.record.storePath);
      if (!hasAdoptedMarker(ports.fs, layout)) return 'nothing';
      if (isLocked(ports, layout.lock) || (await once.read(hasPendingOperation))) return 'busy';
      // Fails before anything is read if the store cannot be written.
      await once.write(options, 'alone', async () => undefined);
      const pace = new Pace(ports.clock, options.signal ?? null, null, () => !background.isAwaited);
      await replaceLinks(once, options, pace);
      await verifyAdoptedObjects(once, options, pace);
      return 'done';
    });
  } catch (error) {
    const failure = asSavepointError(error);
    if (failure.code === 'LOCKED' || failure.code === 'LOCK_LOST') return 'busy';
    throw failure;
  }
}

/**
 * Verifies the objects that a first checkpoint adopted from repositories, unless that has been done. If some are
 * damaged, warns and takes a checkpoint that reads every file. Does nothing while an operation is pending.
 */
export async function verifyAdoptedObjects(engine: Engine, options: CallOptions, pace: Pace): Promise<void> {
  const checked = await engine.read(async (workspace) => {
    if (!hasAdoptedMarker(workspace.ports.fs, workspace.store.layout) || hasPendingOperation(workspace)) return null;
    const { verifyAdopted, describeAdopted } = await import('../timeline/capture/adopted.ts');
    const found = await verifyAdopted(workspace, pace);
    return { problem: found === null ? null : describeAdopted(found) };
  });
  if (checked === null) return;
  await engine.write(options, 'alone', async (writing) => {
    const { workspace } = writing;
    if (hasPendingOperation(workspace)) return;
    if (checked.problem !== null) {
      engine.events.emit('warning', { message: checked.problem });
      await readAllFiles(engine, writing);
    }
    removeAdoptedMarker(workspace.ports.fs, workspace.store.layout);
  });
}

/** Whether nothing is damaged. If a tree is, it is unknown what else is needed. */
async function isSound(replace: () => Promise<readonly DamagedObject[]>): Promise<boolean> {
  try {
    return (await replace()).length === 0;
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

/** Takes a checkpoint for which every file is read: it stores damaged contents again. */
async function readAllFiles(engine: Engine, { context, workspace, lock, pace }: WriteContext): Promise<void> {
  if (hasPendingOperation(workspace)) return;
  workspace.memory.forget();
  const taken = await capture(workspace, lock, pace, checkpointInfo('before', OUTSIDE), { always: false });
  announceCapture(engine, context, taken);
}

function describeDamaged(damaged: readonly DamagedObject[]): string {
  const { message, hint } = new SavepointError(
    'STORE_DAMAGED',
    `${damaged.length} object${damaged.length === 1 ? '' : 's'} adopted from a repository cannot be read.`,
    { object: damaged[0]!.object },
  );
  return `STORE_DAMAGED: ${message} ${hint}`;
}
