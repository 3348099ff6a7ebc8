/** Copies single files and links. A file that vanishes meanwhile is not an error: the tree may change while it is copied. */

import {
  type CopiedFile,
  type CopyMethod,
  type Fd,
  type Fs,
  FsError,
  isFsError,
  kindOf,
  type Stat,
} from '../../io/fs.ts';
import { type DiskPath, diskChild, type Name } from '../../model/names.ts';

/** `gone`: it vanished, or is of another kind by now. */
export type FileOutcome =
  | { readonly kind: 'copied'; readonly size: number; readonly ino: number }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unreadable'; readonly code: string };

/** Larger files are copied by the system, in the background. For smaller ones that costs more than the copy. */
export const MAX_INLINE_BYTES = 1 << 20;
const CHUNK = 1 << 18;

/** Setuid and setgid would give the copy's users the rights of the original's owner. */
const FILE_MODE = 0o1777;
const GONE = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'ENXIO'] as const;
const UNREADABLE = ['EACCES', 'EPERM', 'EIO', 'EINVAL'] as const;
const NOT_A_FILE = 'ESTALE';
/** What a file system or a file that cannot be cloned answers. */
const CANNOT_CLONE = ['ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'EINVAL', 'ENOSYS', 'ENOTTY', 'EPERM', 'ETXTBSY'] as const;

export class FileCopier {
  readonly #fs: Fs;
  readonly #method: CopyMethod;
  readonly #buffer = Buffer.allocUnsafe(CHUNK);

  constructor(fs: Fs, method: CopyMethod) {
    this.#fs = fs;
    this.#method = method;
  }

  /** Whether {@link copyInline} would block for long, or could not share blocks. */
  isBackground(size: number): boolean {
    return size > MAX_INLINE_BYTES || (this.#method === 'clone' && size > 0);
  }

  /** Copies a file in this thread. `to` must not exist. Throws for failures of the copy's side. */
  copyInline(from: DiskPath, to: DiskPath): FileOutcome {
    const source = this.#open(from);
    if ('kind' in source) return source;
    try {
      const { file, stat } = source;
      const copy = this.#fs.openNew(to, 0o600);
      try {
        this.#copyBytes(file, copy);
        this.#fs.fchmod(copy, stat.mode & FILE_MODE);
      } finally {
        this.#fs.close(copy);
      }
      this.#fs.touch(to, stat.mtimeMs);
      return { kind: 'copied', size: stat.size, ino: stat.ino };
    } catch (error) {
      if (!(error instanceof FsError) || error.operation !== 'read') throw error;
      // Like a file that cannot be opened. Half of it must not look like the file.
      this.#fs.unlink(to);
      return { kind: 'unreadable', code: error.code };
    } finally {
      this.#fs.close(source.file);
    }
  }

  /**
   * Copies files of a folder in the background, if {@link Fs.copyFiles} exists. `shown`: the folder of the copy, for
   * errors. Both folders must stay reachable only until this returns. Throws for failures of the copy's side.
   */
  async copyTogether(
    { from, to, shown }: { readonly from: DiskPath; readonly to: DiskPath; readonly shown: DiskPath },
    names: readonly Name[],
  ): Promise<readonly FileOutcome[]> {
    const source = this.#fs.openFolder(from);
    try {
      const target = this.#fs.openFolder(to);
      try {
        const copied = (await this.#fs.copyFiles?.({ from: source, to: target }, names, this.#method)) ?? [];
        return copied.map((one, index) => outcomeOf(one, diskChild(shown, names[index]!)));
      } finally {
        this.#fs.close(target);
      }
    } finally {
      this.#fs.close(source);
    }
  }

  /** Copies a file in the background. Both folders must stay reachable until it ends. */
  async copyInBackground(from: DiskPath, to: DiskPath): Promise<FileOutcome> {
    const source = this.#open(from);
    if ('kind' in source) return source;
    try {
      const { file, stat } = source;
      this.#fs.close(await this.#systemCopy(file, to, stat.mode & FILE_MODE));
      this.#fs.touch(to, stat.mtimeMs);
      return { kind: 'copied', size: stat.size, ino: stat.ino };
    } finally {
      this.#fs.close(source.file);
    }
  }

  /** @returns false if the link is gone, or is not a link any more */
  copyLink(from: DiskPath, to: DiskPath, rewrite: (target: string) => string): boolean {
    let target: string;
    try {
      target = this.#fs.readLink(from);
    } catch (error) {
      if (isFsError(error, 'ENOENT', 'ENOTDIR', 'EINVAL')) return false;
      throw error;
    }
    this.#fs.makeLink(rewrite(target), to);
    return true;
  }

  #open(from: DiskPath): { readonly file: Fd; readonly stat: Stat } | FileOutcome {
    let file: Fd;
    try {
      file = this.#fs.openRead(from);
    } catch (error) {
      if (isFsError(error, ...GONE)) return { kind: 'gone' };
      if (isFsError(error, ...UNREADABLE)) return { kind: 'unreadable', code: error.code };
      throw error;
    }
    const stat = this.#fs.fstat(file);
    if (kindOf(stat) === 'file') return { file, stat };
    this.#fs.close(file);
    return { kind: 'gone' };
  }

  #copyBytes(from: Fd, to: Fd): void {
    for (let at = 0; ; ) {
      const length = this.#fs.read(from, this.#buffer, 0, CHUNK, at);
      if (length === 0) return;
      this.#fs.write(to, this.#buffer.subarray(0, length), at);
      at += length;
      if (length < CHUNK) return;
    }
  }

  async #systemCopy(file: Fd, to: DiskPath, mode: number): Promise<Fd> {
    if (this.#method === 'clone') {
      try {
        return await this.#fs.copyFile(file, to, mode, 'clone');
      } catch (error) {
        if (!isFsError(error, ...CANNOT_CLONE)) throw error;
      }
    }
    return this.#fs.copyFile(file, to, mode, 'copy');
  }
}

function outcomeOf(file: CopiedFile, path: DiskPath): FileOutcome {
  if (file.kind === 'copied') return file;
  const { code } = file;
  if (file.of === 'original' && [...GONE, NOT_A_FILE].some((one) => one === code)) return { kind: 'gone' };
  if (file.of === 'original' && UNREADABLE.some((one) => one === code)) return { kind: 'unreadable', code };
  throw new FsError(code, 'copyFiles', path);
}
