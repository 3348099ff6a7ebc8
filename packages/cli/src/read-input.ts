/** Reads a file, or standard input, that a user gives to a command. */
import { closeSync, openSync, readSync } from 'node:fs';
import { SavepointError } from '@savepoint/core';
import { systemCode } from './system-error.ts';

const MAX_BYTES = 256 * 1024 * 1024;
const CHUNK_BYTES = 1 << 20;

/**
 * @param file as one-byte string; null for standard input
 * @param what names the input in errors
 * @throws SavepointError USAGE if it is too long, IO if reading fails
 */
export function readInput(file: string | null, what: string): Buffer {
  const parts: Buffer[] = [];
  let length = 0;
  let fd = 0;
  try {
    fd = file === null ? 0 : openSync(Buffer.from(file, 'latin1'), 'r');
    for (;;) {
      const part = Buffer.allocUnsafe(CHUNK_BYTES);
      const got = readSome(fd, part);
      if (got === 0) break;
      length += got;
      if (length > MAX_BYTES)
        throw new SavepointError('USAGE', `Cannot read ${what}: it is longer than ${MAX_BYTES} bytes.`);
      parts.push(part.subarray(0, got));
    }
    return Buffer.concat(parts);
  } catch (error) {
    if (error instanceof SavepointError) throw error;
    const code = systemCode(error) ?? 'EIO';
    const why = code === 'ENOENT' ? 'there is no such file (ENOENT)' : code;
    throw new SavepointError('IO', `Cannot read ${what}: ${why}.`, { operation: 'read', code });
  } finally {
    if (fd !== 0) closeSync(fd);
  }
}

/** The parent process may have made standard input non-blocking. */
function readSome(fd: number, into: Buffer): number {
  for (;;) {
    try {
      return readSync(fd, into, 0, into.length, null);
    } catch (error) {
      const code = systemCode(error);
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}
