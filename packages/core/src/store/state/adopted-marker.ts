/** Which checkpoint took contents over that nobody has read yet. */
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

/** To be called before the checkpoint is published. Where it is lost, a reader finds what is damaged, as ever. */
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

/** The commit of the checkpoint, null where the note says none. */
export function readAdoptedMarker(fs: Fs, layout: StoreLayout): string | null {
  return readCacheJson<AdoptedMarker, string>(fs, layout.adopted, MARKER_BYTES, ({ commit }) => commit);
}

export function removeAdoptedMarker(fs: Fs, layout: StoreLayout): void {
  removeIfExists(fs, layout.adopted);
}
