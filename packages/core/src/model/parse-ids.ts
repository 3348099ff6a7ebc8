/** Checks ids given by agents and callers, once. From then on their types distinguish them. */
import { SavepointError } from './errors.ts';
import { type CallId, isCallId, isSessionId, type SessionId } from './ids.ts';

/** @throws SavepointError USAGE if the id is not valid for a session */
export function parseSessionId(given: string): SessionId {
  if (isSessionId(given)) return given;
  throw invalidId('session', given);
}

/** @throws SavepointError USAGE if the id is not valid for a call */
export function parseCallId(given: string): CallId {
  if (isCallId(given)) return given;
  throw invalidId('call', given);
}

function invalidId(what: 'session' | 'call', given: string): SavepointError {
  const why = given === '' ? 'is empty' : `has ${given.length} characters`;
  return new SavepointError('USAGE', `The id of a ${what} ${why}; it must have between 1 and 1000.`, {
    argument: what,
  });
}
