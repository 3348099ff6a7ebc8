/** Marks a store in which automatic clean-up may apply the limits that the user chose (docs/format.md). */
import { type Fs, isFsError } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import type { StoreLayout } from '../layout.ts';
import { writeCacheFile } from './cache-file.ts';

/** If the marker is lost, automatic clean-up keeps more. */
export function writeRetentionMarker({ fs }: Pick<Ports, 'fs'>, layout: StoreLayout): void {
  writeCacheFile(fs, layout.retention, Buffer.from('{"rule":2}\n'));
}

export function hasRetentionMarker(fs: Fs, layout: StoreLayout): boolean {
  try {
    return fs.lstat(layout.retention) !== null;
  } catch (error) {
    if (isFsError(error)) return false;
    throw error;
  }
}
