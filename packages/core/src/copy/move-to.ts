/** Takes a copy to another state: writes only what differs, also where commands in the copy changed something. */

import { type Fs, isFsError, kindOf, permissions } from '../io/fs.ts';
import { removeIfExists } from '../io/if-exists.ts';
import type { Pace } from '../io/pace.ts';
import { removeTree } from '../io/remove-tree.ts';
import type { Entry, Snapshot } from '../model/entries.ts';
import { type DiskPath, onDisk, parentPath, type TreePath, WORKSPACE_ITSELF } from '../model/names.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';

import { OverlayBatch } from '../store/snapshot/overlay.ts';
import { readBlob } from '../store/snapshot/snapshot.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { differences } from '../timeline/diff/snapshot-diff.ts';
import type { OpenCopy } from './copy.ts';
import { stateOfCopy } from './state-of-copy.ts';

/** What a copy has after it was moved. */
export interface MovedCopy {
  /** Number of paths that were written or removed. */
  readonly written: number;
  /** Paths whose state is not known at the target, because they were not captured. They stay as they were. */
  readonly unknown: readonly TreePath[];
}

/**
 * Makes the captured paths of a copy equal to a snapshot. Paths that are not captured stay, for example build output.
 * @param base the state that the copy was made with
 * @throws SavepointError STORE_DAMAGED, NO_SPACE, IO, CANCELLED: the copy is then in no known state, and can be moved again
 */
export async function moveCopyTo(
  workspace: Workspace,
  copy: Pick<OpenCopy, 'files' | 'seenAs' | 'touched'>,
  base: Snapshot,
  target: Snapshot,
  pace: Pace,
): Promise<MovedCopy> {
  const batch = new OverlayBatch(workspace.store.objects);
  try {
    const { snapshot: now } = await stateOfCopy(workspace, copy, base, batch, pace);
    const wanted: Wanted[] = [];
    const unknown: TreePath[] = [];
    for (const { path, before, after } of differences(batch, now, target)) {
      if (after.skip !== null) unknown.push(path);
      else wanted.push({ path, from: before.entry, to: after.entry });
    }
    await writeAll(workspace.ports.fs, copy.files, batch, wanted, pace);
    return { written: wanted.length, unknown };
  } finally {
    batch.abandon();
  }
}

/** What a path of the copy must become; null: nothing. Folders come before their contents. */
interface Wanted {
  readonly path: TreePath;
  readonly from: Entry | null;
  readonly to: Entry | null;
}

async function writeAll(
  fs: Fs,
  root: DiskPath,
  objects: ObjectReader,
  wanted: readonly Wanted[],
  pace: Pace,
): Promise<void> {
  const modes = new FolderModes(fs, root);
  for (const { path, to } of wanted.toReversed()) {
    if (pace.isDue()) await pace.yieldNow();
    if (to === null) {
      modes.open(parentPath(path));
      removeEntry(fs, onDisk(root, path));
    }
  }
  for (const { path, to } of wanted) {
    if (to === null) continue;
    if (pace.isDue()) await pace.yieldNow();
    if (path !== WORKSPACE_ITSELF) modes.open(parentPath(path));
    if (to.kind === 'folder') {
      makeFolder(fs, onDisk(root, path));
      modes.set(path, to.mode);
    } else {
      await writeEntry(fs, onDisk(root, path), objects, to);
    }
  }
  modes.close();
}

/** A folder that still contains something that is not captured stays. */
function removeEntry(fs: Fs, path: DiskPath): void {
  const stat = fs.lstat(path);
  if (stat === null) return;
  if (kindOf(stat) !== 'folder') {
    removeIfExists(fs, path);
    return;
  }
  try {
    fs.removeFolder(path);
  } catch (error) {
    if (!isFsError(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  }
}

function makeFolder(fs: Fs, path: DiskPath): void {
  const stat = fs.lstat(path);
  if (stat !== null && kindOf(stat) === 'folder') return;
  if (stat !== null) removeIfExists(fs, path);
  fs.makeFolder(path, 0o700);
}

/** Never writes into an existing file, which may have other names. */
async function writeEntry(
  fs: Fs,
  path: DiskPath,
  objects: ObjectReader,
  entry: Exclude<Entry, { readonly kind: 'folder' }>,
): Promise<void> {
  removeTree(fs, path);
  if (entry.kind === 'link') {
    fs.makeLink(readBlob(objects, entry.id).toString('latin1'), path);
    return;
  }
  const fd = fs.openNew(path, 0o600);
  try {
    let position = 0;
    await objects.copyBlob(entry.id, (chunk) => {
      fs.write(fd, chunk, position);
      position += chunk.length;
    });
    fs.fchmod(fd, entry.mode);
  } finally {
    fs.close(fd);
  }
}

/** Makes folders writable while their contents are written, and then gives them their permissions. */
class FolderModes {
  readonly #final = new Map<TreePath, number>();

  constructor(
    private readonly fs: Fs,
    private readonly root: DiskPath,
  ) {}

  /** Makes the folder writable, if it is not. */
  open(path: TreePath): void {
    if (this.#final.has(path)) return;
    const stat = this.fs.lstat(onDisk(this.root, path));
    if (stat === null || kindOf(stat) !== 'folder') return;
    this.set(path, permissions(stat));
  }

  /** Sets the permissions that the folder has in the end. */
  set(path: TreePath, mode: number): void {
    this.#final.set(path, mode);
    const folder = onDisk(this.root, path);
    const stat = this.fs.lstat(folder);
    if (stat !== null && (permissions(stat) & 0o700) !== 0o700) this.fs.chmod(folder, permissions(stat) | 0o700);
  }

  close(): void {
    const deepestFirst = [...this.#final].sort(([a], [b]) => b.length - a.length);
    for (const [path, mode] of deepestFirst) {
      const folder = onDisk(this.root, path);
      const stat = this.fs.lstat(folder);
      if (stat !== null && kindOf(stat) === 'folder' && permissions(stat) !== mode) this.fs.chmod(folder, mode);
    }
  }
}
