#!/usr/bin/env node
// @ts-check
/**
 * Runs one suite from start to end. Usage: node scripts/test.mjs quick|system|daemon|watched [--coverage] [--no-summary]
 * quick: build, lint, tests, documents against the results. system: build and tests. daemon: build, and those of the quick
 * tests that run hooks, once more with a daemon that answers them. watched: build, and those of the quick tests that open
 * workspaces themselves, once more with these being watched. --coverage: of the engine.
 *
 * A failed build ends it; after any other failure the rest still runs. The results stand in reports/SUITE.json, the last
 * line is `N passed, N failed, N skipped`, and the exit status is 0 only when every step was good.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { step, TOP, tellFailures, tool } from './steps.mjs';

/** Where hooks are run as agents' settings have them. */
const WITH_HOOKS = ['packages/agents/test', 'tests/complaints/g-agents.test.ts', 'tests/faces/hook.test.ts'];

/** In which workspaces are opened to stay: by the test itself, on a real disk, and by the MCP server. */
const IN_PROCESS = [
  ...['edit', 'engine', 'rewind', 'session', 'timeline', 'verbs'].map((room) => `packages/core/test/${room}`),
  ...['tests/model', 'tests/roots', 'tests/together', 'tests/faces/mcp.test.ts', 'tests/faces/mcp-hostile.test.ts'],
];

/** @type {Readonly<Record<string, { readonly project: string, readonly files: readonly string[] }>>} */
const SUITES = {
  quick: { project: 'quick', files: [] },
  system: { project: 'system', files: [] },
  daemon: { project: 'quick', files: WITH_HOOKS },
  watched: { project: 'watched', files: IN_PROCESS },
};

const suite = process.argv[2] ?? '';
const wanted = SUITES[suite];
if (wanted === undefined) {
  console.error(`Usage: node scripts/test.mjs ${Object.keys(SUITES).join('|')}`);
  process.exit(2);
}
const coverage = process.argv.includes('--coverage');
// What was just built loads in half the time. Coverage is of the sources, and `watched` puts a module in place of one.
if (!coverage && suite !== 'watched') process.env['SAVEPOINT_TEST_BUILT'] = '1';
if (suite === 'daemon') process.env['SAVEPOINT_TEST_WITH'] = 'daemon';
if (suite === 'watched') process.env['SAVEPOINT_TEST_WITH'] = 'watcher';

const report = join('reports', `${suite}.json`);
mkdirSync(join(TOP, 'reports'), { recursive: true });
// An old report must not speak for a run that died.
rmSync(join(TOP, report), { force: true });

if (step('build', [tool('typescript', 'tsc'), '-b']) && step('command', ['scripts/bundle.mjs'])) {
  if (suite === 'quick') step('lint', ['scripts/lint.mjs']);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  step(`tests: ${suite}`, [
    tool('vitest', 'vitest'),
    ...['run', '--project', wanted.project, ...wanted.files, ...reporters],
    ...(coverage ? ['--coverage'] : []),
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
