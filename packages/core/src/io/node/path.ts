import type { DiskPath } from '../../model/names.ts';
import { type Fs, FsError } from '../fs.ts';

const NOT_ASCII = /[\x80-\xff]/;

/**
 * A one-byte string as node wants it. ASCII goes as it is, which is the fast way and nearly always the case; anything
 * else goes as bytes, because node would encode the characters as UTF-8 once more. (On Windows node reads the bytes as
 * UTF-8, which is what `encoding: 'latin1'` gives back there: the same bytes both ways.)
 */
export function nativePath(bytes: string): string | Buffer {
  return NOT_ASCII.test(bytes) ? Buffer.from(bytes, 'latin1') : bytes;
}

/**
 * For the catch block of a call that is repeated until it succeeds: returns if the call was interrupted (EINTR) and is
 * to be made again, throws what it failed with as an {@link FsError} otherwise.
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

/** The errno's name. What node refuses before it asks the system (a NUL in a path, say) is EINVAL, as there. */
export function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return 'EIO';
  const { code } = error;
  if (typeof code !== 'string') return 'EIO';
  return code.startsWith('ERR_') ? 'EINVAL' : code;
}
