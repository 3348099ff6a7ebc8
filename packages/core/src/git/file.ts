/** Reading the small files that git keeps, from a repository that may be hostile or half broken. */
import { type Fs, FsError, isFsError, kindOf, type Stat } from '../io/fs.ts';
import type { DiskPath } from '../model/names.ts';

/** Something in a repository that we could not make use of. It is told, and never stops a capture. */
export interface GitProblem {
  readonly path: DiskPath;
  /**
   * - `damaged`: not what git writes
   * - `too-large`: over the bound that we read
   * - `unreadable`: the system refused
   * - `unsupported`: of a kind that we do not know (a newer format)
   */
  readonly why: 'damaged' | 'too-large' | 'unreadable' | 'unsupported';
  /** For people; ASCII except where it cites bytes of the file, one character per byte. */
  readonly detail: string;
}

/** What a reader of hostile files throws inside this folder; no public function lets it out. */
export class UnusableGitFile extends Error {
  constructor(readonly problem: GitProblem) {
    super(problem.detail);
  }
}

export function unusableGitFile(path: DiskPath, why: GitProblem['why'], detail: string): UnusableGitFile {
  return new UnusableGitFile({ path, why, detail });
}

/** For the catch block of a public function: the problem, or the error again if it is a fault of ours. */
export function problemOf(error: unknown): GitProblem {
  if (error instanceof UnusableGitFile) return error.problem;
  if (error instanceof FsError) {
    return { path: error.path, why: 'unreadable', detail: `${error.code} (${error.operation})` };
  }
  throw error;
}

/**
 * A regular file, whole.
 * @param maxBytes a larger file is refused before anything of it is read
 * @returns null when it is absent
 * @throws Unusable when it is no regular file, or too large; FsError when the system refuses
 */
export function readGitFile(fs: Fs, path: DiskPath, maxBytes: number): Buffer | null {
  return readGitFileWithTime(fs, path, maxBytes)?.bytes ?? null;
}

/** As `readGitFile`, with the time of the very file that was read: another one may have its name by now. */
export function readGitFileWithTime(
  fs: Fs,
  path: DiskPath,
  maxBytes: number,
): { readonly bytes: Buffer; readonly mtimeMs: number } | null {
  const start = readPrefix(fs, path, maxBytes);
  if (start === null) return null;
  if (start.size > maxBytes)
    throw unusableGitFile(path, 'too-large', `${start.size} bytes, at most ${maxBytes} are read`);
  return start;
}

/**
 * The first bytes of a regular file.
 * @returns null when it is absent; `size` is the whole file's, in bytes, `mtimeMs` what it had when it was opened
 */
export function readPrefix(
  fs: Fs,
  path: DiskPath,
  maxBytes: number,
): { bytes: Buffer; size: number; mtimeMs: number } | null {
  const stat = fs.lstat(path);
  if (stat === null) return null;
  if (kindOf(stat) !== 'file') throw unusableGitFile(path, 'damaged', 'not a regular file');
  const file = openUnlessGone(fs, path);
  if (file === null) return null;
  try {
    const opened: Stat = fs.fstat(file);
    if (kindOf(opened) !== 'file') throw unusableGitFile(path, 'damaged', 'not a regular file');
    const bytes = Buffer.alloc(Math.min(opened.size, maxBytes));
    let length = 0;
    while (length < bytes.length) {
      const got = fs.read(file, bytes, length, bytes.length - length, length);
      if (got === 0) break;
      length += got;
    }
    return { bytes: bytes.subarray(0, length), size: opened.size, mtimeMs: opened.mtimeMs };
  } finally {
    fs.close(file);
  }
}

/** Without the given characters at its end. A regular expression takes quadratic time over a hostile run of them. */
export function trimTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

function openUnlessGone(fs: Fs, path: DiskPath): ReturnType<Fs['openRead']> | null {
  try {
    return fs.openRead(path);
  } catch (error) {
    if (isFsError(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}
