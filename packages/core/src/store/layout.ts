/** Paths in a workspace's store (docs/format.md, "Layout"). */

import { isFsError } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import { removeTree } from '../io/remove-tree.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import { LastWriterMark } from './last-writer-mark.ts';
import { createBareRepository } from './objects/bare-repository.ts';
import { ObjectStore } from './objects/object-store.ts';
import { assertPrivate, makeFolders } from './private-folders.ts';
import { Refs } from './refs/refs.ts';

export interface StoreLayout {
  readonly path: DiskPath;
  readonly objects: DiskPath;
  readonly lock: DiskPath;
  readonly journal: DiskPath;
  readonly backups: DiskPath;
  readonly calls: DiskPath;
  readonly sessions: DiskPath;
  readonly scopes: DiskPath;
  readonly reviews: DiskPath;
  /** Present if automatic clean-up may apply limits that the user chose. */
  readonly retention: DiskPath;
  readonly cache: DiskPath;
  readonly statCache: DiskPath;
  /** Names the checkpoint with adopted contents that nothing has read yet. */
  readonly adopted: DiskPath;
  readonly lastWriterMark: DiskPath;
}

export function layoutOf(storePath: DiskPath): StoreLayout {
  const below = (name: string): DiskPath => diskChild(storePath, name);
  return {
    path: storePath,
    objects: below('objects.git'),
    lock: below('lock'),
    journal: below('journal'),
    backups: below('backups'),
    calls: below('calls'),
    sessions: below('sessions'),
    scopes: below('scopes'),
    reviews: below('reviews'),
    retention: below('retention.json'),
    cache: below('cache'),
    statCache: below('cache/stat'),
    adopted: below('cache/adopted'),
    lastWriterMark: below('cache/turn'),
  };
}

export interface OpenStore {
  readonly layout: StoreLayout;
  readonly objects: ObjectStore;
  readonly refs: Refs;
  readonly lastWriterMark: LastWriterMark;
}

/**
 * Creates a store's folders, reusing those that an interrupted creation left. The store is valid only once it has its
 * record, which is written last.
 */
export function createStore(ports: Ports, storePath: DiskPath): OpenStore {
  const layout = layoutOf(storePath);
  for (const folder of [layout.path, layout.lock, layout.journal, layout.backups, layout.cache]) {
    makeFolders(ports.fs, folder, 0o700);
  }
  ObjectStore.create(ports, layout.objects);
  return openLayout(ports, layout);
}

/**
 * Removes a store that was created for an operation that did not happen. The record goes first, so the store is invalid
 * from the first step on.
 */
export function removeStore({ fs }: Ports, storePath: DiskPath): void {
  removeTree(fs, diskChild(storePath, 'workspace.json'));
  removeTree(fs, storePath);
}

/** @throws SavepointError STORE_UNSAFE if other users can access the store */
export function openStore(ports: Ports, storePath: DiskPath): OpenStore {
  assertPrivate(ports, storePath);
  const layout = layoutOf(storePath);
  makeMissingFolders(ports, layout);
  return openLayout(ports, layout);
}

/** Creates the cache folder if it is missing: users and processes may delete it at any time. */
export function ensureCache(ports: Ports, layout: StoreLayout): void {
  try {
    if (ports.fs.lstat(layout.cache) === null) ports.fs.makeFolder(layout.cache, 0o700);
  } catch (error) {
    if (!isFsError(error)) throw error;
  }
}

/**
 * Many programs that copy folders leave out empty ones. A store without one of these folders is not damaged, unless it
 * has no repository at all.
 */
function makeMissingFolders({ fs }: Ports, { lock, journal, backups, objects }: StoreLayout): void {
  for (const folder of [lock, journal, backups]) if (fs.lstat(folder) === null) makeFolders(fs, folder, 0o700);
  if (fs.lstat(diskChild(objects, 'objects/pack')) === null && fs.lstat(diskChild(objects, 'HEAD')) !== null)
    createBareRepository(fs, objects);
}

function openLayout(ports: Ports, layout: StoreLayout): OpenStore {
  const mark = new LastWriterMark(ports, layout.lastWriterMark);
  const objects = ObjectStore.open(ports, layout.objects, mark);
  return { layout, objects, refs: new Refs(ports, layout.objects, mark), lastWriterMark: mark };
}
