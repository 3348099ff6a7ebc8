/** zlib streams that fit in memory. Only {@link PieceDeflater} also writes larger ones. */
import { constants, deflateRawSync, deflateSync, inflateSync } from 'node:zlib';
import type { CompressionSettings } from '../../io/compressor.ts';
import { ADLER_START, adler32 } from './adler32.ts';
import { FormatProblem } from './damage.ts';

/** Captures happen between an agent's steps, so speed matters. Clean-up may compress better later. */
const LEVEL = 1;
const FIRST_OUTPUT = 64;
const MAX_OUTPUT_AT_ONCE = 1024 * 1024;
/** Deflate with a 32 KiB window, fastest level. */
const ZLIB_HEADER = Buffer.of(0x78, 0x01);

export function deflate(data: Uint8Array): Buffer {
  return deflateSync(data, compressionFor(data.length));
}

/**
 * Returns a window and tables no larger than the input can use: allocating them takes most of the time for a small
 * file.
 * @param bytes size of the input
 */
export function compressionFor(bytes: number): CompressionSettings {
  const windowBits = Math.min(15, Math.max(9, 32 - Math.clz32(bytes)));
  const chunkSize = Math.min(16 * 1024, Math.max(FIRST_OUTPUT, bytes + 32));
  return { level: LEVEL, windowBits, memLevel: Math.min(8, windowBits - 5), chunkSize };
}

/**
 * @param size the exact size of the result; nothing larger is ever allocated
 * @returns the bytes, and how many bytes of `compressed` they took
 * @throws FormatProblem
 */
export function inflate(compressed: Uint8Array, size: number): { readonly data: Buffer; readonly consumed: number } {
  let result: { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
  try {
    result = inflateSync(compressed, {
      info: true,
      maxOutputLength: Math.max(1, size),
      chunkSize: Math.min(Math.max(FIRST_OUTPUT, size + 1), MAX_OUTPUT_AT_ONCE),
    }) as unknown as typeof result;
  } catch (cause) {
    throw new FormatProblem(
      `does not inflate to ${size} bytes (${cause instanceof Error ? cause.message : String(cause)})`,
      { cause },
    );
  }
  if (result.buffer.length !== size) {
    throw new FormatProblem(`inflates to ${result.buffer.length} bytes instead of ${size}`);
  }
  return { data: result.buffer, consumed: result.engine.bytesWritten };
}

/**
 * Creates one zlib stream from pieces without keeping compressor state, which only node's asynchronous streams could
 * keep. Each piece is deflated separately and ends on a byte boundary (a sync flush), so the pieces form one stream.
 */
export class PieceDeflater {
  #adler = ADLER_START;
  #hasStarted = false;

  /** Returns the compressed form of `piece`, to be written before the next one. */
  add(piece: Uint8Array): Buffer {
    this.#adler = adler32(piece, this.#adler);
    const bytes = deflateRawSync(piece, { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH });
    if (this.#hasStarted) return bytes;
    this.#hasStarted = true;
    return Buffer.concat([ZLIB_HEADER, bytes]);
  }

  /** Returns the end of the stream. */
  finish(): Buffer {
    const trailer = Buffer.allocUnsafe(4);
    trailer.writeUInt32BE(this.#adler);
    const last = deflateRawSync(new Uint8Array(0), { level: LEVEL });
    return Buffer.concat([this.#hasStarted ? new Uint8Array(0) : ZLIB_HEADER, last, trailer]);
  }
}
