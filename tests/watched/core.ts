/**
 * What the suite `watched` takes for the engine: the same, with every workspace opened to be watched, as a process does
 * that stays. What a test opens is closed when the test is over, or the system would run out of what it watches with.
 */
import { afterEach } from 'vitest';
import { type OpenOptions, open as openAsAsked, type Savepoint } from '../../packages/core/src/index.ts';
import { nodeFs } from '../../packages/core/src/node.ts';

export * from '../../packages/core/src/index.ts';

const opened: Savepoint[] = [];

export function open(options: OpenOptions): Savepoint {
  // A disk on which calls fail or are the last is one of a process that is over soon.
  const savepoint = openAsAsked({ watch: options.ports.fs === nodeFs, ...options });
  opened.push(savepoint);
  return savepoint;
}

afterEach(() => {
  for (const savepoint of opened.splice(0)) savepoint.close();
});
