/** Reads a file, or standard input, that a user gives to a command. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { isatty, ReadStream } from 'node:tty';
import { SavepointError } from '@savepoint/core';
import { systemCode } from '../system-error.ts';

const MAX_BYTES = 256 * 1024 * 1024;
const CHUNK_BYTES = 1 << 20;
const RETRY_MS = 10;

/**
 * @param file as one-byte string; null for standard input
 * @param what names the input in errors
 * @param signal ends a wait for a pipe or a terminal
 * @throws SavepointError USAGE if it is too long, IO if reading fails, CANCELLED
 */
export async function readInput(file: string | null, what: string, signal: AbortSignal): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of chunksOf(file, signal)) {
      length += part.length;
      if (length > MAX_BYTES)
        throw new SavepointError('USAGE', `Cannot read ${what}: it is longer than ${MAX_BYTES} bytes.`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch (error) {
    if (signal.aborted) throw new SavepointError('CANCELLED', `Cancelled while reading ${what}.`);
    if (error instanceof SavepointError) throw error;
    const code = systemCode(error) ?? 'EIO';
    const why = code === 'ENOENT' ? 'there is no such file (ENOENT)' : code;
    throw new SavepointError('IO', `Cannot read ${what}: ${why}.`, { operation: 'read', code });
  }
}

async function* chunksOf(file: string | null, signal: AbortSignal): AsyncGenerator<Buffer> {
  // Opening a named pipe would block until there is a writer. A blocked process does not see signals.
  const fd = file === null ? 0 : openSync(Buffer.from(file, 'latin1'), constants.O_RDONLY | constants.O_NONBLOCK);
  let stream: Readable | null = null;
  try {
    stream = streamOf(fd);
    if (stream === null) yield* read(fd, signal);
    else yield* addAbortSignal(signal, stream) as AsyncIterable<Buffer>;
  } finally {
    // A stream closes its file itself.
    if (stream === null && fd !== 0) closeSync(fd);
  }
}

/** Returns null for files that are read without a long wait. */
function streamOf(fd: number): Readable | null {
  const stat = fstatSync(fd);
  const isTerminal = isatty(fd);
  if (!isTerminal && !stat.isFIFO() && !stat.isSocket()) return null;
  if (fd === 0) return process.stdin;
  return isTerminal ? new ReadStream(fd) : new Socket({ fd, readable: true, writable: false });
}

async function* read(fd: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (;;) {
    const part = Buffer.allocUnsafe(CHUNK_BYTES);
    let got = 0;
    try {
      got = readSync(fd, part, 0, part.length, null);
    } catch (error) {
      const code = systemCode(error);
      if (code === 'EOF') return;
      if (code !== 'EAGAIN') throw error;
      await setTimeout(RETRY_MS, undefined, { signal });
      continue;
    }
    if (got === 0) return;
    yield part.subarray(0, got);
  }
}
