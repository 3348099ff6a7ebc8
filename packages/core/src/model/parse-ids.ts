/** Ids that agents and callers hand in: checked here, once, and told apart by type from there on. */
import { SavepointError } from './errors.ts';
import { type CallId, isCallId, isSessionId, type SessionId } from './ids.ts';

/** @throws SavepointError USAGE where no session can have that id */
export function parseSessionId(given: string): SessionId {
  if (isSessionId(given)) return given;
  throw invalidId('session', given);
}

/** @throws SavepointError USAGE where no call can have that id */
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
