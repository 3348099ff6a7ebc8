import { closeSync, openSync, readSync } from 'node:fs';
import { isatty } from 'node:tty';
import { SavepointError } from '@savepoint/core';
import { systemCode } from './system-error.ts';

const LONGEST = 256 * 1024 * 1024;
const PART = 1 << 20;

/**
 * All of a file, or of standard input, as text.
 * @param file null: standard input
 * @throws SavepointError USAGE when nobody gives any, when it is too long or no UTF-8; IO when it cannot be read
 */
export function readRequest(file: string | null): string {
  if (file === null && isatty(0)) {
    throw new SavepointError(
      'USAGE',
      'The request is read from standard input, and that is a terminal.',
      {},
      {
        hint: 'Name a file, or pipe the request in: `savepoint edit < edits.json`.',
      },
    );
  }
  const bytes = readAll(file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SavepointError('USAGE', 'The request is not valid UTF-8.', { argument: 'request' });
  }
}

function readAll(file: string | null): Buffer {
  const parts: Buffer[] = [];
  let length = 0;
  let fd = 0;
  try {
    fd = file === null ? 0 : openSync(file, 'r');
    for (;;) {
      const part = Buffer.allocUnsafe(PART);
      const got = readSome(fd, part);
      if (got === 0) break;
      length += got;
      if (length > LONGEST) throw new SavepointError('USAGE', `The request is over ${LONGEST} bytes long.`);
      parts.push(part.subarray(0, got));
    }
    return Buffer.concat(parts);
  } catch (error) {
    if (error instanceof SavepointError) throw error;
    const code = systemCode(error) ?? 'EIO';
    const what = file === null ? 'standard input' : JSON.stringify(file);
    throw new SavepointError('IO', `The request cannot be read from ${what} (${code}).`, { operation: 'read', code });
  } finally {
    if (fd !== 0) closeSync(fd);
  }
}

/** Standard input may have been made not to block by whoever opened it. */
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
