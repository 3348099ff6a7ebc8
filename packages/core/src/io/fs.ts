import type { DiskPath, Name } from '../model/names.ts';

declare const brand: unique symbol;
/** An open file or folder. */
export type Fd = number & { readonly [brand]: 'Fd' };

/** The fields of a stat that the engine uses. They are named as in node, so a node Stats object is a `Stat`. */
export interface Stat {
  readonly dev: number;
  readonly ino: number;
  /** Type and permission bits together, as in stat(2). */
  readonly mode: number;
  readonly nlink: number;
  readonly uid: number;
  /** In bytes. */
  readonly size: number;
  /** Milliseconds since 1970, with the system's fraction (a double resolves about 250 ns for current dates). */
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly birthtimeMs: number;
}

export type FileKind = 'file' | 'folder' | 'link' | 'special';

/** Returns the kind of a path from its stat. */
export function kindOf(stat: Pick<Stat, 'mode'>): FileKind {
  switch (stat.mode & 0o170000) {
    case 0o100000:
      return 'file';
    case 0o040000:
      return 'folder';
    case 0o120000:
      return 'link';
    default:
      return 'special';
  }
}

/** Returns the permission bits of a stat, 0 to 0o7777. */
export function permissions(stat: Pick<Stat, 'mode'>): number {
  return stat.mode & 0o7777;
}

/** `clone` shares the blocks until one of the files is written. */
export type CopyMethod = 'clone' | 'copy';

/** What became of a file that was to be copied. The code ESTALE of an original: it is not a file. */
export type CopiedFile =
  | { readonly kind: 'copied'; readonly size: number; readonly ino: number }
  | { readonly kind: 'failed'; readonly code: string; readonly of: 'original' | 'copy' };

export type CopyFiles = (
  folders: { readonly from: Fd; readonly to: Fd },
  names: readonly Name[],
  method: CopyMethod,
) => Promise<readonly CopiedFile[]>;

/** The fields of a stat that a folder listing includes. */
export type ListedStat = Pick<Stat, 'size' | 'ino' | 'mode' | 'mtimeMs' | 'ctimeMs' | 'nlink' | 'dev'>;

/** The index of each field of a {@link ListedStat} among the numbers of a name. */
export const LISTED_FIELD = { size: 0, ino: 1, mode: 2, mtimeMs: 3, ctimeMs: 4, nlink: 5, dev: 6 } as const satisfies {
  readonly [Field in keyof ListedStat]: number;
};

/** How many numbers each name has in {@link FolderListing.numbers}. */
export const LISTED_FIELD_COUNT = 7;

/** The names in a folder, each with its `lstat` from the time of reading. */
export interface FolderListing {
  /** Sorted by bytes. Without `.` and `..`, and without names that were already gone when `lstat` was called. */
  readonly names: readonly Name[];
  /** {@link LISTED_FIELD_COUNT} numbers per name, in the order of {@link LISTED_FIELD}; units as in {@link Stat}. */
  readonly numbers: Float64Array;
  /** By index in `names`: why `lstat` failed (EACCES, …). The numbers of such a name are 0. Almost always empty. */
  readonly failed: ReadonlyMap<number, FsError>;
}

/** Returns the stat of the name at `index`; all 0 if `failed` has the name. */
export function statOf({ numbers }: FolderListing, index: number): ListedStat {
  const at = index * LISTED_FIELD_COUNT;
  return {
    size: numbers[at + LISTED_FIELD.size]!,
    ino: numbers[at + LISTED_FIELD.ino]!,
    mode: numbers[at + LISTED_FIELD.mode]!,
    mtimeMs: numbers[at + LISTED_FIELD.mtimeMs]!,
    ctimeMs: numbers[at + LISTED_FIELD.ctimeMs]!,
    nlink: numbers[at + LISTED_FIELD.nlink]!,
    dev: numbers[at + LISTED_FIELD.dev]!,
  };
}

/**
 * The file system, as a port. Calls are synchronous and in program order, so tests can fail or kill the process at the
 * n-th call. For many small files, this is several times faster than node's promises. Long work yields between calls
 * (see pace.ts). There are three exceptions: `syncAll`, because a disk syncs many files in little more time than one,
 * and `copyFile`, `copyFiles` and `listAside`, because the system does all the work.
 *
 * Every method throws {@link FsError} and nothing else. No method follows a symbolic link in the last component, except
 * `realpath` and `list`/`listWithStats`/`openFolder` on a path that ends in the result of `folderPath`.
 */
export interface Fs {
  /** Returns null only if the path does not exist (ENOENT, ENOTDIR); every other failure throws. */
  lstat(path: DiskPath): Stat | null;
  realpath(path: DiskPath): DiskPath;
  /** Returns the names in a folder, without `.` and `..`, in no particular order. */
  list(path: DiskPath): Name[];
  /** As `list`, with the `lstat` of each name. Much cheaper than separate calls. */
  listWithStats(path: DiskPath): FolderListing;
  /** As `listWithStats`, in the background: for very large folders, whose listing would block other work. */
  listAside?(path: DiskPath): Promise<FolderListing>;
  /** Opens a file for reading. Refuses links (ELOOP) and does not block on a FIFO. */
  openRead(path: DiskPath): Fd;
  /** Creates a file for writing. The file must not exist. */
  openNew(path: DiskPath, mode: number): Fd;
  /** Opens a folder for `sync` and `folderPath`. Refuses links (ELOOP or ENOTDIR). */
  openFolder(path: DiskPath): Fd;
  /**
   * Returns a path to the children of an open folder that does not walk its parents again (Linux: `/proc/self/fd/N`).
   * If the platform has no such path, returns `path` unchanged.
   */
  folderPath(folder: Fd, path: DiskPath): DiskPath;
  fstat(fd: Fd): Stat;
  /** Reads up to `length` bytes at `position`. Returns the number of bytes read, 0 at the end. */
  read(fd: Fd, into: Uint8Array, offset: number, length: number, position: number): number;
  /** Writes all of `bytes` at `position`, or throws. */
  write(fd: Fd, bytes: Uint8Array, position: number): void;
  /** Calls fsync. A no-op for folders on a platform that cannot sync a folder handle. */
  sync(fd: Fd): void;
  /**
   * Copies the content of an open file to a new file at `to`, in the background. `to` must not exist; on failure,
   * nothing is left of it.
   * @param method `clone` shares the blocks until one file is written; it fails if the file system cannot clone, or
   *   `to` is on another one. `copy` copies the bytes.
   * @returns the new file, open for writing; none of it is durable yet
   */
  copyFile(from: Fd, to: DiskPath, mode: number, method: CopyMethod): Promise<Fd>;
  /**
   * Copies files from one open folder into another, in which they must not exist, in the background. A file keeps its
   * content, holes, permissions (apart from setuid and setgid), modification time, and attributes of users. No link is
   * followed. With `clone`, files that cannot be cloned are copied. Stops after the first failure of a copy, so the result
   * may be shorter than `names`. Both folders must stay open until it ends. Many files take a fraction of the time of
   * single calls. Absent if that is not possible here.
   */
  readonly copyFiles?: CopyFiles | undefined;
  /**
   * As `sync` of each file, at the same time and in no order. Accepts at most {@link MAX_SYNCED_TOGETHER} files.
   * @throws FsError the first failure, after all syncs have ended. The handles can then be closed, and any other file
   *   may be durable.
   */
  syncAll(fds: readonly Fd[]): Promise<void>;
  /**
   * Returns a function that makes durable whatever is created, written or renamed from now on in the file system of an
   * open folder. Null if that is not possible there, or costs more than `sync` of `count` files and folders. The
   * folder must stay open: the system reports failures since it was opened. Absent if that is possible nowhere.
   */
  readonly wholeSync?: ((folder: Fd, count: number) => WholeSync | null) | undefined;
  fchmod(fd: Fd, mode: number): void;
  /**
   * Closes a handle and ignores errors of the system. Durable data was synced before, and an error here must not hide
   * the one that is being reported. Throws only if the handle is not open.
   */
  close(fd: Fd): void;
  /** Returns the link's target, one character per byte. */
  readLink(path: DiskPath): string;
  /** Creates a link; fails with EEXIST if the path exists. `target` is one character per byte. */
  makeLink(target: string, path: DiskPath): void;
  makeFolder(path: DiskPath, mode: number): void;
  /** Replaces `to`, as rename(2) does. On Windows, retries for a limited time if another program has the file open. */
  rename(from: DiskPath, to: DiskPath): void;
  /** Creates a second name for a file; never replaces (EEXIST). Does not follow `from` if it is a link. */
  hardLink(from: DiskPath, to: DiskPath): void;
  unlink(path: DiskPath): void;
  removeFolder(path: DiskPath): void;
  chmod(path: DiskPath, mode: number): void;
  /** Sets the times of one of Savepoint's own files to `ms` (milliseconds since 1970). */
  touch(path: DiskPath, ms: number): void;
  /** Returns the free space for ordinary users on the file system of `path`, in bytes; null if unknown. */
  freeSpace(path: DiskPath): number | null;
  /**
   * Returns the real paths of mount points, including second mounts of a file system; no rename works across them. Null
   * if the platform does not report them; then only the `dev` of a stat shows them.
   */
  mountPoints(): readonly DiskPath[] | null;
}

/** @throws FsError if something may not be durable */
export type WholeSync = () => Promise<void>;

/** Maximum number of handles that are open at the same time to be synced together. A process has at least 1024. */
export const MAX_SYNCED_TOGETHER = 64;

/** The failure of a file-system call. `code` is the name of the errno (ENOSPC, EACCES, …). */
export class FsError extends Error {
  override readonly name = 'FsError';
  constructor(
    readonly code: string,
    readonly operation: keyof Fs,
    readonly path: DiskPath,
  ) {
    super(`${code}: ${operation} ${path}`);
  }
}

/** If codes are given, matches only these. */
export function isFsError<Code extends string>(
  error: unknown,
  ...codes: readonly Code[]
): error is FsError & { readonly code: Code } {
  return error instanceof FsError && (codes.length === 0 || (codes as readonly string[]).includes(error.code));
}
