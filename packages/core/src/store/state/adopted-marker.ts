/** Marks the checkpoint that adopted contents that nothing has read yet. */
import { type Fs, isFsError } from '../../io/fs.ts';
import { removeIfExists } from '../../io/if-exists.ts';
import type { Ports } from '../../io/ports.ts';
import type { ObjectId } from '../../model/ids.ts';
import { ensureCache, type StoreLayout } from '../layout.ts';
import { readCacheJson, writeCacheFile } from './cache-file.ts';

interface AdoptedMarker {
  readonly commit: string;
}

const MARKER_BYTES = 4096;

/** Call it before the checkpoint is published. If the marker is lost, reading still detects damaged contents. */
export function writeAdoptedMarker(ports: Ports, layout: StoreLayout, commit: ObjectId): void {
  ensureCache(ports, layout);
  writeCacheFile(ports.fs, layout.adopted, Buffer.from(JSON.stringify({ commit } satisfies AdoptedMarker)));
}

export function hasAdoptedMarker(fs: Fs, layout: StoreLayout): boolean {
  try {
    return fs.lstat(layout.adopted) !== null;
  } catch (error) {
    if (isFsError(error)) return false;
    throw error;
  }
}

/** Returns the commit of the checkpoint; null if there is no valid marker. */
export function readAdoptedMarker(fs: Fs, layout: StoreLayout): string | null {
  return readCacheJson<AdoptedMarker, string>(fs, layout.adopted, MARKER_BYTES, ({ commit }) => commit);
}

export function removeAdoptedMarker(fs: Fs, layout: StoreLayout): void {
  removeIfExists(fs, layout.adopted);
}
