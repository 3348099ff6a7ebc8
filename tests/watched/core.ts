/**
 * Replaces the engine in the suite `watched`: the same, but every workspace is opened with watching, like in a
 * long-lived process. What a test opens is closed after the test; otherwise the system would run out of watches.
 */
import { afterEach } from 'vitest';
import { type OpenOptions, open as openAsAsked, type Savepoint } from '../../packages/core/src/index.ts';
import { nodeFs } from '../../packages/core/src/node.ts';

export * from '../../packages/core/src/index.ts';

const opened: Savepoint[] = [];

export function open(options: OpenOptions): Savepoint {
  // A disk with injected faults belongs to a process that ends soon, so it is not watched.
  const savepoint = openAsAsked({ watch: options.ports.fs === nodeFs, ...options });
  opened.push(savepoint);
  return savepoint;
}

afterEach(() => {
  for (const savepoint of opened.splice(0)) savepoint.close();
});
