/**
 * Writes the differences between two snapshots into a copy. Nothing is made durable: a copy that is not complete when
 * the machine stops is removed.
 */

import { FolderWalk } from '../../io/folder-walk.ts';
import { type Fs, FsError, isFsError, kindOf, permissions } from '../../io/fs.ts';
import { removeIfExists } from '../../io/if-exists.ts';
import type { Pace } from '../../io/pace.ts';
import { removeTree } from '../../io/remove-tree.ts';
import type { Entry, FileEntry, Snapshot } from '../../model/entries.ts';
import { type DiskPath, diskChild, onDisk, parentPath, type TreePath } from '../../model/names.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { readBlob } from '../../store/snapshot/snapshot.ts';
import { differences } from '../../timeline/diff/snapshot-diff.ts';

export interface MaterializeRequest {
  readonly fs: Fs;
  readonly objects: ObjectReader;
  /** The folder of the copy: `tree/`, or the merged view of an overlay. */
  readonly files: DiskPath;
  /** What the copy contains. */
  readonly before: Snapshot;
  /** What it is to contain. Paths that were not captured on either side stay as they are. */
  readonly after: Snapshot;
  /** Returns the target of a link in the copy. Default: as in the snapshot. */
  readonly linkTarget?: (target: string) => string;
}

/**
 * @returns the paths that were written or removed
 * @throws FsError of the copy (ENOSPC, …), SavepointError STORE_DAMAGED, CANCELLED: the copy is then between both states
 */
export async function materialize(request: MaterializeRequest, pace: Pace): Promise<readonly TreePath[]> {
  const changes: Change[] = [];
  for (const { path, before, after } of differences(request.objects, request.before, request.after)) {
    if (pace.isDue()) await pace.yieldNow();
    if (before.skip === null && after.skip === null) changes.push({ path, before: before.entry, after: after.entry });
  }
  const writer = new Writer(request);
  try {
    await writer.write(changes, pace);
  } finally {
    writer.close();
  }
  return changes.map(({ path }) => path);
}

/** Where a file is written before it gets its name. A process that dies may leave it. */
export function unfinishedIn(files: DiskPath): DiskPath {
  return diskChild(files, '.savepoint-unfinished');
}

interface Change {
  readonly path: TreePath;
  readonly before: Entry | null;
  readonly after: Entry | null;
}

/** A copy gets no setuid and setgid bits for files. */
const FILE_MODE = 0o1777;
const FOLDER_MODE = 0o7777;
const OWNER_MAY_ALL = 0o700;
/** What removing a folder answers if something is in it: what was not captured stays. */
const NOT_EMPTY = ['ENOTEMPTY', 'EEXIST'] as const;

class Writer {
  readonly #request: MaterializeRequest;
  readonly #fs: Fs;
  readonly #walk: FolderWalk;
  /** The modes that folders get at the end: until then, their owner may write to them. */
  readonly #folderModes = new Map<TreePath, number>();
  readonly #opened = new Set<TreePath>();

  constructor(request: MaterializeRequest) {
    this.#request = request;
    this.#fs = request.fs;
    this.#walk = new FolderWalk(request.fs, request.files);
  }

  close(): void {
    this.#walk.close();
  }

  /** @param changes folders before their contents */
  async write(changes: readonly Change[], pace: Pace): Promise<void> {
    for (const { path, after } of [...changes].reverse()) {
      if (pace.isDue()) await pace.yieldNow();
      if (after === null) this.#remove(path);
    }
    for (const change of changes) {
      if (pace.isDue()) await pace.yieldNow();
      if (change.after !== null) await this.#put(change, change.after);
    }
    for (const [path, mode] of [...this.#folderModes].reverse()) {
      const folder = this.#walk.child(path);
      if (folder !== null) this.#fs.chmod(folder, mode);
    }
  }

  #remove(path: TreePath): void {
    const at = this.#existing(path);
    if (at === null) return;
    if (at.kind !== 'folder') {
      this.#fs.unlink(at.path);
      return;
    }
    this.#walk.release(path);
    try {
      this.#fs.removeFolder(at.path);
      this.#folderModes.delete(path);
    } catch (error) {
      if (!isFsError(error, ...NOT_EMPTY)) throw error;
    }
  }

  async #put({ path, before }: Change, after: Entry): Promise<void> {
    if (after.kind === 'folder') {
      this.#putFolder(path, after.mode);
      return;
    }
    const at = this.#existing(path);
    if (after.kind === 'file' && at?.kind === 'file' && before?.kind === 'file' && before.id === after.id) {
      this.#fs.chmod(at.path, after.mode & FILE_MODE);
      return;
    }
    if (at?.kind === 'folder') this.#clear(path, at);
    // Half a file would look like a change that was made in the copy.
    const made = unfinishedIn(this.#request.files);
    removeIfExists(this.#fs, made);
    if (after.kind === 'file') await this.#writeFile(made, after);
    else {
      const named = readBlob(this.#request.objects, after.id).toString('latin1');
      this.#fs.makeLink(this.#request.linkTarget?.(named) ?? named, made);
    }
    this.#fs.rename(made, this.#free(path));
  }

  #putFolder(path: TreePath, mode: number): void {
    const at = this.#existing(path);
    if (at !== null && at.kind !== 'folder') this.#clear(path, at);
    if (at?.kind !== 'folder') this.#fs.makeFolder(this.#free(path), OWNER_MAY_ALL);
    this.#folderModes.set(path, mode & FOLDER_MODE);
  }

  /** The bytes are verified when the last one was written. */
  async #writeFile(target: DiskPath, { id, mode }: FileEntry): Promise<void> {
    const file = this.#fs.openNew(target, 0o600);
    try {
      let at = 0;
      await this.#request.objects.copyBlob(id, (chunk) => {
        this.#fs.write(file, chunk, at);
        at += chunk.length;
      });
      this.#fs.fchmod(file, mode & FILE_MODE);
    } catch (error) {
      this.#fs.unlink(target);
      throw error;
    } finally {
      this.#fs.close(file);
    }
  }

  /** Something of another kind, possibly with contents that were not captured: it is in the way. */
  #clear(path: TreePath, at: Existing): void {
    this.#walk.release(path);
    if (at.kind === 'folder') removeTree(this.#fs, at.path);
    else this.#fs.unlink(at.path);
  }

  #existing(path: TreePath): Existing | null {
    this.#openParent(path);
    const at = this.#walk.child(path);
    const stat = at === null ? null : this.#fs.lstat(at);
    return at === null || stat === null ? null : { path: at, kind: kindOf(stat) };
  }

  /** The folder that contains the path may have vanished before it was copied. */
  #free(path: TreePath): DiskPath {
    const parent = parentPath(path);
    if (this.#walk.folder(parent) === null) this.#putFolder(parent, 0o755);
    const target = this.#walk.child(path);
    if (target === null) throw new FsError('ENOENT', 'openNew', onDisk(this.#request.files, path));
    return target;
  }

  /** Lets the owner change a folder, until its mode is set at the end. */
  #openParent(path: TreePath): void {
    if (path === '') return;
    const parent = parentPath(path);
    if (this.#opened.has(parent)) return;
    this.#opened.add(parent);
    this.#openParent(parent);
    const folder = this.#walk.child(parent);
    const stat = folder === null ? null : this.#fs.lstat(folder);
    if (folder === null || stat === null || kindOf(stat) !== 'folder') return;
    const mode = permissions(stat);
    if ((mode & OWNER_MAY_ALL) === OWNER_MAY_ALL) return;
    this.#fs.chmod(folder, mode | OWNER_MAY_ALL);
    if (!this.#folderModes.has(parent)) this.#folderModes.set(parent, mode);
  }
}

interface Existing {
  readonly path: DiskPath;
  readonly kind: ReturnType<typeof kindOf>;
}
