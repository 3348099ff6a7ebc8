/** What a command asks the daemon before it scans. */
import type { WatcherQuestion } from '@savepoint/core/ports';

/** The path of the request. */
export const UNCHANGED_ROUTE = 'unchanged';

export interface UnchangedRequest extends WatcherQuestion {
  /** The home of the command. One character per byte. */
  readonly home: string;
}

/** @returns null if it is not a request: any process of the user may send one */
export function parseUnchangedRequest(body: Buffer): UnchangedRequest | null {
  let given: unknown;
  try {
    given = JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
  if (typeof given !== 'object' || given === null) return null;
  const { id, root, globalIgnore, dependencies, home } = given as Readonly<Record<string, unknown>>;
  const isRequest =
    [id, root, dependencies, home].every((text) => typeof text === 'string') &&
    (globalIgnore === null || typeof globalIgnore === 'string');
  return isRequest ? (given as UnchangedRequest) : null;
}
