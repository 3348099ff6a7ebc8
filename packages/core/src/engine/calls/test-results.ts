/** Test results of checkpoints, which may become known after the checkpoint was taken. */

import type { CallOptions } from '../../model/call-options.ts';
import type { Checkpoint, TestResult } from '../../model/checkpoint.ts';
import { readTestResults, type TestResults, writeTestResults } from '../../store/state/test-results.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { asSavepointError } from '../../transaction/outcome.ts';
import type { Engine } from '../engine.ts';

export interface TestResultCalls {
  /**
   * Sets the test result of a checkpoint, in place of the one that was known when it was taken.
   * @param result null: only the one that was known then
   * @returns the checkpoint with its result
   */
  setTestResult(name: string, result: TestResult | null, options?: CallOptions): Promise<Checkpoint>;
}

export function testResultCalls(engine: Engine): TestResultCalls {
  return {
    setTestResult: (name, result, options = {}) =>
      engine.write(options, 'existing', async ({ workspace, lock }) => {
        const { ports, store, timeline } = workspace;
        const checkpoint = engine.resolve(workspace, name);
        const existing = new Set(timeline.list().map(({ number }) => number));
        const kept = [...readTestResults(ports, store.layout)].filter(
          ([number]) => existing.has(number) && number !== checkpoint.number,
        );
        const results = new Map(result === null ? kept : [...kept, [checkpoint.number, result] as const]);
        lock.assertHeld();
        writeTestResults(ports, store.layout, results);
        return withResult(checkpoint, results);
      }),
  };
}

/**
 * Returns a function that adds the results that were set later. If they cannot be read, warns, and the checkpoints keep
 * their recorded results.
 */
export function laterResults(engine: Engine, { ports, store }: Workspace): (checkpoint: Checkpoint) => Checkpoint {
  let results: TestResults = new Map();
  try {
    results = readTestResults(ports, store.layout);
  } catch (error) {
    engine.events.emit('warning', { message: asSavepointError(error).message });
  }
  return (checkpoint) => withResult(checkpoint, results);
}

function withResult(checkpoint: Checkpoint, results: TestResults): Checkpoint {
  const result = results.get(checkpoint.number);
  return result === undefined ? checkpoint : { ...checkpoint, testResult: result };
}
