/** Errors for the page, in the shape of the commands' --json. */
import { SavepointError } from '@savepoint/core';
import type { WireError } from './wire.ts';

/** Converts anything thrown to a `SavepointError`. An internal error shows its message, but no stack. */
export function asFailure(error: unknown): SavepointError {
  if (error instanceof SavepointError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new SavepointError('INTERNAL', `Internal error: ${message}`, { message }, { cause: error });
}

/** The error of a request that no verb has answered. */
export function requestError(message: string, hint = 'Nothing was changed.'): WireError {
  return new SavepointError('USAGE', message, {}, { hint }).toJSON();
}
