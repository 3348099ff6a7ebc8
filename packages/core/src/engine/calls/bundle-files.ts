/**
 * Bundles of a timeline: creates them, and restores them to a folder that is new or has an older part of the same
 * timeline.
 */

import { checkBundle, type ValidBundle } from '../../bundle/check/check-bundle.ts';
import { applyBundle, assertUnchanged } from '../../bundle/import/apply-bundle.ts';
import { importObjects } from '../../bundle/import/import.ts';
import { type JoinResult, joinTimelines } from '../../bundle/import/join.ts';
import { hasRepositories } from '../../bundle/import/match-clones.ts';
import { type BundlePlan, type BundleRequest, planBundle } from '../../bundle/write/create.ts';
import { showName } from '../../content/show-name.ts';
import { FsError, kindOf } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { EMPTY_SNAPSHOT } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import type { WorkspaceId } from '../../model/ids.ts';
import { type DiskPath, nameToJson, type TreePath } from '../../model/names.ts';
import type { OperationResult, Preview } from '../../operation/operation.ts';
import { identityOf } from '../../store/folder-identity.ts';
import { openStore, removeStore } from '../../store/layout.ts';
import type { LockOptions } from '../../store/lock.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { prepareHome } from '../../store/private-folders.ts';
import { syncRecord, type WorkspaceRecord, writeRecord } from '../../store/records.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { differences } from '../../timeline/diff/snapshot-diff.ts';
import { Timeline } from '../../timeline/record/timeline.ts';
import { listUnfinished } from '../../transaction/journal.ts';
import { makeFile } from '../../transaction/new-file.ts';
import { assertPathAllowed } from '../allowed-path.ts';
import type { Context } from '../context.ts';
import { assertMayBeWorkspace, resolveFolder } from '../folders.ts';
import { withHomeLock } from '../home-lock.ts';
import { makeStore, openWorkspace, workspaceOf } from '../open.ts';
import { lockOverlapping } from '../overlap.ts';
import type { WriteContext } from '../write-context.ts';
import { isStillToRestore, type OverClones } from './bundle-over-clones.ts';

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
  /** The restore over clones of the bundle's repositories; null if the folder had none. */
  readonly operation: OperationResult | null;
}

/** What restoring a bundle would do. */
export interface BundlePreview extends Pick<RestoredBundle, 'isNew' | 'added' | 'paths'> {
  readonly root: DiskPath;
  /** The checkpoint that the folder would be equal to. Null if the files would be left alone. */
  readonly target: Checkpoint | null;
  /** The restore over clones of the bundle's repositories; null if the folder has none. */
  readonly operation: Preview | null;
}

/** How `restoreBundle` and `previewRestoreBundle` work. */
export interface BundleRestoring {
  readonly pace: Pace;
  readonly wait: LockOptions;
  /** Recovers the transactions of dead processes. */
  readonly recoverWorkspace: (writing: WriteContext) => Promise<void>;
  /** The files are left alone. */
  readonly timelineOnly: boolean;
  /** Null: a folder that is not empty is refused. */
  readonly overClones: OverClones | null;
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
 * @throws SavepointError BUNDLE_REFUSED, BUNDLE_INCOMPLETE, BUNDLE_DIVERGED, CONFLICT if the folder is not empty,
 *   GIT_REFUSED if it has no clone of a repository
 */
export async function restoreBundle(
  context: Context,
  file: DiskPath,
  restoring: BundleRestoring,
): Promise<RestoredBundle> {
  const { ports } = context;
  const { pace, wait, recoverWorkspace } = restoring;
  const path = bundlePath(context, file);
  const found = context.find();
  if (found === null) {
    if (restoring.overClones === null) assertEmpty(context);
    const bundle = await checkBundle(ports, path, null, pace);
    try {
      return await restoreToNewWorkspace(context, bundle, restoring);
    } finally {
      bundle.close();
    }
  }
  if (restoring.timelineOnly) throw hasCheckpoints(context.folder);
  const workspace = openWorkspace(context, found);
  try {
    const bundle = await checkBundle(ports, path, workspace.store.objects, pace);
    try {
      const lock = await lockOverlapping(context, workspace, pace, wait);
      try {
        syncRecord(ports, workspace.store.layout.path);
        workspace.store.refs.collectDebris();
        workspace.store.objects.collectDebris();
        const writing = { context, workspace, lock, pace };
        await recoverWorkspace(writing);
        const restored = await continueTimeline(writing, bundle, restoring.overClones);
        // The restore that made the store died.
        if (found.record.identity === null) await recordFolder(context, found.record, pace, wait);
        return restored;
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

/**
 * Returns what `restoreBundle` would do. Holds no lock. Over clones, the bundle is imported to a store that belongs to no
 * folder and is removed again.
 * @throws SavepointError what `restoreBundle` throws before it changes anything
 */
export async function previewRestoreBundle(
  context: Context,
  file: DiskPath,
  { pace, overClones }: Pick<BundleRestoring, 'pace'> & { readonly overClones: OverClones },
): Promise<BundlePreview> {
  const { ports, folder } = context;
  const path = bundlePath(context, file);
  const found = context.find();
  const workspace = found === null ? null : openWorkspace(context, found);
  try {
    const bundle = await checkBundle(ports, path, workspace?.store.objects ?? null, pace);
    try {
      const isNew = workspace === null || hasNoCheckpoints(workspace);
      if (isNew && !isEmptyFolder({ ports, root: folder })) {
        return await previewOverClones(context, bundle, overClones, pace);
      }
      const { added, extendsTimeline } = joined(workspace, bundle);
      const base = { root: folder, isNew, added };
      if (workspace !== null && added.length === 0 && isStillToRestore(workspace, bundle)) {
        if (!isEmptyFolder(workspace) && hasRepositories(bundle.checkpoints.at(-1) as Checkpoint)) {
          const operation = await overClones.preview(workspace, bundle);
          const paths = plannedPaths(operation);
          return { ...base, target: bundle.checkpoints.at(-1) as Checkpoint, paths, operation };
        }
      }
      const target = extendsTimeline ? (added.at(-1) ?? null) : null;
      if (target === null) return { ...base, target, paths: [], operation: null };
      const newestHere = workspace?.timeline.latest() ?? null;
      if (workspace !== null) await assertContinuable(workspace, newestHere, pace);
      return { ...base, target, paths: changedPaths(bundle.objects, newestHere, target), operation: null };
    } finally {
      bundle.close();
    }
  } finally {
    if (workspace !== null) context.releaseStore(workspace.store);
  }
}

/** @throws SavepointError if the folder must not be a workspace, or the bundle's path is refused */
function bundlePath(context: Context, file: DiskPath): DiskPath {
  const path = context.ports.fs.realpath(file);
  assertPathAllowed(context, context.folder);
  assertMayBeWorkspace(context, context.folder);
  return path;
}

/** Creates the new store next to the others. It becomes valid when its record is written, after all objects. */
async function restoreToNewWorkspace(
  context: Context,
  bundle: ValidBundle,
  { pace, wait, timelineOnly, overClones }: BundleRestoring,
): Promise<RestoredBundle> {
  const { ports, folder } = context;
  const { added } = joinTimelines([], 0, bundle.checkpoints, bundle.continues);
  const newest = added.at(-1) as Checkpoint;
  const isOverClones = overClones !== null && mayHaveClones(context, newest);
  const { store, record } = createUnrecordedStore(context);
  const { id, storePath } = record;
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
      const reported = { workspace: { id, root: folder, store: storePath }, isNew: true, added };
      if (isOverClones) {
        const operation = await overClones.publishAndRun({ context, workspace, lock, pace }, bundle, refs);
        await recordFolder(context, record, pace, wait);
        return { ...reported, restored: newest, paths: plannedPaths(operation), operation };
      }
      assertEmpty(context);
      if (timelineOnly) {
        workspace.timeline.publishAll(refs);
        return { ...reported, restored: null, paths: [], operation: null };
      }
      const paths = (await applyBundle(workspace, newest, refs, lock, pace)).paths.map(({ path }) => path);
      await recordFolder(context, record, pace, wait);
      return { ...reported, restored: newest, paths, operation: null };
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

/** A store that belongs to no folder yet. */
function createUnrecordedStore(context: Context): ReturnType<typeof makeStore> {
  prepareHome(context.ports, context.places.home);
  return makeStore(context, context.folder, null);
}

async function previewOverClones(
  context: Context,
  bundle: ValidBundle,
  overClones: OverClones,
  pace: Pace,
): Promise<BundlePreview> {
  const { added } = joinTimelines([], 0, bundle.checkpoints, bundle.continues);
  const target = added.at(-1) as Checkpoint;
  mayHaveClones(context, target);
  const { store, record } = createUnrecordedStore(context);
  try {
    const workspace = workspaceOf(context, record);
    workspace.timeline.publishAll(await importObjects(store, bundle.objects, added, pace));
    const operation = await overClones.preview(workspace, bundle);
    const paths = plannedPaths(operation);
    return { root: context.folder, isNew: true, added, target, paths, operation };
  } finally {
    store.objects.close();
    removeStore(context.ports, record.storePath);
  }
}

/**
 * @returns false if the folder is empty
 * @throws SavepointError CONFLICT if it is not, and cannot have clones of repositories of the bundle
 */
function mayHaveClones(context: Context, newest: Checkpoint): boolean {
  if (isEmptyFolder({ ports: context.ports, root: context.folder })) return false;
  if (!hasRepositories(newest)) assertEmpty(context);
  return true;
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
  writing: WriteContext,
  bundle: ValidBundle,
  overClones: OverClones | null,
): Promise<RestoredBundle> {
  const { workspace, lock, pace } = writing;
  const { store, timeline } = workspace;
  const { added, extendsTimeline } = joined(workspace, bundle);
  const isNew = hasNoCheckpoints(workspace);
  const imported = {
    workspace: { id: workspace.id, root: workspace.root, store: store.layout.path },
    isNew,
    added,
    operation: null,
  };
  const target = bundle.checkpoints.at(-1) as Checkpoint;
  if (added.length === 0) {
    const isLeft = overClones !== null && hasRepositories(target) && isStillToRestore(workspace, bundle);
    if (!isLeft || isEmptyFolder(workspace)) return { ...imported, restored: null, paths: [] };
    const operation = await overClones.run(writing, bundle);
    const paths = plannedPaths(operation);
    return { ...imported, restored: operation.checkpoint === null ? null : target, paths, operation };
  }
  // A restore that died before its checkpoints were published left a store without any.
  if (isNew && overClones !== null && mayHaveClones(writing.context, target)) {
    const refs = await importObjects(store, bundle.objects, added, pace);
    lock.assertHeld();
    const operation = await overClones.publishAndRun(writing, bundle, refs);
    return { ...imported, restored: target, paths: plannedPaths(operation), operation };
  }
  if (extendsTimeline) await assertContinuable(workspace, timeline.latest(), pace);
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

/** Such a store counts as none. @throws SavepointError STORE_DAMAGED if checkpoints may be hidden */
function hasNoCheckpoints({ timeline, lastNumber }: Workspace): boolean {
  timeline.assertComplete();
  return lastNumber === 0 && timeline.list().length === 0;
}

/** @param workspace null: the folder has no timeline */
function joined(workspace: Workspace | null, { checkpoints, continues }: ValidBundle): JoinResult {
  if (workspace === null) return joinTimelines([], 0, checkpoints, continues);
  workspace.timeline.assertComplete();
  const { checkpoints: here, damaged } = workspace.timeline.readAll();
  if (damaged[0] !== undefined) throw damaged[0].error;
  return joinTimelines(here, workspace.lastNumber, checkpoints, continues);
}

/** @throws SavepointError BUNDLE_DIVERGED, CONFLICT if the folder has files that no checkpoint has */
async function assertContinuable(workspace: Workspace, newestHere: Checkpoint | null, pace: Pace): Promise<void> {
  if (isEmptyFolder(workspace)) return;
  if (newestHere === null) assertEmpty({ ports: workspace.ports, folder: workspace.root });
  else await assertUnchanged(workspace, newestHere, pace);
}

function plannedPaths({ plan }: Pick<OperationResult, 'plan'>): readonly TreePath[] {
  return plan.paths.map(({ path }) => path);
}

function changedPaths(objects: ObjectReader, from: Checkpoint | null, to: Checkpoint): readonly TreePath[] {
  const before = from?.snapshot ?? EMPTY_SNAPSHOT;
  const changed: TreePath[] = [];
  for (const { path, after } of differences(objects, before, to.snapshot)) if (after.skip === null) changed.push(path);
  return changed;
}

function isEmptyFolder({ ports, root }: Pick<Workspace, 'ports' | 'root'>): boolean {
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

function hasCheckpoints(folder: DiskPath): SavepointError {
  const message = `${showName(folder)} already has checkpoints.`;
  return new SavepointError(
    'CONFLICT',
    message,
    { paths: [] },
    { hint: 'Nothing was changed. Import only the timeline to a folder without checkpoints.' },
  );
}

function folderOccupied(folder: DiskPath): SavepointError {
  return new SavepointError('CONFLICT', `Another process started to work in ${showName(folder)}.`, { paths: [] });
}
