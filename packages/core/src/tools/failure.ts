/** Errors for a model: the same codes and data as in every other front end, with hints in terms of tools. */
import { safeJson } from '../content/safe-json.ts';
import { SavepointError } from '../model/errors.ts';
import { boundValue, MAX_TEXT_LENGTH } from './bounds.ts';
import { hintForModel } from './hints.ts';

/** Converts anything thrown to a `SavepointError` for a model. An internal error shows its message, but no stack. */
export function asFailure(error: unknown): SavepointError {
  if (error instanceof SavepointError) {
    const options = { hint: hintForModel(error), cause: error.cause };
    return new SavepointError(error.code, error.message, error.data as never, options);
  }
  const message = error instanceof Error ? error.message : String(error);
  return asFailure(new SavepointError('INTERNAL', `Internal error: ${message}`, { message }, { cause: error }));
}

/** @returns `{ "error": { "code", "message", "data", "hint", "details"?, "left_out"? } }`, as JSON on one line */
export function failureText(failure: SavepointError): string {
  const { value, leftOut } = boundValue(failure.toJSON(), MAX_TEXT_LENGTH);
  const error = leftOut.length === 0 ? value : { ...(value as object), left_out: leftOut };
  return safeJson({ error });
}
