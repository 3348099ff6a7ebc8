/**
 * Test results that were set after their checkpoint was taken: `test-results.json` in the store (docs/format.md). The
 * checkpoint itself is never rewritten.
 */

import { showName } from '../../content/show-name.ts';
import { durableWrite, readEntireFile } from '../../io/durable-write.ts';
import { isFsError } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import type { TestResult } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import { type CheckpointId, checkpointId, checkpointNumber } from '../../model/ids.ts';
import { diskChild, nameToJson } from '../../model/names.ts';
import type { StoreLayout } from '../layout.ts';

interface TestResultsJson {
  readonly format: 1;
  readonly results: Readonly<Record<CheckpointId, TestResult>>;
}

/** By checkpoint number. */
export type TestResults = ReadonlyMap<number, TestResult>;

const MAX_BYTES = 16 * 1024 * 1024;

/** @throws SavepointError STORE_DAMAGED */
export function readTestResults({ fs }: Pick<Ports, 'fs'>, layout: StoreLayout): TestResults {
  const file = diskChild(layout.path, 'test-results.json');
  try {
    const json = JSON.parse(readEntireFile(fs, file, MAX_BYTES).toString()) as Partial<TestResultsJson> | null;
    const rows = Object.entries(json?.results as object) as [CheckpointId, TestResult][];
    const isValid = rows.every(([id, result]) => /^cp_[1-9]\d{0,8}$/.test(id) && ['pass', 'fail'].includes(result));
    if (json?.format !== 1 || !isValid) throw new TypeError('not a list of test results');
    return new Map(rows.map(([id, result]) => [checkpointNumber(id), result]));
  } catch (cause) {
    if (isFsError(cause, 'ENOENT')) return new Map();
    if (isFsError(cause)) throw cause;
    throw new SavepointError(
      'STORE_DAMAGED',
      `${showName(file)} cannot be read, so test results that were set later are unknown.`,
      { file: nameToJson(file) },
      { cause, hint: 'Delete the file, and set the results again.' },
    );
  }
}

/** Durable on return. The caller holds the store's lock. */
export function writeTestResults({ fs }: Pick<Ports, 'fs'>, layout: StoreLayout, results: TestResults): void {
  const rows = [...results].sort(([a], [b]) => a - b).map(([number, result]) => [checkpointId(number), result]);
  const json = { format: 1, results: Object.fromEntries(rows) } satisfies TestResultsJson;
  const file = diskChild(layout.path, 'test-results.json');
  durableWrite(fs, file, Buffer.from(`${JSON.stringify(json, null, 2)}\n`), 0o600);
}
