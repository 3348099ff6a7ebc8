import { SavepointError } from '../../model/errors.ts';
import type { ObjectId } from '../../model/ids.ts';

export interface DamageLocation {
  readonly object?: ObjectId;
  /** Path of the damaged file, one character per byte. */
  readonly file?: string;
}

/** Creates the STORE_DAMAGED error for invalid data in the store. */
export function damaged(what: string, place: DamageLocation, cause?: unknown): SavepointError {
  const object = place.object === undefined ? '' : `Object ${place.object}: `;
  const file = place.file === undefined ? '' : ` (${place.file})`;
  return new SavepointError('STORE_DAMAGED', `${object}${what}${file}.`, { ...place }, { cause });
}

export function isDamage(error: unknown): error is SavepointError {
  return error instanceof SavepointError && error.code === 'STORE_DAMAGED';
}

/** Receives the error of a damaged object that the caller can do without. May be called several times for one object. */
export type OnDamage = (error: SavepointError) => void;

/** Returns null if what `read` needs is damaged. For what nothing else depends on, such as numbers for display. */
export function unlessDamaged<T>(onDamage: OnDamage | undefined, read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    onDamage?.(error);
    return null;
  }
}

/** Says why bytes do not have the expected format. Code that knows the file converts it with {@link damaged}. */
export class FormatProblem extends Error {
  override readonly name = 'FormatProblem';
}
