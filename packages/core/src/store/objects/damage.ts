import { SavepointError } from '../../model/errors.ts';
import type { ObjectId } from '../../model/ids.ts';

export interface DamageLocation {
  readonly object?: ObjectId;
  /** Path of the file that is hurt, one character per byte. */
  readonly file?: string;
}

/** Something in the store is not what it should be. */
export function damaged(what: string, place: DamageLocation, cause?: unknown): SavepointError {
  const object = place.object === undefined ? '' : `Object ${place.object}: `;
  const file = place.file === undefined ? '' : ` (${place.file})`;
  return new SavepointError('STORE_DAMAGED', `${object}${what}${file}.`, { ...place }, { cause });
}

export function isDamage(error: unknown): error is SavepointError {
  return error instanceof SavepointError && error.code === 'STORE_DAMAGED';
}

/** Why bytes are not in the format they should have; whoever knows the file turns it into {@link damaged}. */
export class FormatProblem extends Error {
  override readonly name = 'FormatProblem';
}
