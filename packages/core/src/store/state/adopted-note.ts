/** Which checkpoint took contents over that nobody has read yet. */
import { type Fs, isFsError } from '../../io/fs.ts';
import { removeIfThere } from '../../io/if-there.ts';
import type { Ports } from '../../io/ports.ts';
import type { ObjectId } from '../../model/ids.ts';
import { ensureCache, type StoreLayout } from '../layout.ts';
import { readCacheJson, writeCacheFile } from './cache-file.ts';

interface Note {
  readonly commit: string;
}

const NOTE_BYTES = 4096;

/** To be called before the checkpoint is published. Where it is lost, a reader finds what is damaged, as ever. */
export function noteAdopted(ports: Ports, layout: StoreLayout, commit: ObjectId): void {
  ensureCache(ports, layout);
  writeCacheFile(ports.fs, layout.adopted, Buffer.from(JSON.stringify({ commit } satisfies Note)));
}

export function isAdoptedUnread(fs: Fs, layout: StoreLayout): boolean {
  try {
    return fs.lstat(layout.adopted) !== null;
  } catch (error) {
    if (isFsError(error)) return false;
    throw error;
  }
}

/** The commit of the checkpoint, null where the note says none. */
export function readAdopted(fs: Fs, layout: StoreLayout): string | null {
  return readCacheJson<Note, string>(fs, layout.adopted, NOTE_BYTES, ({ commit }) => commit);
}

export function forgetAdopted(fs: Fs, layout: StoreLayout): void {
  removeIfThere(fs, layout.adopted);
}
