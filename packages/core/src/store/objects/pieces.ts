/** An object's bytes one piece after the other. */
import type { Clock } from '../../io/ports.ts';
import { PIECE_BYTES } from './limits.ts';
import type { ObjectInfo, StoredObject } from './object-reader.ts';

export interface PieceReader {
  /** The next bytes, which belong to the caller. Null is the proof that all of them were right; damage throws. */
  next(): Buffer | null;
  /** To be called at the end, however it was reached. */
  close(): void;
}

export interface ObjectSource extends ObjectInfo, PieceReader {}

const YIELD_BYTES = 4 * 1024 * 1024;

/** A verified object as a source. */
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

/** Has its first piece already, so that what is wrong from the start shows while another copy can be tried. */
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

/** Hands everything to `sink`, lets other work run now and then, and closes the source. */
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
