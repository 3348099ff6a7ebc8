import type { DiskPath } from '../../model/names.ts';
import { errorCode } from './path.ts';

/** Error codes of file systems that cannot sync a folder (some FUSE, 9p and network mounts). */
const CANNOT_SYNC_FOLDER: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);
const MAX_REMEMBERED = 16;
const notSynced: DiskPath[] = [];

/** Whether a folder was not synced because its file system cannot do that. Remembers the folder. */
export function cannotSync(error: unknown, folder: DiskPath): boolean {
  if (!CANNOT_SYNC_FOLDER.has(errorCode(error))) return false;
  if (notSynced.length < MAX_REMEMBERED) notSynced.push(folder);
  return true;
}

/**
 * Returns the folders that the file system refused to sync since this process started (the first 16). Changes in them
 * are only as durable as that file system makes them by itself.
 */
export function foldersNotSynced(): readonly DiskPath[] {
  return notSynced;
}
