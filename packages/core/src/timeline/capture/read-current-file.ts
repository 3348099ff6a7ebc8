/** Reads a file of the folder as it is now, if a checkpoint taken now would contain it. */

import { showName } from '../../content/show-name.ts';
import { readEntireFile } from '../../io/durable-write.ts';
import { type Fs, isFsError } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import { SavepointError } from '../../model/errors.ts';
import type { ObjectId } from '../../model/ids.ts';
import { type DiskPath, nameToJson, onDisk, type TreePath } from '../../model/names.ts';
import { isDamage } from '../../store/objects/damage.ts';
import { hashObject } from '../../store/objects/object-hash.ts';
import { OverlayBatch } from '../../store/snapshot/overlay.ts';
import { type FileBytes, type FileRange, fileIn, partOf } from '../query/read-file.ts';
import { scanWorkspace } from './capture.ts';
import type { Workspace } from './workspace.ts';

const ATTEMPTS = 4;
const NAME = 'the folder as it is now';
const HINT = '`savepoint status` says what is not captured, and `savepoint history --file PATH` what became of a file.';

/**
 * Returns exactly the bytes that a scan found. So it follows the rules of captures: nothing that is skipped or too large,
 * no way through a link.
 * @throws SavepointError PATH_REFUSED if no checkpoint would have a file there, IO if it keeps changing
 */
export async function readCurrentFile(
  workspace: Workspace,
  path: TreePath,
  range: FileRange,
  pace: Pace,
): Promise<FileBytes> {
  const { ports, root, store, memory } = workspace;
  let damage: SavepointError | null = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // After a failed attempt, neither the cache nor objects that cannot be read are relied on.
    if (attempt > 0) memory.forget();
    const into = new OverlayBatch(store.objects, 0, attempt === 0 ? 'listed' : 'readable');
    try {
      const { scan } = await scanWorkspace(workspace, pace, { into });
      const entry = fileIn(into, { snapshot: scan.snapshot, name: NAME, hint: HINT }, path);
      const disk = onDisk(root, path);
      const size = into.info(entry.id)?.size ?? 0;
      const content = entry.kind === 'link' ? readLink(ports.fs, disk) : readFile(ports.fs, disk, size);
      if (content !== null && hasId(content, entry.id)) return partOf(entry, content, range);
    } catch (error) {
      if (!isDamage(error)) throw error;
      damage = error;
    }
  }
  if (damage !== null) throw damage;
  throw new SavepointError(
    'IO',
    `${showName(path)} keeps changing while it is read.`,
    { path: nameToJson(path), operation: 'read', code: 'EAGAIN' },
    { hint: 'Nothing was changed. Try again when it is not being written.' },
  );
}

function hasId(content: Buffer, id: ObjectId): boolean {
  return hashObject('blob', content) === id;
}

/** @returns null if it is not a link any more */
function readLink(fs: Fs, path: DiskPath): Buffer | null {
  try {
    return Buffer.from(fs.readLink(path), 'latin1');
  } catch (error) {
    if (isFsError(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL')) return null;
    throw error;
  }
}

/** @returns null if it is not a file any more, or larger than this */
function readFile(fs: Fs, path: DiskPath, size: number): Buffer | null {
  try {
    return readEntireFile(fs, path, size);
  } catch (error) {
    if (isFsError(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EAGAIN', 'EINVAL', 'EFBIG')) return null;
    throw error;
  }
}
