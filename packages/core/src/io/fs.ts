import type { DiskPath, Name } from '../model/names.ts';

declare const brand: unique symbol;
/** An open file or folder. */
export type Fd = number & { readonly [brand]: 'Fd' };

/** The part of a stat that the engine uses; the fields are node's, so that a node Stats object is one. */
export interface Stat {
  readonly dev: number;
  readonly ino: number;
  /** Type and permission bits together, as the system has them. */
  readonly mode: number;
  readonly nlink: number;
  readonly uid: number;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970 with the fraction the system has (doubles keep about 250 ns of today's dates). */
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly birthtimeMs: number;
}

export type FileKind = 'file' | 'folder' | 'link' | 'special';

/** What a stat says that the path is. */
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

/** The permission bits of a stat, 0 to 0o7777. */
export function permissions(stat: Pick<Stat, 'mode'>): number {
  return stat.mode & 0o7777;
}

/** The part of a stat that a folder's listing brings along. */
export type ListedStat = Pick<Stat, 'size' | 'ino' | 'mode' | 'mtimeMs' | 'ctimeMs' | 'nlink' | 'dev'>;

/** Where each field of a {@link ListedStat} stands among the numbers of its name. */
export const LISTED_FIELD = { size: 0, ino: 1, mode: 2, mtimeMs: 3, ctimeMs: 4, nlink: 5, dev: 6 } as const satisfies {
  readonly [Field in keyof ListedStat]: number;
};

/** How many numbers a name has in {@link FolderListing.numbers}. */
export const LISTED_FIELD_COUNT = 7;

/** A folder's names, each with what `lstat` said of it while the folder was read. */
export interface FolderListing {
  /** Sorted by their bytes. Without `.` and `..`, and without what was gone when it was looked at. */
  readonly names: readonly Name[];
  /** {@link LISTED_FIELD_COUNT} numbers for each name, in the order of {@link LISTED_FIELD}; units as in {@link Stat}. */
  readonly numbers: Float64Array;
  /** By position in `names`: why it could not be looked at (EACCES, …); its numbers are 0 then. Almost always empty. */
  readonly failed: ReadonlyMap<number, FsError>;
}

/** What the listing says of the name at `index`; all 0 where `failed` has it. */
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
 * The file system, as a port. Every call is synchronous and in program order: that is what makes it possible to
 * fail or to die at the n-th call, and it is several times faster than node's promises for many small files.
 * Long work yields between calls (see pace.ts). Only `syncAll` is not: a disk makes many files durable in little more
 * time than one, if it is told of them together; `copyFile` and `listAside`, where the system does all the work.
 *
 * Every method throws {@link FsError} and nothing else. No method follows a symbolic link in the last component,
 * except `realpath` and `list`/`listWithStats`/`openFolder` on a path that ends in the result of `folderPath`.
 */
export interface Fs {
  /** Null only when nothing is there (ENOENT, ENOTDIR); every other failure throws. */
  lstat(path: DiskPath): Stat | null;
  realpath(path: DiskPath): DiskPath;
  /** Names in a folder, without `.` and `..`, in no particular order. */
  list(path: DiskPath): Name[];
  /** As `list`, with what `lstat` says of each name: much cheaper than to ask for one after the other. */
  listWithStats(path: DiskPath): FolderListing;
  /** As `listWithStats`, beside our own work: for a folder of so many names that others would have to wait for it. */
  listAside?(path: DiskPath): Promise<FolderListing>;
  /** For reading; refuses links (ELOOP), does not block on a FIFO. */
  openRead(path: DiskPath): Fd;
  /** Creates a file that must not exist yet, for writing. */
  openNew(path: DiskPath, mode: number): Fd;
  /** A handle on a folder, for `sync` and `folderPath`; refuses links (ELOOP or ENOTDIR). */
  openFolder(path: DiskPath): Fd;
  /**
   * A path under which the children of an open folder are reached without walking its parents again
   * (Linux: `/proc/self/fd/N`). Where the platform has no such thing: `path`, unchanged.
   */
  folderPath(folder: Fd, path: DiskPath): DiskPath;
  fstat(fd: Fd): Stat;
  /** Reads up to `length` bytes at `position`; returns how many, 0 at the end. */
  read(fd: Fd, into: Uint8Array, offset: number, length: number, position: number): number;
  /** Writes all of `bytes` at `position`, or throws. */
  write(fd: Fd, bytes: Uint8Array, position: number): void;
  /** fsync. On a platform that cannot sync a folder handle, a no-op there. */
  sync(fd: Fd): void;
  /**
   * A new file at `to`, which must not exist, with the bytes of an open one; nothing is left of it on failure. Work for
   * the system, beside ours.
   * @param method `clone`: the two share their blocks until one is written; fails where the file system has no such thing,
   *   or `to` is on another one. `copy`: bytes.
   * @returns the new file, open for writing; nothing of it is durable yet
   */
  copyFile(from: Fd, to: DiskPath, mode: number, method: 'clone' | 'copy'): Promise<Fd>;
  /**
   * As `sync` of each of them, at the same time and in no order. Give it at most {@link MAX_SYNCED_TOGETHER}.
   * @throws FsError the first failure, when no sync is under way any more: the handles can be closed then, and any of the
   *   others may be durable
   */
  syncAll(fds: readonly Fd[]): Promise<void>;
  fchmod(fd: Fd, mode: number): void;
  /**
   * Lets the handle go, whatever the system answers: what had to be durable was synced before, and an error here must
   * not take the place of what is being told. Throws only for a handle that is none.
   */
  close(fd: Fd): void;
  /** The link's target, one character per byte. */
  readLink(path: DiskPath): string;
  /** Fails with EEXIST where something is. `target` is one character per byte. */
  makeLink(target: string, path: DiskPath): void;
  makeFolder(path: DiskPath, mode: number): void;
  /** Replaces what is at `to`, as rename(2) does. Retries for a bounded time where a scanner holds the file (Windows). */
  rename(from: DiskPath, to: DiskPath): void;
  /** Second name for a file; never replaces (EEXIST). Does not follow `from` if it is a link. */
  hardLink(from: DiskPath, to: DiskPath): void;
  unlink(path: DiskPath): void;
  removeFolder(path: DiskPath): void;
  chmod(path: DiskPath, mode: number): void;
  /** Sets the times of a file we own to `ms` (milliseconds since 1970). */
  touch(path: DiskPath, ms: number): void;
  /** Bytes that an ordinary user can still write on the file system of `path`; null where unknown. */
  freeSpace(path: DiskPath): number | null;
  /**
   * Real paths at which a file system begins, also one that is mounted a second time: no rename leads across. Null where
   * the platform does not tell; there only `dev` of a stat shows it.
   */
  mountPoints(): readonly DiskPath[] | null;
}

/** Handles that are open at the same time to be synced together; a process has at least 1024. */
export const MAX_SYNCED_TOGETHER = 64;

/** What a file-system call failed with. `code` is the errno's name (ENOSPC, EACCES, …). */
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

/** With codes: only for those. */
export function isFsError<Code extends string>(
  error: unknown,
  ...codes: readonly Code[]
): error is FsError & { readonly code: Code } {
  return error instanceof FsError && (codes.length === 0 || (codes as readonly string[]).includes(error.code));
}
