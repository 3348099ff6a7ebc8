import type { DiskPath } from '../../model/names.ts';
import { type Fs, FsError } from '../fs.ts';

const NOT_ASCII = /[\x80-\xff]/;

/**
 * Converts a one-byte string for node. ASCII, which is nearly always the case, is passed as a string, which is faster.
 * Other names are passed as bytes, because node would encode the characters as UTF-8 again. (On Windows, node decodes
 * the bytes as UTF-8, and `encoding: 'latin1'` returns the same bytes there.)
 */
export function nativePath(bytes: string): string | Buffer {
  return NOT_ASCII.test(bytes) ? Buffer.from(bytes, 'latin1') : bytes;
}

/**
 * For the catch block of a retry loop: returns if the call was interrupted (EINTR) and must be repeated. Otherwise
 * throws the error as an {@link FsError}.
 */
export function throwUnlessInterrupted(error: unknown, operation: keyof Fs, path: DiskPath): void {
  const code = errorCode(error);
  if (code !== 'EINTR') throw fsError(error, code, operation, path);
}

export function fsError(cause: unknown, code: string, operation: keyof Fs, path: DiskPath): FsError {
  if (cause instanceof FsError) return cause;
  const failure = new FsError(code, operation, path);
  failure.cause = cause;
  return failure;
}

/** Returns the name of the errno. If node itself rejects the call (a NUL in a path), that is EINVAL, too. */
export function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return 'EIO';
  const { code } = error;
  if (typeof code !== 'string') return 'EIO';
  return code.startsWith('ERR_') ? 'EINVAL' : code;
}
