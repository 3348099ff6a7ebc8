/** Finding, making and locking the store of a folder. */

import { showName } from './content/show-name.ts';
import { isFsError, kindOf } from './io/fs.ts';
import type { Pace } from './io/pace.ts';
import type { Places, Ports } from './io/ports.ts';
import type { CaptureRules } from './model/checkpoint.ts';
import { SavepointError } from './model/errors.ts';
import type { WorkspaceId } from './model/ids.ts';
import { type DiskPath, nameToJson } from './model/names.ts';
import { createStore, layoutOf, type OpenStore } from './store/layout.ts';
import { acquireLock, type HeldLock, type LockOptions } from './store/lock.ts';
import {
  type Found,
  findRecord,
  identityOf,
  makeFolders,
  parentFolder,
  prepareHome,
  type Records,
  stillSameFolder,
  type WorkspaceRecord,
  writeRecord,
} from './store/records.ts';
import { Turn } from './store/turn.ts';
import type { Workspace } from './timeline/capture.ts';
import type { StoryCache } from './timeline/story-cache.ts';
import { Timeline } from './timeline/timeline.ts';
import { findRepository } from './workspace/git-state.ts';
import type { ScanMemory } from './workspace/scan-memory.ts';
import { StatCache } from './workspace/stat-cache.ts';

export interface Setting {
  readonly ports: Ports;
  readonly places: Places;
  /** Of the workspace in that folder. Throws where its settings are not sound. */
  readonly rulesOf: (root: DiskPath) => CaptureRules;
  /** Whether checkpoints of that workspace have the index of each repository; throws as `rulesOf`. */
  readonly recordsIndex: (root: DiskPath) => boolean;
  /** How large the store of that workspace may be; throws as `rulesOf`. */
  readonly maxStoreBytes: (root: DiskPath) => number | null;
  /** Of all workspaces in the home, as they are now. */
  readonly listRecords: () => Records;
  /** Opens the store of a workspace, or has it still. */
  readonly storeOf: (record: WorkspaceRecord) => OpenStore;
  readonly stories: StoryCache;
  /** What scans of that workspace remember; `saved` is what its store keeps. */
  readonly memoryOf: (record: WorkspaceRecord, saved: StatCache) => ScanMemory;
  /** Whether a first checkpoint of that workspace may take over what repositories have; throws as `rulesOf`. */
  readonly adopts: (root: DiskPath) => boolean;
  /** The folder that the caller stands in; real path of what is there of it. */
  readonly folder: DiskPath;
  /** The folder itself is the workspace, whatever encloses it. */
  readonly here: boolean;
  /** The person's home folder may be a workspace. */
  readonly allowHome: boolean;
}

/** A path with its links resolved, as far as it exists. */
export function resolveFolder(ports: Ports, path: DiskPath): DiskPath {
  try {
    return ports.fs.realpath(path);
  } catch (error) {
    if (!isFsError(error, 'ENOENT')) throw error;
  }
  const parent = parentFolder(path);
  if (parent === null) return path;
  const above = resolveFolder(ports, parent);
  return `${above === '/' ? '' : above}${path.slice(parent === '/' ? 0 : parent.length)}` as DiskPath;
}

export function findWorkspace(setting: Setting): Found | null {
  const { ports, folder } = setting;
  const stat = ports.fs.lstat(folder);
  if (stat !== null && kindOf(stat) !== 'folder') throw refused(folder, 'not-a-folder', 'is not a folder');
  const { records, problems } = setting.listRecords();
  const found = findRecord(ports, records, folder);
  const fits = found !== null && (!setting.here || pathOf(found) === folder) ? found : null;
  // A store that cannot be read might be the one that belongs here.
  if (fits === null && problems[0] !== undefined) throw problems[0];
  return fits;
}

export function pathOf(found: Found): DiskPath {
  return found.how === 'moved' ? found.to : found.record.path;
}

/** The folder that a first checkpoint makes a workspace: the enclosing repository's top, else the folder itself. */
export function newWorkspaceFolder(setting: Setting): DiskPath {
  const { ports, folder } = setting;
  const stat = ports.fs.lstat(folder);
  if (stat === null || kindOf(stat) !== 'folder') throw refused(folder, 'not-a-folder', 'is not a folder');
  if (setting.here) return folder;
  const found = findRepository(ports.fs, folder);
  if (found === null) return folder;
  // Whether there is a repository could not be seen: a guess might take in far too much.
  if ('problem' in found.repository && found.repository.problem.why === 'unreadable' && found.folder !== folder) {
    const { path, detail } = found.repository.problem;
    throw new SavepointError(
      'IO',
      `${showName(path)} cannot be looked at (${detail}), so nobody knows what repository this is.`,
      { path: nameToJson(path), operation: 'lstat', code: detail },
      { hint: 'Nothing was changed. Mend that, or use --here to make this very folder the workspace.' },
    );
  }
  return found.folder;
}

/** @throws SavepointError ROOT_REFUSED */
export function assertMayBeWorkspace(setting: Setting, folder: DiskPath): void {
  const { home, userHome } = setting.places;
  if (parentFolder(folder) === null || /^[A-Za-z]:[\\/]?$/.test(folder)) {
    throw refused(folder, 'filesystem-root', 'is the root of the file system');
  }
  if (!setting.allowHome && userHome !== null && resolveFolder(setting.ports, userHome) === folder) {
    throw refused(folder, 'home', 'is a home folder');
  }
  const store = resolveFolder(setting.ports, home);
  if (isInside(store, folder)) throw refused(folder, 'holds-store', 'holds the store of Savepoint');
  if (isInside(folder, store)) throw refused(folder, 'in-store', 'lies in the store of Savepoint');
}

/** Opens the store of a found workspace as it is, for reading. */
export function openFound(setting: Setting, found: Found): Workspace {
  return workspaceOf(setting, { ...found.record, path: pathOf(found) });
}

function workspaceOf(setting: Setting, record: WorkspaceRecord): Workspace {
  const { ports, places, rulesOf, recordsIndex, adopts, maxStoreBytes } = setting;
  const store = setting.storeOf(record);
  return {
    ports,
    id: record.id,
    root: record.path,
    store,
    timeline: new Timeline(store.objects, store.refs, setting.stories),
    // What takes no look at the folder goes on while a configuration file is broken.
    get rules() {
      return rulesOf(record.path);
    },
    get recordIndex() {
      return recordsIndex(record.path);
    },
    get gitAttributes() {
      return adopts(record.path) ? (places.gitAttributes?.() ?? null) : null;
    },
    get maxStoreBytes() {
      return maxStoreBytes(record.path);
    },
    globalIgnore: places.globalIgnore,
    memory: setting.memoryOf(record, new StatCache(ports, store.layout)),
    searchPath: places.searchPath ?? '',
    lastNumber: record.lastNumber,
  };
}

/**
 * The workspace of the folder, made if there is none, with its record telling where it is now. Of several processes that
 * come to a new folder at once one makes the store, and the others find it.
 */
export async function ensureWorkspace(setting: Setting, pace: Pace, wait: LockOptions): Promise<Workspace> {
  const { ports, places } = setting;
  const found = findWorkspace(setting);
  if (found !== null && !needsNote(setting, found)) {
    assertMayBeWorkspace(setting, pathOf(found));
    return openFound(setting, found);
  }
  prepareHome(ports, places.home);
  const lockFolder = `${places.home}/lock` as DiskPath;
  makeFolders(ports.fs, lockFolder, 0o700);
  const lock = await acquireLock(ports, lockFolder, pace, wait);
  try {
    const again = findWorkspace(setting);
    return again === null ? makeWorkspace(setting) : noteWhere(setting, again);
  } finally {
    lock.release();
  }
}

/** The record says something else than the disk: the folder was moved, or made anew. */
function needsNote(setting: Setting, found: Found): boolean {
  return found.how === 'moved' || (found.madeAnew && setting.ports.fs.lstat(found.record.path) !== null);
}

function noteWhere(setting: Setting, found: Found): Workspace {
  const path = pathOf(found);
  assertMayBeWorkspace(setting, path);
  const stat = setting.ports.fs.lstat(path);
  const record = { ...found.record, path, identity: stat === null ? found.record.identity : identityOf(stat) };
  if (needsNote(setting, found)) writeRecord(setting.ports, record);
  return workspaceOf(setting, record);
}

function makeWorkspace(setting: Setting): Workspace {
  const { ports, places } = setting;
  const path = newWorkspaceFolder(setting);
  assertMayBeWorkspace(setting, path);
  const stat = ports.fs.lstat(path);
  if (stat === null) throw refused(path, 'not-a-folder', 'is not a folder');
  const id = ports.random.hex(16) as WorkspaceId;
  const storePath = `${places.home}/workspaces/${id}` as DiskPath;
  createStore(ports, storePath);
  const record: WorkspaceRecord = {
    id,
    path,
    identity: identityOf(stat),
    lastNumber: 0,
    created: ports.clock.now(),
    storePath,
  };
  writeRecord(ports, record);
  return workspaceOf(setting, record);
}

/** Gives this folder the timeline of another one, named by its path or its store's id. */
export async function linkWorkspace(setting: Setting, from: string, pace: Pace, wait: LockOptions): Promise<Workspace> {
  const { ports, places, folder } = setting;
  assertMayBeWorkspace(setting, folder);
  const stat = ports.fs.lstat(folder);
  if (stat === null || kindOf(stat) !== 'folder') throw refused(folder, 'not-a-folder', 'is not a folder');
  prepareHome(ports, places.home);
  const lockFolder = `${places.home}/lock` as DiskPath;
  makeFolders(ports.fs, lockFolder, 0o700);
  const lock = await acquireLock(ports, lockFolder, pace, wait);
  try {
    const { records } = setting.listRecords();
    const record = records.find(({ id, path }) => id === from || path === from);
    if (record === undefined) {
      throw new SavepointError(
        'NO_WORKSPACE',
        'No store has that path or id.',
        { folder: nameToJson(from) },
        {
          hint: 'Run `savepoint workspaces` to see what there is.',
        },
      );
    }
    const other = records.find(({ id, path }) => path === folder && id !== record.id);
    if (other !== undefined) {
      throw new SavepointError('ROOT_REFUSED', 'This folder has a timeline of its own already.', {
        folder: nameToJson(folder),
        why: 'has-store',
        workspace: other.id,
      });
    }
    const standing = record.path === folder ? null : ports.fs.lstat(record.path);
    if (standing !== null && stillSameFolder(record.identity, identityOf(standing))) {
      throw new SavepointError(
        'ROOT_REFUSED',
        `That timeline belongs to ${showName(record.path)}, which is still there.`,
        { folder: nameToJson(folder), why: 'in-use', workspace: record.id },
        { hint: 'Two folders cannot share a timeline. Move or remove that one first, or start a timeline here.' },
      );
    }
    const linked = { ...record, path: folder, identity: identityOf(stat) };
    writeRecord(ports, linked);
    return workspaceOf(setting, linked);
  } finally {
    lock.release();
  }
}

/** This workspace and every other one whose folder lies in it or around it, always in the same order. */
export function overlapping(setting: Setting, workspace: Workspace): readonly Workspace[] {
  return overlappingRecords(setting, workspace).map((record) =>
    record.id === workspace.id ? workspace : workspaceOf(setting, record),
  );
}

function overlappingRecords(setting: Setting, workspace: Workspace): readonly WorkspaceRecord[] {
  const { records } = setting.listRecords();
  return records
    .filter(({ id, path }) => id === workspace.id || isInside(path, workspace.root) || isInside(workspace.root, path))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Locks the workspace and every other one whose folder lies in it or around it, always in the same order. */
export async function lockOverlapping(
  setting: Setting,
  workspace: Workspace,
  pace: Pace,
  wait: LockOptions,
): Promise<HeldLock> {
  const held: HeldLock[] = [];
  let isOurTurn = false;
  const release = (): void => {
    for (const lock of held.splice(0).reverse()) lock.release();
  };
  try {
    for (const { id, storePath } of overlappingRecords(setting, workspace)) {
      const { lock, turn } = layoutOf(storePath);
      const own = id === workspace.id ? workspace.store.turn : new Turn(setting.ports, turn);
      const one = await acquireLock(setting.ports, lock, pace, wait, own);
      held.push(one);
      if (id === workspace.id) isOurTurn = one.isOurTurn;
    }
  } catch (error) {
    release();
    throw error;
  }
  return {
    isOurTurn,
    assertHeld: () => {
      for (const lock of held) lock.assertHeld();
    },
    release,
  };
}

export function isInside(path: DiskPath, folder: DiskPath): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function refused(folder: DiskPath, why: string, text: string): SavepointError {
  return new SavepointError('ROOT_REFUSED', `${showName(folder)} ${text}, so it cannot be a workspace.`, {
    folder: nameToJson(folder),
    why,
  });
}
