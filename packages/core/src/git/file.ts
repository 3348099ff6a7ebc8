/** Reads the small files in a git folder. The repository may be hostile or damaged. */
import { type Fs, FsError, isFsError, kindOf, type Stat } from '../io/fs.ts';
import type { DiskPath } from '../model/names.ts';

/** Something in a repository that could not be used. It is reported, and never stops a capture. */
export interface GitProblem {
  readonly path: DiskPath;
  /**
   * - `damaged`: not in a format that git writes
   * - `too-large`: over the size limit
   * - `unreadable`: the system refused the read
   * - `unsupported`: an unknown kind, such as a newer format
   */
  readonly why: 'damaged' | 'too-large' | 'unreadable' | 'unsupported';
  /** For people. ASCII, except for quoted bytes of the file, one character per byte. */
  readonly detail: string;
}

/** Thrown by the file readers in this folder. No public function lets it escape. */
export class UnusableGitFile extends Error {
  constructor(readonly problem: GitProblem) {
    super(problem.detail);
  }
}

export function unusableGitFile(path: DiskPath, why: GitProblem['why'], detail: string): UnusableGitFile {
  return new UnusableGitFile({ path, why, detail });
}

/** For the catch block of a public function: returns the problem, or rethrows the error if it is a bug of ours. */
export function problemOf(error: unknown): GitProblem {
  if (error instanceof UnusableGitFile) return error.problem;
  if (error instanceof FsError) {
    return { path: error.path, why: 'unreadable', detail: `${error.code} (${error.operation})` };
  }
  throw error;
}

/**
 * Reads a whole regular file.
 * @param maxBytes a larger file is refused before any of it is read
 * @returns null if the file is absent
 * @throws UnusableGitFile if it is not a regular file or is too large
 * @throws FsError if the system refuses the read
 */
export function readGitFile(fs: Fs, path: DiskPath, maxBytes: number): Buffer | null {
  return readGitFileWithTime(fs, path, maxBytes)?.bytes ?? null;
}

/** Like `readGitFile`, with the mtime of the opened file. By now the name may refer to another file. */
export function readGitFileWithTime(
  fs: Fs,
  path: DiskPath,
  maxBytes: number,
): { readonly bytes: Buffer; readonly mtimeMs: number } | null {
  const start = readPrefix(fs, path, maxBytes);
  if (start === null) return null;
  if (start.size > maxBytes) throw unusableGitFile(path, 'too-large', `${start.size} bytes; the limit is ${maxBytes}`);
  return start;
}

/**
 * Reads the first bytes of a regular file.
 * @returns null if the file is absent. `size` is that of the whole file in bytes; `mtimeMs` is its mtime when opened
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

/**
 * Removes the given characters from the end of the text. A regular expression takes quadratic time on hostile input.
 */
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
