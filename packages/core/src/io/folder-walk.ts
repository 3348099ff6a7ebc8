/**
 * Reaching a path of a workspace so that nobody can lead us out of it by putting a link in the way, at any moment.
 *
 * W1 A folder is opened from the handle of its parent, by one name, and never through a link. What is done to its
 *    children goes through that handle, so it happens in that very folder, whatever its name means by then.
 * W2 A handle that was kept is used again only while the path still leads to the same folder (dev, ino).
 * W3 Where the platform has no paths through handles, every parent is looked at by lstat before the act, and again by
 *    `confirm` after it. A swap that happens in between and is swapped back is not seen there.
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
  /** Leads to the folder itself. */
  readonly path: DiskPath;
  readonly dev: number;
  readonly ino: number;
}

/** Handles kept; a process has at least 1024, and everything else that it opens is closed at once. */
const MAX_HANDLES = 64;
/** Of the folders asked for last, so many stay open, however deep the next path is. */
const GUARANTEED_HANDLES = 8;
/** How often a folder is opened anew that changes under our hands before we refuse it. */
const MAX_TRIES = 3;

export class FolderWalk {
  readonly #fs: Fs;
  readonly #rootPath: DiskPath;
  readonly #root: FolderHandle;
  readonly #throughHandles: boolean;
  /** Least recently used first; without the root. */
  readonly #openFolders = new Map<TreePath, FolderHandle>();
  /** The folders asked for last, without those opened on the way to them. */
  readonly #recentlyRequested: TreePath[] = [];
  /** W3: what the parents of a path were when it was asked for, by the path of the innermost. */
  readonly #parentIdentities = new Map<TreePath, string>();
  readonly #maxHandles: number;
  #closed = false;

  /**
   * @param root the workspace, its own links resolved
   * @throws FsError if it is not there (ENOENT) or not a folder (ENOTDIR)
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
   * Where `path` can be looked at, created, renamed or removed now. Use it at once and ask again for the next act: the
   * answers for the last 8 folders hold, older ones may lead nowhere or into another folder of this workspace. Where
   * paths do not go through handles, call {@link assertParentsUnchanged} after the act.
   *
   * @returns null if nothing can be there: a parent is missing, or is something else than a folder
   * @throws SavepointError PATH_REFUSED if a parent is a link, or changes all the time
   */
  child(path: TreePath): DiskPath | null {
    if (path === '') {
      const itself = this.folder(path);
      // A handle's path is itself a link: `.` behind it is the folder.
      return itself === null || !this.#throughHandles ? itself : diskChild(itself, '.');
    }
    const parent = this.folder(parentPath(path));
    return parent === null ? null : diskChild(parent, baseName(path));
  }

  /** The same for a folder whose entries are wanted: `list` may be called with the result. */
  folder(path: TreePath): DiskPath | null {
    this.#assertOpen();
    if (this.#throughHandles) return this.#openRequested(path)?.path ?? null;
    const seen = this.#readParentIdentities(path);
    if (seen === null) return null;
    this.#parentIdentities.set(path, seen);
    return this.#diskPathOf(path);
  }

  /**
   * After an act on the result of `child(path)`: throws PATH_REFUSED if the parents are not what they were when that was
   * asked for, so that the act may have happened elsewhere. Through handles that cannot be.
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
   * @returns false if the folder is not there
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

  /** Whether the root's path still leads to the folder that was opened. */
  isRootUnchanged(): boolean {
    this.#assertOpen();
    return isSame(this.#root, this.#fs.lstat(this.#rootPath));
  }

  /** Lets go of a folder and all below it: it is about to be renamed or removed. */
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
      // The system says the same of a link and of a file.
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

  /** What the folder and all above it are, as text to compare; null if one is missing or no folder. */
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
