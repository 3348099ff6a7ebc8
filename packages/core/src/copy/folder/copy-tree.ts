/**
 * Copies a whole folder tree, so that nothing that happens in the copy reaches the original.
 *
 * - No file of the copy is a hard link to one of the original. Files of the original that are the same file are the same
 *   file in the copy, too.
 * - Links are copied, never followed. Both trees are walked by handles (`io/folder-walk.ts`).
 * - The original may change meanwhile: what vanishes is left out, what appears may be missing.
 * - Sockets, FIFOs, devices and other mounts are left out and listed.
 */

import { FolderWalk } from '../../io/folder-walk.ts';
import { type CopyMethod, type FolderListing, type Fs, FsError, isFsError, kindOf, statOf } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import { SavepointError } from '../../model/errors.ts';
import {
  childPath,
  type DiskPath,
  diskChild,
  type Name,
  onDisk,
  type TreePath,
  WORKSPACE_ITSELF,
} from '../../model/names.ts';
import { FileCopier, type FileOutcome } from './copy-file.ts';
import { BackgroundJobs } from './copy-jobs.ts';
import { HardLinks } from './hard-links.ts';

/** Why a path is not in the copy. `changed`: it was replaced again and again while it was copied. */
export interface LeftOut {
  readonly path: TreePath;
  readonly why: 'special' | 'mount' | 'unreadable' | 'changed' | 'chosen';
}

export interface TreeCopyRequest {
  readonly fs: Fs;
  /** A folder, with its links resolved. */
  readonly from: DiskPath;
  /** Must not exist. Its parent folder must be private. */
  readonly to: DiskPath;
  readonly method: CopyMethod;
  readonly pace: Pace;
  /** Mounts inside the tree that are copied as well. Default: none. */
  readonly mounts?: ReadonlySet<TreePath>;
  /** Whether to leave out a path with everything below it. */
  readonly leavesOut?: (path: TreePath, kind: CopiedKind) => boolean;
  /** Returns the target of a link that the copy gets in place of a folder with everything in it. Default: none. */
  readonly linkInstead?: (path: TreePath) => DiskPath | null;
  /** Returns the target of a link in the copy. Default: as in the original. */
  readonly linkTarget?: (target: string, path: TreePath) => string;
}

export interface TreeCopy {
  readonly files: number;
  readonly folders: number;
  readonly links: number;
  /** Links that replace folders. */
  readonly linkedFolders: number;
  /** The sum of file sizes. */
  readonly bytes: number;
  readonly leftOut: readonly LeftOut[];
}

/** Jobs in the background at the same time. The system has four threads for them. */
const MAX_JOBS = 8;
/** Of files that are copied by one job. */
const JOB_FILES = 256;
const JOB_BYTES = 8 << 20;
const FOLDER_MODE = 0o7777;

type CopiedKind = 'file' | 'folder' | 'link';

interface FinishedFolder {
  readonly path: TreePath;
  readonly stat: { readonly mode: number; readonly mtimeMs: number };
}

interface SourceFolder {
  readonly path: TreePath;
  readonly from: DiskPath;
  readonly listing: FolderListing;
  readonly device: number;
}

/**
 * @throws FsError of the copy's side (ENOSPC, EROFS, …); the caller removes what is there then
 * @throws SavepointError CANCELLED
 */
export async function copyTree(request: TreeCopyRequest): Promise<TreeCopy> {
  request.fs.makeFolder(request.to, 0o700);
  const copy = new TreeCopier(request);
  try {
    return await copy.run();
  } finally {
    copy.close();
  }
}

class TreeCopier {
  readonly #request: TreeCopyRequest;
  readonly #fs: Fs;
  readonly #files: FileCopier;
  readonly #source: FolderWalk;
  readonly #target: FolderWalk;
  readonly #mountPoints: ReadonlySet<DiskPath>;
  readonly #jobs = new BackgroundJobs(MAX_JOBS);
  readonly #hardLinks = new HardLinks();
  /** Folders with the mode and time that they get at the end, contents first. */
  readonly #toFinish: FinishedFolder[] = [];
  readonly #leftOut: LeftOut[] = [];
  readonly #counts = { files: 0, folders: 0, links: 0, linkedFolders: 0, bytes: 0 };

  constructor(request: TreeCopyRequest) {
    this.#request = request;
    this.#fs = request.fs;
    this.#files = new FileCopier(request.fs, request.method);
    this.#source = new FolderWalk(request.fs, request.from);
    try {
      this.#target = new FolderWalk(request.fs, request.to);
    } catch (error) {
      this.#source.close();
      throw error;
    }
    // Where the platform does not report them, only another device shows a mount.
    this.#mountPoints = new Set(request.fs.mountPoints() ?? []);
  }

  close(): void {
    this.#source.close();
    this.#target.close();
  }

  async run(): Promise<TreeCopy> {
    const root = this.#fs.lstat(this.#request.from);
    if (root === null) throw isGone(this.#request.from);
    try {
      const isThere = await this.#copyFolder(WORKSPACE_ITSELF, root.dev);
      if (!isThere) throw isGone(this.#request.from);
    } finally {
      // Also after a failure: nothing may be written any more once this ends.
      await this.#jobs.finish();
    }
    await this.#linkFiles();
    this.#toFinish.push({ path: WORKSPACE_ITSELF, stat: root });
    await this.#finishFolders();
    return { ...this.#counts, leftOut: this.#leftOut };
  }

  /** Copies the contents of a folder whose copy exists already. @returns false if it vanished */
  async #copyFolder(path: TreePath, device: number): Promise<boolean> {
    const { pace } = this.#request;
    const found = this.#list(path);
    if (found === 'gone') return false;
    if (found === 'left out') return true;
    const { listing } = found;
    const below = await this.#copyFiles({ path, device, ...found });
    for (const index of below) {
      if (pace.isDue()) await pace.yieldNow();
      const child = childPath(path, listing.names[index]!);
      const stat = statOf(listing, index);
      const inside = this.#targetOf(child);
      this.#fs.makeFolder(inside, 0o700);
      if (await this.#copyFolder(child, stat.dev)) {
        this.#toFinish.push({ path: child, stat });
        this.#counts.folders++;
      } else {
        this.#target.release(child);
        this.#fs.removeFolder(this.#targetOf(child));
      }
    }
    return true;
  }

  #list(path: TreePath): { readonly from: DiskPath; readonly listing: FolderListing } | 'gone' | 'left out' {
    try {
      const from = this.#source.folder(path);
      return from === null ? 'gone' : { from, listing: this.#fs.listWithStats(from) };
    } catch (error) {
      if (isFsError(error, 'ENOENT', 'ENOTDIR')) return 'gone';
      const isRefused = error instanceof SavepointError && error.code === 'PATH_REFUSED';
      if (!isRefused && !isFsError(error, 'EACCES', 'EPERM', 'EIO')) throw error;
      this.#leaveOut(path, isRefused ? 'changed' : 'unreadable');
      return 'left out';
    }
  }

  /** Copies everything in a folder but its folders. @returns the indexes of the folders to copy */
  async #copyFiles(folder: SourceFolder): Promise<readonly number[]> {
    const { path, from, listing, device } = folder;
    const { pace } = this.#request;
    // Both paths stay valid until another folder is asked for.
    const to = this.#target.folder(path);
    if (to === null) throw isGone(onDisk(this.#request.to, path));
    const folders: number[] = [];
    const files: number[] = [];
    for (const [index, name] of listing.names.entries()) {
      if (pace.isDue()) await pace.yieldNow();
      const child = childPath(path, name);
      const kind = this.#kindToCopy(child, listing, index, device);
      if (kind === 'folder') {
        const target = this.#request.linkInstead?.(child) ?? null;
        if (target === null) folders.push(index);
        else this.#linkTo(target, diskChild(to, name));
      } else if (kind === 'link') this.#copyLink(child, diskChild(from, name), diskChild(to, name));
      else if (kind === 'file' && !this.#hardLinks.isAgain(child, statOf(listing, index))) files.push(index);
    }
    await this.#copyAll(folder, to, files);
    if (listing.names[0] !== undefined) this.#source.assertParentsUnchanged(childPath(path, listing.names[0]));
    return folders;
  }

  async #copyAll(folder: SourceFolder, to: DiskPath, files: readonly number[]): Promise<void> {
    if (this.#fs.copyFiles === undefined) return this.#copySingly(folder, to, files);
    const { path, from, listing } = folder;
    const shown = onDisk(this.#request.to, path);
    for (const job of jobsOf(listing, files)) {
      const names = job.map((index) => listing.names[index]!);
      await this.#jobs.start(async () => {
        const outcomes = await this.#files.copyTogether({ from, to, shown }, names);
        for (const [at, outcome] of outcomes.entries()) this.#count(folder, job[at]!, outcome);
      });
    }
  }

  async #copySingly(folder: SourceFolder, to: DiskPath, files: readonly number[]): Promise<void> {
    const { pace } = this.#request;
    const { from, listing } = folder;
    const background: Promise<void>[] = [];
    const copyAside = async (index: number, name: Name): Promise<void> => {
      const outcome = await this.#files.copyInBackground(diskChild(from, name), diskChild(to, name));
      this.#count(folder, index, outcome);
    };
    try {
      for (const index of files) {
        if (pace.isDue()) await pace.yieldNow();
        const name = listing.names[index]!;
        if (this.#files.isBackground(statOf(listing, index).size)) {
          background.push(copyAside(index, name));
          if (background.length >= MAX_JOBS) await all(background.splice(0));
        } else this.#count(folder, index, this.#files.copyInline(diskChild(from, name), diskChild(to, name)));
      }
    } finally {
      // Also after a failure: the handles of both folders must stay open until the last copy ends.
      await all(background);
    }
  }

  /** Gives files their other names. */
  async #linkFiles(): Promise<void> {
    const { pace } = this.#request;
    for (const { path, first } of this.#hardLinks.seconds()) {
      if (pace.isDue()) await pace.yieldNow();
      if (first !== null && this.#linkFile(first, path)) this.#counts.files++;
      else await this.#copyOne(path);
    }
  }

  /** @returns false if the file system of the copy refuses */
  #linkFile(first: TreePath, path: TreePath): boolean {
    try {
      this.#fs.hardLink(this.#targetOf(first), this.#targetOf(path));
      return true;
    } catch (error) {
      if (isFsError(error, 'EMLINK', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOENT')) return false;
      throw error;
    }
  }

  async #copyOne(path: TreePath): Promise<void> {
    const from = this.#source.child(path);
    if (from === null) return;
    const outcome = await this.#files.copyInBackground(from, this.#targetOf(path));
    if (outcome.kind === 'unreadable') this.#leaveOut(path, 'unreadable');
    if (outcome.kind === 'copied') this.#addFile(outcome.size);
  }

  /** @returns null for what is left out */
  #kindToCopy(path: TreePath, listing: FolderListing, index: number, device: number): CopiedKind | null {
    if (listing.failed.has(index)) return this.#leaveOut(path, 'unreadable');
    const stat = statOf(listing, index);
    const kind = kindOf(stat);
    if (kind === 'special') return this.#leaveOut(path, 'special');
    if (this.#request.leavesOut?.(path, kind) === true) return this.#leaveOut(path, 'chosen');
    const isMount = stat.dev !== device || this.#mountPoints.has(onDisk(this.#request.from, path));
    if (isMount && this.#request.mounts?.has(path) !== true) return this.#leaveOut(path, 'mount');
    return kind;
  }

  #copyLink(path: TreePath, from: DiskPath, to: DiskPath): void {
    const rewrite = (target: string): string => this.#request.linkTarget?.(target, path) ?? target;
    if (this.#files.copyLink(from, to, rewrite)) this.#counts.links++;
  }

  #linkTo(target: DiskPath, to: DiskPath): void {
    this.#fs.makeLink(target, to);
    this.#counts.links++;
    this.#counts.linkedFolders++;
  }

  #count({ path, listing }: SourceFolder, index: number, outcome: FileOutcome): void {
    const child = childPath(path, listing.names[index]!);
    if (outcome.kind === 'unreadable') this.#leaveOut(child, 'unreadable');
    if (outcome.kind !== 'copied') return;
    this.#addFile(outcome.size);
    this.#hardLinks.markCopied(child, statOf(listing, index), outcome.ino);
  }

  #addFile(size: number): void {
    this.#counts.files++;
    this.#counts.bytes += size;
  }

  /** The modes and times of folders come last: a folder without the right to write could not be filled. */
  async #finishFolders(): Promise<void> {
    for (const { path, stat } of this.#toFinish) {
      if (this.#request.pace.isDue()) await this.#request.pace.yieldNow();
      this.#target.release(path);
      const inside = this.#targetOf(path);
      this.#fs.touch(inside, stat.mtimeMs);
      this.#fs.chmod(inside, stat.mode & FOLDER_MODE);
    }
  }

  #leaveOut(path: TreePath, why: LeftOut['why']): null {
    this.#leftOut.push({ path, why });
    return null;
  }

  #targetOf(path: TreePath): DiskPath {
    const target = this.#target.child(path);
    if (target === null) throw isGone(onDisk(this.#request.to, path));
    return target;
  }
}

/** Splits the work, so that threads share it and it can be cancelled. */
function* jobsOf(listing: FolderListing, files: readonly number[]): Generator<readonly number[]> {
  let job: number[] = [];
  let bytes = 0;
  for (const index of files) {
    job.push(index);
    bytes += statOf(listing, index).size;
    if (job.length < JOB_FILES && bytes < JOB_BYTES) continue;
    yield job;
    [job, bytes] = [[], 0];
  }
  if (job.length > 0) yield job;
}

/** Waits for all of them, also if one fails. */
async function all(running: readonly Promise<void>[]): Promise<void> {
  for (const end of await Promise.allSettled(running)) if (end.status === 'rejected') throw end.reason;
}

function isGone(path: DiskPath): FsError {
  return new FsError('ENOENT', 'openFolder', path);
}
