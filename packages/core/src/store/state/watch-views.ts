/**
 * What watches have seen of a workspace: `cache/watch/<name>.json` in the store. A point of a watch has the name, so that
 * another process continues from it. They may be deleted at any time; then a watch says that it may have missed something.
 */

import { type Fs, FsError } from '../../io/fs.ts';
import { listIfExists, removeIfExists } from '../../io/if-exists.ts';
import { removeTree } from '../../io/remove-tree.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import type { StoreLayout } from '../layout.ts';
import { makeFolderIfMissing, readCacheJson, writeCacheFile } from './cache-file.ts';

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 300;
const DROPPED_AT_ONCE = 100;

/** Best effort. @param name names exactly this content */
export function keepWatchView(fs: Fs, layout: StoreLayout, name: string, json: unknown): void {
  const folder = folderIn(layout);
  try {
    makeFolderIfMissing(fs, folder);
    removeOldest(fs, folder);
  } catch (error) {
    if (error instanceof FsError) return;
    throw error;
  }
  writeCacheFile(fs, fileIn(folder, name), Buffer.from(JSON.stringify(json)));
}

/** @returns null if there is none that can be used */
export function readWatchView<T>(
  fs: Fs,
  layout: StoreLayout,
  name: string,
  parse: (json: unknown) => T | null,
): T | null {
  return readCacheJson(fs, fileIn(folderIn(layout), name), MAX_BYTES, parse);
}

/** They name sessions and tools, so they go when those are deleted. */
export function removeWatchViews(fs: Fs, layout: StoreLayout): void {
  if (fs.lstat(folderIn(layout)) !== null) removeTree(fs, folderIn(layout));
}

function removeOldest(fs: Fs, folder: DiskPath): void {
  const names = listIfExists(fs, folder);
  if (names.length < MAX_FILES) return;
  const files = names.map((name) => {
    const path = diskChild(folder, name);
    return { path, time: fs.lstat(path)?.mtimeMs ?? 0 };
  });
  const oldest = files.sort((a, b) => a.time - b.time).slice(0, DROPPED_AT_ONCE);
  for (const { path } of oldest) removeIfExists(fs, path);
}

function folderIn(layout: StoreLayout): DiskPath {
  return diskChild(layout.cache, 'watch');
}

function fileIn(folder: DiskPath, name: string): DiskPath {
  return diskChild(folder, `${name}.json`);
}
