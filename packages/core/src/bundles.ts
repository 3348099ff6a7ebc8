/** Bundles of a timeline: made of one, and restored to a folder that has none, or an older part of the same. */

import { showName } from './content/show-name.ts';
import { FsError, kindOf } from './io/fs.ts';
import type { Pace } from './io/pace.ts';
import type { Ports } from './io/ports.ts';
import { checkName } from './io/safe-path.ts';
import type { Checkpoint } from './model/checkpoint.ts';
import { SavepointError } from './model/errors.ts';
import type { WorkspaceId } from './model/ids.ts';
import { type DiskPath, nameToJson, type TreePath } from './model/names.ts';
import {
  assertMayBeWorkspace,
  findWorkspace,
  isInside,
  lockOverlapping,
  openFound,
  pathOf,
  resolveFolder,
  type Setting,
} from './open-workspace.ts';
import { createStore, openStore, removeStore } from './store/layout.ts';
import { acquireLock, type HeldLock, type LockOptions } from './store/lock.ts';
import {
  confirmRecord,
  identityOf,
  makeFolders,
  prepareHome,
  type WorkspaceRecord,
  writeRecord,
} from './store/records.ts';
import { assertUnchanged, bringAbout } from './sync/bring-about.ts';
import { type BundleRequest, type PlannedBundle, planBundle } from './sync/bundle-create.ts';
import { importObjects } from './sync/bundle-import.ts';
import { checkBundle, type SoundBundle } from './sync/check-bundle.ts';
import { joinTimelines } from './sync/join.ts';
import type { Workspace } from './timeline/capture.ts';
import { Timeline } from './timeline/timeline.ts';
import { listUnsettled } from './transaction/journal.ts';
import { makeFile } from './transaction/new-file.ts';

export interface CreatedBundle extends Omit<PlannedBundle, 'write'> {
  readonly bytes: number;
}

export interface RestoredBundle {
  readonly workspace: { readonly id: WorkspaceId; readonly root: DiskPath; readonly store: DiskPath };
  /** The folder had no checkpoints before. */
  readonly isNew: boolean;
  /** Checkpoints that came, oldest first. */
  readonly added: readonly Checkpoint[];
  /** What the folder is equal to now; null where its files were left alone, for nothing newer came. */
  readonly restored: Checkpoint | null;
  /** Files, links and folders that were written or removed. */
  readonly paths: readonly TreePath[];
}

/**
 * @param file absolute; the folder that it lies in is there
 * @throws SavepointError PATH_REFUSED, CONFLICT, UNKNOWN_SESSION, BUNDLE_EMPTY, STORE_DAMAGED, NO_SPACE, IO, CANCELLED
 */
export async function createBundle(
  setting: Setting,
  { ports, store, timeline }: Workspace,
  file: DiskPath,
  request: BundleRequest & { readonly overwrite: boolean },
  pace: Pace,
): Promise<CreatedBundle> {
  const path = resolveFolder(ports, file);
  assertMayHold(setting, path);
  const { write, ...planned } = await planBundle(store.objects, timeline, request, pace);
  let bytes = 0;
  await makeFile(ports, path, request.overwrite, async (put) => {
    await write((piece) => {
      bytes += piece.length;
      put(piece);
    });
    pace.check();
  });
  return { ...planned, bytes };
}

/** A repository's own folder and ours are nobody's place for files. */
function assertMayHold({ ports, places }: Setting, path: DiskPath): void {
  const inGit = path
    .split('/')
    .some((name) => name !== '' && checkName(name, ports.platform) === 'means .git to git or to some file system');
  const why = inGit
    ? "lies in a repository's own folder"
    : isInside(path, resolveFolder(ports, places.home))
      ? 'lies in the store of Savepoint'
      : null;
  if (why === null) return;
  throw new SavepointError('PATH_REFUSED', `${showName(path)} ${why}.`, { path: nameToJson(path), why });
}

/**
 * Makes a folder what the newest checkpoint of a bundle says, with all its checkpoints behind it. A folder that a bundle of the
 * same timeline was restored to goes on with what is new. Nothing at all happens where the bundle is not sound.
 * @param setting of the folder, which is the workspace itself
 * @param settle what a dead process left half done there
 * @throws SavepointError BUNDLE_REFUSED, BUNDLE_INCOMPLETE, BUNDLE_DIVERGED, CONFLICT where the folder holds something
 */
export async function restoreBundle(
  setting: Setting,
  file: DiskPath,
  pace: Pace,
  wait: LockOptions,
  settle: (workspace: Workspace, lock: HeldLock, pace: Pace) => Promise<void>,
): Promise<RestoredBundle> {
  const { ports, folder } = setting;
  const path = ports.fs.realpath(file);
  assertMayHold(setting, folder);
  assertMayBeWorkspace(setting, folder);
  const found = findWorkspace(setting);
  if (found === null) {
    assertEmpty(setting);
    const bundle = await checkBundle(ports, path, null, pace);
    try {
      return await restoreAnew(setting, bundle, pace, wait);
    } finally {
      bundle.close();
    }
  }
  const workspace = openFound(setting, { ...found, record: { ...found.record, path: pathOf(found) } });
  try {
    const bundle = await checkBundle(ports, path, workspace.store.objects, pace);
    try {
      const lock = await lockOverlapping(setting, workspace, pace, wait);
      try {
        confirmRecord(ports, workspace.store.layout.path);
        workspace.store.refs.collectDebris();
        workspace.store.objects.collectDebris();
        await settle(workspace, lock, pace);
        return await goOn(workspace, bundle, lock, pace);
      } finally {
        lock.release();
      }
    } finally {
      bundle.close();
    }
  } finally {
    workspace.store.objects.close();
  }
}

/** A store is made beside all others and counts once its record is there, which comes when all objects are. */
async function restoreAnew(
  setting: Setting,
  bundle: SoundBundle,
  pace: Pace,
  wait: LockOptions,
): Promise<RestoredBundle> {
  const { ports, places, folder } = setting;
  const { added } = joinTimelines([], 0, bundle.checkpoints, bundle.continues);
  const newest = added.at(-1) as Checkpoint;
  prepareHome(ports, places.home);
  const id = ports.random.hex(16) as WorkspaceId;
  const storePath = `${places.home}/workspaces/${id}` as DiskPath;
  const record = { id, path: folder, identity: null, lastNumber: 0, created: ports.clock.now(), storePath };
  const store = createStore(ports, storePath);
  try {
    const refs = await importObjects(store, bundle.objects, added, pace);
    const workspace = openFound(setting, { how: 'path', record, madeAnew: false });
    await underHomeLock(setting, pace, wait, () => {
      if (findWorkspace(setting) !== null) throw occupied(folder);
      writeRecord(ports, record);
    });
    const lock = await lockOverlapping(setting, workspace, pace, wait);
    try {
      if (workspace.timeline.lastNumber() > 0) throw occupied(folder);
      assertEmpty(setting);
      const paths = (await bringAbout(workspace, newest, refs, lock, pace)).paths.map(({ path }) => path);
      noteFolder(ports, record);
      return { workspace: { id, root: folder, store: storePath }, isNew: true, added, restored: newest, paths };
    } finally {
      lock.release();
    }
  } catch (error) {
    takeAway(setting, storePath);
    throw error;
  } finally {
    store.objects.close();
  }
}

/** It has happened: a record that does not know its folder yet is put right by whoever writes next. */
function noteFolder(ports: Ports, record: WorkspaceRecord): void {
  try {
    const stat = ports.fs.lstat(record.path);
    if (stat !== null) writeRecord(ports, { ...record, identity: identityOf(stat) });
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
  }
}

/** Somebody took a checkpoint in the new store meanwhile, or an act there waits to be settled: it must stay. */
function isInUse({ ports }: Setting, storePath: DiskPath): boolean {
  const { layout, objects, refs } = openStore(ports, storePath);
  const { intents, journals } = listUnsettled(ports, layout.journal);
  return intents.length + journals.length > 0 || new Timeline(objects, refs).list().length > 0;
}

/** What cannot be taken away now does no harm: the same bundle once more goes on from it. */
function takeAway(setting: Setting, storePath: DiskPath): void {
  try {
    if (!isInUse(setting, storePath)) removeStore(setting.ports, storePath);
  } catch (error) {
    if (!(error instanceof FsError) && !(error instanceof SavepointError)) throw error;
  }
}

async function underHomeLock(setting: Setting, pace: Pace, wait: LockOptions, act: () => void): Promise<void> {
  const { ports, places } = setting;
  const lockFolder = `${places.home}/lock` as DiskPath;
  makeFolders(ports.fs, lockFolder, 0o700);
  const lock = await acquireLock(ports, lockFolder, pace, wait);
  try {
    act();
  } finally {
    lock.release();
  }
}

/** The folder has checkpoints: what is new is put behind them. */
async function goOn(workspace: Workspace, bundle: SoundBundle, lock: HeldLock, pace: Pace): Promise<RestoredBundle> {
  const { store, timeline } = workspace;
  const { checkpoints: here, damaged } = timeline.readAll();
  if (damaged[0] !== undefined) throw damaged[0].error;
  const { added, goesOn } = joinTimelines(here, workspace.lastNumber, bundle.checkpoints, bundle.continues);
  const told = { workspace: { id: workspace.id, root: workspace.root, store: store.layout.path }, isNew: false, added };
  if (added.length === 0) return { ...told, restored: null, paths: [] };
  const standing = here.at(-1);
  if (goesOn && !isEmptyFolder(workspace)) {
    if (standing === undefined) assertEmpty({ ports: workspace.ports, folder: workspace.root });
    else await assertUnchanged(workspace, standing, pace);
  }
  const refs = await importObjects(store, bundle.objects, added, pace);
  lock.assertHeld();
  if (!goesOn) {
    timeline.publishAll(refs);
    return { ...told, restored: null, paths: [] };
  }
  const newest = added.at(-1) as Checkpoint;
  const { paths } = await bringAbout(workspace, newest, refs, lock, pace);
  return { ...told, restored: newest, paths: paths.map(({ path }) => path) };
}

function isEmptyFolder({ ports, root }: Workspace): boolean {
  const stat = ports.fs.lstat(root);
  return stat === null || (kindOf(stat) === 'folder' && ports.fs.list(root).length === 0);
}

/** @throws SavepointError CONFLICT */
function assertEmpty({ ports, folder }: Pick<Setting, 'ports' | 'folder'>): void {
  const stat = ports.fs.lstat(folder);
  if (stat === null) return;
  const names = kindOf(stat) === 'folder' ? [...ports.fs.list(folder)].sort() : [];
  if (kindOf(stat) === 'folder' && names.length === 0) return;
  throw new SavepointError(
    'CONFLICT',
    `${showName(folder)} is not empty, and has no checkpoints that the bundle could go on from.`,
    { paths: names.slice(0, 100).map((name) => ({ path: nameToJson(name), why: 'is there already' })) },
    { hint: 'Nothing was changed. Name a folder that is empty, or that does not exist yet.' },
  );
}

function occupied(folder: DiskPath): SavepointError {
  return new SavepointError('CONFLICT', `Someone else began to work in ${showName(folder)}.`, { paths: [] });
}
