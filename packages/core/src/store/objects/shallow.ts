/**
 * git's `shallow` file in `objects.git`: commits whose parents are not in the store, so that this is not taken for
 * damage.
 */
import { durableWrite, readEntireFile } from '../../io/durable-write.ts';
import { type Fs, isFsError } from '../../io/fs.ts';
import { isObjectId, type ObjectId } from '../../model/ids.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';

const MAX_BYTES = 64 * 1024 * 1024;

/** @param objects the bare repository */
export function readShallow(fs: Fs, objects: DiskPath): readonly ObjectId[] {
  try {
    const text = readEntireFile(fs, diskChild(objects, 'shallow'), MAX_BYTES).toString('latin1');
    return text.split('\n').filter(isObjectId);
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Durable on return. */
export function writeShallow(fs: Fs, objects: DiskPath, ids: ReadonlySet<ObjectId>): void {
  const lines = [...ids].sort().map((id) => `${id}\n`);
  durableWrite(fs, diskChild(objects, 'shallow'), Buffer.from(lines.join(''), 'latin1'), 0o600);
}
