/**
 * Bundles of a timeline: creates them, and restores them to a folder that is new or has an older part of the same
 * timeline.
 */

import { checkBundle, type ValidBundle } from '../../bundle/check/check-bundle.ts';
import { applyBundle, assertUnchanged } from '../../bundle/import/apply-bundle.ts';
import { importObjects } from '../../bundle/import/import.ts';
import { joinTimelines } from '../../bundle/import/join.ts';
import { type BundlePlan, type BundleRequest, planBundle } from '../../bundle/write/create.ts';
import { showName } from '../../content/show-name.ts';
import { FsError, kindOf } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import { checkName } from '../../io/safe-path.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import type { WorkspaceId } from '../../model/ids.ts';
import { type DiskPath, isInside, nameToJson, type TreePath } from '../../model/names.ts';
import { identityOf } from '../../store/folder-identity.ts';
import { storePathIn } from '../../store/home.ts';
import { createStore, openStore, removeStore } from '../../store/layout.ts';
import type { HeldLock, LockOptions } from '../../store/lock.ts';
import { prepareHome } from '../../store/private-folders.ts';
import { syncRecord, type WorkspaceRecord, writeRecord } from '../../store/records.ts';
import { writeRetentionMarker } from '../../store/state/retention-marker.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { Timeline } from '../../timeline/record/timeline.ts';
import { listUnfinished } from '../../transaction/journal.ts';
import { makeFile } from '../../transaction/new-file.ts';
import type { Context } from '../context.ts';
import { assertMayBeWorkspace, resolveFolder } from '../folders.ts';
import { withHomeLock } from '../home-lock.ts';
import { openWorkspace, workspaceOf } from '../open.ts';
import { lockOverlapping } from '../overlap.ts';
import type { WriteContext } from '../write-context.ts';

export interface CreatedBundle extends Omit<BundlePlan, 'write'> {
  readonly bytes: number;
}

export interface RestoredBundle {
  readonly workspace: { readonly id: WorkspaceId; readonly root: DiskPath; readonly store: DiskPath };
  /** The folder had no checkpoints before. */
  readonly isNew: boolean;
  /** Added checkpoints, oldest first. */
  readonly added: readonly Checkpoint[];
  /**
   * The checkpoint that the folder is now equal to. Null if the bundle has nothing newer and the files were left alone.
   */
  readonly restored: Checkpoint | null;
  /** Files, links and folders that were written or removed. */
  readonly paths: readonly TreePath[];
}

/**
 * @param file absolute; its parent folder exists
 * @throws SavepointError PATH_REFUSED, CONFLICT, UNKNOWN_SESSION, BUNDLE_EMPTY, STORE_DAMAGED, NO_SPACE, IO, CANCELLED
 */
export async function createBundle(
  context: Context,
  { ports, store, timeline }: Workspace,
  file: DiskPath,
  request: BundleRequest & { readonly overwrite: boolean },
  pace: Pace,
): Promise<CreatedBundle> {
  const path = resolveFolder(ports, file);
  assertPathAllowed(context, path);
  const { write, ...planned } = await planBundle(store.objects, timeline, request, pace);
  let bytes = 0;
  await makeFile(ports, path, request.overwrite, async (put) => {
    await write((piece) => {
      bytes += piece.length;
      put(piece);
    });
    pace.throwIfCancelled();
  });
  return { ...planned, bytes };
}

/**
 * Makes a folder equal to the newest checkpoint of a bundle and adds all its checkpoints. If the folder was restored
 * from a bundle of the same timeline, adds only the new checkpoints. If the bundle is invalid, changes nothing.
 * @param context of the folder, which is the workspace itself
 * @param recoverWorkspace recovers the transactions of dead processes there
 * @throws SavepointError BUNDLE_REFUSED, BUNDLE_INCOMPLETE, BUNDLE_DIVERGED, CONFLICT if the folder is not empty
 */
export async function restoreBundle(
  context: Context,
  file: DiskPath,
  pace: Pace,
  wait: LockOptions,
  recoverWorkspace: (writing: WriteContext) => Promise<void>,
): Promise<RestoredBundle> {
  const { ports, folder } = context;
  const path = ports.fs.realpath(file);
  assertPathAllowed(context, folder);
  assertMayBeWorkspace(context, folder);
  const found = context.find();
  if (found === null) {
    assertEmpty(context);
    const bundle = await checkBundle(ports, path, null, pace);
    try {
      return await restoreToNewWorkspace(context, bundle, pace, wait);
    } finally {
      bundle.close();
    }
  }
  const workspace = openWorkspace(context, found);
  try {
    const bundle = await checkBundle(ports, path, workspace.store.objects, pace);
    try {
      const lock = await lockOverlapping(context, workspace, pace, wait);
      try {
        syncRecord(ports, workspace.store.layout.path);
        workspace.store.refs.collectDebris();
        workspace.store.objects.collectDebris();
        await recoverWorkspace({ context, workspace, lock, pace });
        return await continueTimeline(workspace, bundle, lock, pace);
      } finally {
        lock.release();
      }
    } finally {
      bundle.close();
    }
  } finally {
    context.releaseStore(workspace.store);
  }
}

/** Bundles must not be written or restored inside a `.git` folder or our store. */
function assertPathAllowed({ ports, places }: Context, path: DiskPath): void {
  const inGit = path
    .split('/')
    .some(
      (name) => name !== '' && checkName(name, ports.platform) === 'is equivalent to .git for git or some file systems',
    );
  const why = inGit
    ? 'is inside a .git folder'
    : isInside(path, places.home)
      ? 'is inside the store of Savepoint'
      : null;
  if (why === null) return;
  throw new SavepointError('PATH_REFUSED', `${showName(path)} ${why}.`, { path: nameToJson(path), why });
}

/** Creates the new store next to the others. It becomes valid when its record is written, after all objects. */
async function restoreToNewWorkspace(
  context: Context,
  bundle: ValidBundle,
  pace: Pace,
  wait: LockOptions,
): Promise<RestoredBundle> {
  const { ports, places, folder } = context;
  const { added } = joinTimelines([], 0, bundle.checkpoints, bundle.continues);
  const newest = added.at(-1) as Checkpoint;
  prepareHome(ports, places.home);
  const id = ports.random.hex(16) as WorkspaceId;
  const storePath = storePathIn(places.home, id);
  const record = { id, path: folder, identity: null, lastNumber: 0, created: ports.clock.now(), storePath };
  const store = createStore(ports, storePath);
  writeRetentionMarker(ports, store.layout);
  try {
    const refs = await importObjects(store, bundle.objects, added, pace);
    const workspace = workspaceOf(context, record);
    await withHomeLock(context, pace, wait, () => {
      if (context.findAgain() !== null) throw folderOccupied(folder);
      writeRecord(ports, record);
    });
    const lock = await lockOverlapping(context, workspace, pace, wait);
    try {
      if (workspace.timeline.lastNumber() > 0) throw folderOccupied(folder);
      assertEmpty(context);
      const paths = (await applyBundle(workspace, newest, refs, lock, pace)).paths.map(({ path }) => path);
      await recordFolder(context, record, pace, wait);
      return { workspace: { id, root: folder, store: storePath }, isNew: true, added, restored: newest, paths };
    } finally {
      lock.release();
    }
  } catch (error) {
    removeNewStore(context, storePath);
    throw error;
  } finally {
    store.objects.close();
  }
}

/** The restore has already succeeded. If this fails, the next writer completes the record. */
async function recordFolder(context: Context, record: WorkspaceRecord, pace: Pace, wait: LockOptions): Promise<void> {
  const { ports } = context;
  try {
    await withHomeLock(context, pace.uncancellable(), wait, () => {
      const stat = ports.fs.lstat(record.path);
      if (stat !== null) writeRecord(ports, { ...record, identity: identityOf(stat) });
    });
  } catch (error) {
    if (!(error instanceof FsError) && !(error instanceof SavepointError)) throw error;
  }
}

/** Another process took a checkpoint in the new store, or a transaction there is unfinished, so the store must stay. */
function isInUse({ ports }: Context, storePath: DiskPath): boolean {
  const { layout, objects, refs } = openStore(ports, storePath);
  const { intents, journals } = listUnfinished(ports, layout.journal);
  const timeline = new Timeline(objects, refs);
  return intents.length + journals.length > 0 || timeline.damage() !== null || timeline.list().length > 0;
}

/** If removal fails, the leftover store does no harm: restoring the same bundle again continues from it. */
function removeNewStore(context: Context, storePath: DiskPath): void {
  try {
    if (!isInUse(context, storePath)) removeStore(context.ports, storePath);
  } catch (error) {
    if (!(error instanceof FsError) && !(error instanceof SavepointError)) throw error;
  }
}

/** Adds the new checkpoints to a folder that already has some. */
async function continueTimeline(
  workspace: Workspace,
  bundle: ValidBundle,
  lock: HeldLock,
  pace: Pace,
): Promise<RestoredBundle> {
  const { store, timeline } = workspace;
  const { checkpoints: here, damaged } = timeline.readAll();
  if (damaged[0] !== undefined) throw damaged[0].error;
  const { added, extendsTimeline } = joinTimelines(here, workspace.lastNumber, bundle.checkpoints, bundle.continues);
  const imported = {
    workspace: { id: workspace.id, root: workspace.root, store: store.layout.path },
    isNew: false,
    added,
  };
  if (added.length === 0) return { ...imported, restored: null, paths: [] };
  const newestHere = here.at(-1);
  if (extendsTimeline && !isEmptyFolder(workspace)) {
    if (newestHere === undefined) assertEmpty({ ports: workspace.ports, folder: workspace.root });
    else await assertUnchanged(workspace, newestHere, pace);
  }
  const refs = await importObjects(store, bundle.objects, added, pace);
  lock.assertHeld();
  if (!extendsTimeline) {
    timeline.publishAll(refs);
    return { ...imported, restored: null, paths: [] };
  }
  const newest = added.at(-1) as Checkpoint;
  const { paths } = await applyBundle(workspace, newest, refs, lock, pace);
  return { ...imported, restored: newest, paths: paths.map(({ path }) => path) };
}

function isEmptyFolder({ ports, root }: Workspace): boolean {
  const stat = ports.fs.lstat(root);
  return stat === null || (kindOf(stat) === 'folder' && ports.fs.list(root).length === 0);
}

/** @throws SavepointError CONFLICT */
function assertEmpty({ ports, folder }: Pick<Context, 'ports' | 'folder'>): void {
  const stat = ports.fs.lstat(folder);
  if (stat === null) return;
  const names = kindOf(stat) === 'folder' ? [...ports.fs.list(folder)].sort() : [];
  if (kindOf(stat) === 'folder' && names.length === 0) return;
  throw new SavepointError(
    'CONFLICT',
    `${showName(folder)} is not empty, and has no checkpoints that the bundle continues.`,
    { paths: names.slice(0, 100).map((name) => ({ path: nameToJson(name), why: 'already exists' })) },
    { hint: 'Nothing was changed. Use a folder that is empty or does not exist.' },
  );
}

function folderOccupied(folder: DiskPath): SavepointError {
  return new SavepointError('CONFLICT', `Another process started to work in ${showName(folder)}.`, { paths: [] });
}
