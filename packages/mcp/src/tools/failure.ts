/** How a failure is told: the same code, data and hint as from every other face. */
import { SavepointError } from '@savepoint/core';
import { safeJson } from '../wire/safe-json.ts';
import { bounded, LONGEST_TEXT } from './bounds.ts';

/** Anything that was thrown. A fault of Savepoint itself shows its message and no stack. */
export function asFailure(error: unknown): SavepointError {
  if (error instanceof SavepointError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new SavepointError('INTERNAL', `Savepoint itself failed: ${message}`, { message }, { cause: error });
}

export interface FailedResult {
  readonly [key: string]: unknown;
  readonly isError: true;
  readonly content: [{ readonly type: 'text'; readonly text: string }];
}

/**
 * The error as JSON in the text. There is no structured content: clients hold it against the tool's output schema, also
 * when it tells of an error, and then show a fault of the server instead.
 */
export function failedResult(failure: SavepointError): FailedResult {
  const { value, leftOut } = bounded(failure.toJSON(), LONGEST_TEXT);
  const error = leftOut.length === 0 ? value : { ...(value as object), left_out: leftOut };
  return { isError: true, content: [{ type: 'text', text: safeJson({ error }) }] };
}
