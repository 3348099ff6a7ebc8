#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
// @ts-check
/**
 * Runs one suite from start to end. Usage: node scripts/test.mjs quick|system [--coverage] [--no-summary]
 * quick: build, lint, tests, documents against the results. system: build and tests. --coverage: of the engine.

 * A failed build ends it; after any other failure the rest still runs. The results stand in reports/SUITE.json, the last
 * line is `N passed, N failed, N skipped`, and the exit status is 0 only when every step was good.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { step, TOP, tellFailures, tool } from './steps.mjs';

const suite = process.argv[2];
if (suite !== 'quick' && suite !== 'system') {
  console.error('Usage: node scripts/test.mjs quick|system');
  process.exit(2);
}

const report = join('reports', `${suite}.json`);
mkdirSync(join(TOP, 'reports'), { recursive: true });
// An old report must not speak for a run that died.
rmSync(join(TOP, report), { force: true });

if (step('build', [tool('typescript', 'tsc'), '-b']) && step('command', ['scripts/bundle.mjs'])) {
  if (suite === 'quick') step('lint', ['scripts/lint.mjs']);
  const vitest = ['run', '--project', suite, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  step(`tests: ${suite}`, [
    tool('vitest', 'vitest'),
    ...vitest,
    ...(process.argv.includes('--coverage') ? ['--coverage'] : []),
  ]);
  if (suite === 'quick')
    step('documents against the results', ['scripts/check-docs.mjs', '--not-run', 'tests/system/', report]);
}
tellFailures();
// Without it where a caller adds up several suites itself.
if (!process.argv.includes('--no-summary')) {
  const summary = spawnSync(process.execPath, ['scripts/summary.mjs', report], { cwd: TOP, stdio: 'inherit' });
  if (summary.status !== 0) process.exitCode = 1;
}
