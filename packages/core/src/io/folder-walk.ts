/**
 * Reaches paths in a workspace safely: a link that is placed in the way, at any moment, cannot lead out of it.
 *
 * W1 A folder is opened by one name from the handle of its parent, never through a link. Calls on its children go
 *    through that handle, so they affect that folder, even if its name refers to something else by then.
 * W2 A cached handle is reused only while the path still leads to the same folder (dev, ino).
 * W3 If the platform has no paths through handles, every parent is checked by lstat before a call, and again by
 *    `assertParentsUnchanged` after it. A swap in between that is undone before the second check is not detected.
 */
import { showName } from '../content/show-name.ts';
import { SavepointError } from '../model/errors.ts';
import {
  baseName,
  type DiskPath,
  diskChild,
  isWithin,
  nameToJson,
  onDisk,
  parentPath,
  type TreePath,
  WORKSPACE_ITSELF,
} from '../model/names.ts';
import { type Fd, type Fs, FsError, isFsError, kindOf, type Stat } from './fs.ts';

interface FolderHandle {
  readonly handle: Fd;
  /** The path to the folder itself. */
  readonly path: DiskPath;
  readonly dev: number;
  readonly ino: number;
}

/** Maximum number of cached handles. A process has at least 1024, and all other handles are closed immediately. */
const MAX_HANDLES = 64;
/** This many of the most recently requested folders stay open, however deep the next path is. */
const GUARANTEED_HANDLES = 8;
/** How often a folder that keeps changing is reopened before it is refused. */
const MAX_TRIES = 3;

export class FolderWalk {
  readonly #fs: Fs;
  readonly #rootPath: DiskPath;
  readonly #root: FolderHandle;
  readonly #throughHandles: boolean;
  /** Least recently used first; without the root. */
  readonly #openFolders = new Map<TreePath, FolderHandle>();
  /** The most recently requested folders, without those opened on the way to them. */
  readonly #recentlyRequested: TreePath[] = [];
  /** W3: the identities of a path's parents when it was requested, by the path of the innermost parent. */
  readonly #parentIdentities = new Map<TreePath, string>();
  readonly #maxHandles: number;
  #closed = false;

  /**
   * @param root the workspace, with its links resolved
   * @throws FsError if it does not exist (ENOENT) or is not a folder (ENOTDIR)
   */
  constructor(fs: Fs, root: DiskPath, maxHandles: number = MAX_HANDLES) {
    this.#fs = fs;
    this.#rootPath = root;
    this.#maxHandles = Math.max(GUARANTEED_HANDLES + 2, maxHandles);
    const handle = fs.openFolder(root);
    try {
      const { dev, ino } = fs.fstat(handle);
      const path = fs.folderPath(handle, root);
      this.#throughHandles = path !== root;
      this.#root = { handle, path, dev, ino };
    } catch (error) {
      fs.close(handle);
      throw error;
    }
  }

  /**
   * Returns the disk path under which `path` can be read, created, renamed or removed now. Use it immediately, and call
   * this again for the next use: the results for the last 8 folders stay valid. Older ones may lead nowhere, or into
   * another folder of this workspace. If paths do not go through handles, call {@link assertParentsUnchanged} then.
   *
   * @returns null if the path cannot exist: a parent is missing, or is not a folder
   * @throws SavepointError PATH_REFUSED if a parent is a link, or keeps changing
   */
  child(path: TreePath): DiskPath | null {
    if (path === '') {
      const itself = this.folder(path);
      // A handle's path is itself a link; with `.` after it, it names the folder.
      return itself === null || !this.#throughHandles ? itself : diskChild(itself, '.');
    }
    const parent = this.folder(parentPath(path));
    return parent === null ? null : diskChild(parent, baseName(path));
  }

  /** As `child`, for a folder whose entries are needed: the result can be passed to `list`. */
  folder(path: TreePath): DiskPath | null {
    this.#assertOpen();
    if (this.#throughHandles) return this.#openRequested(path)?.path ?? null;
    const seen = this.#readParentIdentities(path);
    if (seen === null) return null;
    this.#parentIdentities.set(path, seen);
    return this.#diskPathOf(path);
  }

  /**
   * Call this after using the result of `child(path)`. Paths through handles need no check.
   * @throws SavepointError PATH_REFUSED if the parents changed meanwhile, so another folder may be affected
   */
  assertParentsUnchanged(path: TreePath): void {
    if (this.#throughHandles) return;
    const parent = parentPath(path);
    const seen = this.#parentIdentities.get(parent);
    if (seen === undefined || this.#readParentIdentities(parent) !== seen)
      throw refusal(path, 'was replaced meanwhile');
  }

  /**
   * Makes the entries of a folder durable.
   *
   * @returns false if the folder does not exist
   */
  sync(folder: TreePath): boolean {
    this.#assertOpen();
    if (this.#throughHandles) {
      const opened = this.#openRequested(folder);
      if (opened === null) return false;
      this.#fs.sync(opened.handle);
      return true;
    }
    const path = this.folder(folder);
    if (path === null) return false;
    const handle = this.#fs.openFolder(path);
    try {
      this.#fs.sync(handle);
    } finally {
      this.#fs.close(handle);
    }
    return true;
  }

  /** Returns whether the root's path still leads to the folder that was opened. */
  isRootUnchanged(): boolean {
    this.#assertOpen();
    return isSame(this.#root, this.#fs.lstat(this.#rootPath));
  }

  /** Closes the handles of a folder and everything below it, before it is renamed or removed. */
  release(folder: TreePath): void {
    for (const [path, { handle }] of this.#openFolders) {
      if (!isWithin(path, folder)) continue;
      this.#openFolders.delete(path);
      this.#fs.close(handle);
    }
    for (const path of this.#parentIdentities.keys()) if (isWithin(path, folder)) this.#parentIdentities.delete(path);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      this.release(WORKSPACE_ITSELF);
    } finally {
      this.#fs.close(this.#root.handle);
    }
  }

  #openRequested(path: TreePath): FolderHandle | null {
    const opened = this.#openFolder(path);
    if (opened === null || path === '' || this.#recentlyRequested.at(-1) === path) return opened;
    const before = this.#recentlyRequested.indexOf(path);
    if (before >= 0) this.#recentlyRequested.splice(before, 1);
    else if (this.#recentlyRequested.length === GUARANTEED_HANDLES) this.#recentlyRequested.shift();
    this.#recentlyRequested.push(path);
    return opened;
  }

  #openFolder(path: TreePath): FolderHandle | null {
    if (path === '') return this.#root;
    const kept = this.#openFolders.get(path);
    if (kept !== undefined) {
      if (isSame(kept, this.#fs.lstat(diskChild(this.#root.path, path)))) {
        this.#openFolders.delete(path);
        this.#openFolders.set(path, kept);
        return kept;
      }
      this.release(path);
    }
    const parent = this.#openFolder(parentPath(path));
    return parent === null ? null : this.#openIn(parent, path);
  }

  #openIn(parent: FolderHandle, path: TreePath): FolderHandle | null {
    const named = diskChild(parent.path, baseName(path));
    for (let tries = 1; ; tries++) {
      try {
        return this.#addHandle(path, this.#fs.openFolder(named), named);
      } catch (error) {
        if (isFsError(error, 'ENOENT')) return null;
        if (!isFsError(error, 'ENOTDIR', 'ELOOP')) throw error;
      }
      // The system returns the same error for a link and for a file.
      const stat = this.#fs.lstat(named);
      if (stat === null) return null;
      const kind = kindOf(stat);
      if (kind === 'link') throw refusal(path, 'is a link');
      if (kind !== 'folder') return null;
      if (tries === MAX_TRIES) throw refusal(path, 'was replaced meanwhile');
    }
  }

  #addHandle(path: TreePath, handle: Fd, named: DiskPath): FolderHandle {
    let opened: FolderHandle;
    try {
      const { dev, ino } = this.#fs.fstat(handle);
      opened = { handle, path: this.#fs.folderPath(handle, named), dev, ino };
    } catch (error) {
      this.#fs.close(handle);
      throw error;
    }
    this.#openFolders.set(path, opened);
    if (this.#openFolders.size >= this.#maxHandles) this.#closeOldest(path);
    return opened;
  }

  #closeOldest(except: TreePath): void {
    for (const [path, { handle }] of this.#openFolders) {
      if (path === except || this.#recentlyRequested.includes(path)) continue;
      this.#openFolders.delete(path);
      this.#fs.close(handle);
      return;
    }
  }

  /** Returns the identities of the folder and its parents as text; null if one is missing or not a folder. */
  #readParentIdentities(folder: TreePath): string | null {
    let seen = '';
    let path = '';
    for (const name of folder === '' ? [''] : ['', ...folder.split('/')]) {
      path = path === '' ? name : `${path}/${name}`;
      const stat = this.#fs.lstat(this.#diskPathOf(path as TreePath));
      if (path === '' && !isSame(this.#root, stat)) throw refusal(folder, 'is in a workspace that was replaced');
      if (stat === null) return null;
      const kind = kindOf(stat);
      if (kind === 'link') throw refusal(path as TreePath, 'is a link');
      if (kind !== 'folder') return null;
      seen += `${stat.dev}:${stat.ino}/`;
    }
    return seen;
  }

  #diskPathOf(path: TreePath): DiskPath {
    return onDisk(this.#rootPath, path);
  }

  #assertOpen(): void {
    if (this.#closed) throw new FsError('EBADF', 'openFolder', this.#rootPath);
  }
}

function isSame(folder: FolderHandle, stat: Stat | null): boolean {
  return stat !== null && stat.ino === folder.ino && stat.dev === folder.dev && kindOf(stat) === 'folder';
}

function refusal(path: TreePath, why: string): SavepointError {
  return new SavepointError('PATH_REFUSED', `The folder ${showName(path)} ${why}.`, { path: nameToJson(path), why });
}
