/** Keeps how the checks of a state went, with its checkpoint. */

import type { Check, CheckResult } from '../../check/check.ts';
import type { ComparedCheck } from '../../check/compare.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { addCheckSummary } from '../calls/check-summaries.ts';
import { testResultCalls } from '../calls/test-results.ts';
import type { Engine } from '../engine.ts';

/** The result of a state is `pass` only if all of its tests ran and passed. */
export async function keepTestResult(
  engine: Engine,
  checkpoint: Checkpoint,
  found: readonly Check[],
  results: ReadonlyMap<Check, CheckResult>,
): Promise<void> {
  const tests = found.filter(({ kind, onRequest }) => kind === 'tests' && !onRequest);
  const outcomes = tests.map((check) => results.get(check)?.outcome ?? null);
  const isFailed = outcomes.includes('failed');
  if (!isFailed && (tests.length === 0 || !outcomes.every((outcome) => outcome === 'passed'))) return;
  await testResultCalls(engine).setTestResult(checkpoint.id, isFailed ? 'fail' : 'pass');
}

/** So that turns and checkpoints can be listed with how their checks went. */
export async function keepSummary(
  engine: Engine,
  { number }: Checkpoint,
  base: Checkpoint | null,
  checks: readonly ComparedCheck[],
): Promise<void> {
  if (checks.length === 0) return;
  await addCheckSummary(engine, number, {
    base: base?.number ?? null,
    checks: checks.map((one) => ({
      name: one.name,
      outcome: one.outcome,
      comparison: one.comparison,
      new: one.new.length,
    })),
  });
}
