/** How a failure is told to a model: the same code, data and hint as from every other face. */
import { safeJson } from '../content/safe-json.ts';
import { SavepointError } from '../model/errors.ts';
import { bounded, LONGEST_TEXT } from './bounds.ts';

/** Anything that was thrown. A fault of Savepoint itself shows its message and no stack. */
export function asFailure(error: unknown): SavepointError {
  if (error instanceof SavepointError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new SavepointError('INTERNAL', `Savepoint itself failed: ${message}`, { message }, { cause: error });
}

/** @returns `{ "error": { "code", "message", "data", "hint", "details"?, "left_out"? } }`, as JSON on one line */
export function failureText(failure: SavepointError): string {
  const { value, leftOut } = bounded(failure.toJSON(), LONGEST_TEXT);
  const error = leftOut.length === 0 ? value : { ...(value as object), left_out: leftOut };
  return safeJson({ error });
}
