/** Errors for a model: the same code, data and hint as in every other front end. */
import { safeJson } from '../content/safe-json.ts';
import { SavepointError } from '../model/errors.ts';
import { boundValue, MAX_TEXT_LENGTH } from './bounds.ts';

/** Converts anything thrown to a `SavepointError`. An internal error shows its message, but no stack. */
export function asFailure(error: unknown): SavepointError {
  if (error instanceof SavepointError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new SavepointError('INTERNAL', `Internal error: ${message}`, { message }, { cause: error });
}

/** @returns `{ "error": { "code", "message", "data", "hint", "details"?, "left_out"? } }`, as JSON on one line */
export function failureText(failure: SavepointError): string {
  const { value, leftOut } = boundValue(failure.toJSON(), MAX_TEXT_LENGTH);
  const error = leftOut.length === 0 ? value : { ...(value as object), left_out: leftOut };
  return safeJson({ error });
}
