/** Reads an object's bytes piece by piece. */
import type { Clock } from '../../io/ports.ts';
import { PIECE_BYTES } from './limits.ts';
import type { ObjectInfo, StoredObject } from './object-reader.ts';

export interface PieceReader {
  /**
   * Returns the next bytes, which belong to the caller, or null once all of them have been verified. Throws on damage.
   */
  next(): Buffer | null;
  /** Must be called at the end, whether reading succeeded or failed. */
  close(): void;
}

export interface ObjectSource extends ObjectInfo, PieceReader {}

const YIELD_BYTES = 4 * 1024 * 1024;

/** Returns a source for a verified object. */
export function sourceFromObject({ type, data }: StoredObject): ObjectSource {
  let at = 0;
  return {
    type,
    size: data.length,
    next() {
      if (at >= data.length) return null;
      const piece = data.subarray(at, at + PIECE_BYTES);
      at += piece.length;
      return piece;
    },
    close() {},
  };
}

/** Reads the first piece immediately, so that damage at the start is detected while another copy can still be tried. */
export function withFirstPiece(source: ObjectSource): ObjectSource {
  let first: Buffer | null;
  try {
    first = source.next();
  } catch (error) {
    source.close();
    throw error;
  }
  let given = false;
  return {
    type: source.type,
    size: source.size,
    next() {
      if (given) return source.next();
      given = true;
      return first;
    },
    close: () => source.close(),
  };
}

/** Passes all pieces to `sink`, yields to other work from time to time, and closes the source. */
export async function drain(clock: Clock, source: PieceReader, sink: (piece: Buffer) => void): Promise<void> {
  try {
    let bytes = 0;
    for (let piece = source.next(); piece !== null; piece = source.next()) {
      sink(piece);
      bytes += piece.length;
      if (bytes < YIELD_BYTES) continue;
      bytes = 0;
      await clock.turn();
    }
  } finally {
    source.close();
  }
}

/** Verifies an object, and closes its source. @param step called after each piece */
export async function readThrough(source: ObjectSource, step: () => Promise<void>): Promise<void> {
  try {
    while (source.next() !== null) await step();
  } finally {
    source.close();
  }
}
