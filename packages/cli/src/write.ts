import { writeSync } from 'node:fs';
import { systemCode } from './system-error.ts';

/** Thrown if writing the output fails, for example because the reader is gone or the disk is full. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
  /** @param code the system's error code */
  constructor(
    readonly code: string,
    options: ErrorOptions,
  ) {
    super(`Cannot write to standard output (${code}).`, options);
  }
}

const AGAIN_MS = 5;

/**
 * Writes everything before it returns, so that no output is lost when the process exits.
 * @throws OutputError
 */
export function writeAll(fd: 1 | 2, output: string | Buffer): void {
  const bytes = typeof output === 'string' ? Buffer.from(output, 'utf8') : output;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const code = systemCode(error) ?? 'EIO';
      // The pipe is full, and another process made it non-blocking.
      if (code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_MS);
      else if (code !== 'EINTR') throw new OutputError(code, { cause: error });
    }
  }
}
