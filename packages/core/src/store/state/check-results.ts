/** Results of checks on states of the workspace: `cache/checks/` in the store. They may be deleted at any time. */

import { type Fs, FsError, isFsError } from '../../io/fs.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import type { StoreLayout } from '../layout.ts';
import { fileForKey, readCacheJson, writeCacheJson } from './cache-file.ts';

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 200;

export function checkResultsIn(layout: StoreLayout): DiskPath {
  return diskChild(layout.cache, 'checks');
}

/** @returns null if there is none that can be used */
export function readCheckResult<T>(fs: Fs, layout: StoreLayout, key: string, parse: (json: T) => T | null): T | null {
  return readCacheJson(fs, fileForKey(checkResultsIn(layout), key), MAX_BYTES, parse);
}

/** Best effort. Large results are not kept. */
export function keepCheckResult(fs: Fs, layout: StoreLayout, key: string, json: unknown): void {
  if (JSON.stringify(json).length > MAX_BYTES / 4) return;
  try {
    removeOldest(fs, checkResultsIn(layout));
    writeCacheJson(fs, checkResultsIn(layout), key, json);
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
  }
}

function removeOldest(fs: Fs, folder: DiskPath): void {
  const names = listOrNone(fs, folder);
  if (names.length < MAX_FILES) return;
  const files = names.map((name) => ({
    path: diskChild(folder, name),
    time: fs.lstat(diskChild(folder, name))?.mtimeMs ?? 0,
  }));
  const oldest = files.sort((a, b) => a.time - b.time).slice(0, names.length - MAX_FILES / 2);
  for (const { path } of oldest) fs.unlink(path);
}

function listOrNone(fs: Fs, folder: DiskPath): readonly string[] {
  try {
    return fs.list(folder);
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return [];
    throw error;
  }
}
