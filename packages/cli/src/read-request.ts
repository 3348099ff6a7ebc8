import { closeSync, openSync, readSync } from 'node:fs';
import { isatty } from 'node:tty';
import { SavepointError } from '@savepoint/core';
import { systemCode } from './system-error.ts';

const MAX_BYTES = 256 * 1024 * 1024;
const CHUNK_BYTES = 1 << 20;

/**
 * Reads a file, or standard input, as text.
 * @param file null for standard input
 * @throws SavepointError USAGE if standard input is a terminal, or the text is too long or not UTF-8; IO if reading
 * fails
 */
export function readRequest(file: string | null): string {
  if (file === null && isatty(0)) {
    throw new SavepointError(
      'USAGE',
      'Standard input is a terminal, so there is no request to read.',
      {},
      {
        hint: 'Pass a file, or pipe the request: `savepoint edit < edits.json`.',
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
      const part = Buffer.allocUnsafe(CHUNK_BYTES);
      const got = readSome(fd, part);
      if (got === 0) break;
      length += got;
      if (length > MAX_BYTES) throw new SavepointError('USAGE', `The request is longer than ${MAX_BYTES} bytes.`);
      parts.push(part.subarray(0, got));
    }
    return Buffer.concat(parts);
  } catch (error) {
    if (error instanceof SavepointError) throw error;
    const code = systemCode(error) ?? 'EIO';
    const what = file === null ? 'standard input' : JSON.stringify(file);
    const why = code === 'ENOENT' ? 'there is no such file (ENOENT)' : code;
    throw new SavepointError('IO', `Cannot read the request from ${what}: ${why}.`, { operation: 'read', code });
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
