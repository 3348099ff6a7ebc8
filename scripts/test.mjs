#!/usr/bin/env node
// @ts-check
/**
 * Runs one suite from start to end.
 * Usage: node scripts/test.mjs quick|system|daemon|watched|node20|node22|node24|node26 [--whole] [--coverage] [--no-summary]
 *   quick       build, lint, tests, check the documents against the results
 *   system      build and tests
 *   daemon      build, and the quick tests that run hooks, or commands that ask a daemon, with a daemon that answers them
 *   watched     build, and the quick tests that open workspaces in their own process, with the workspaces watched
 *   nodeNN      build, and the quick tests that depend on Node, with small amounts, on the pinned version (tests/nodes/);
 *               if it cannot be installed, the suite is skipped: it says so, writes no report, and succeeds
 *   --whole     with `daemon`: all quick tests but those of the daemon itself, which start their own
 *   --coverage  measure coverage of the engine
 *
 * A failed build ends the run; any other failure does not. The results are in reports/SUITE.json, and the last line is
 * `N passed, N failed, N skipped`. The exit status is 0 only if every step succeeded.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installNode, PINNED_NODES } from './pinned-node.mjs';
import { step, TOP, tellFailures, tool } from './steps.mjs';

/** Tests that run hooks with the command line from agents' settings. */
const WITH_HOOKS = [
  'packages/agents/test',
  'tests/complaints/g-agents.test.ts',
  ...['hook', 'left-behind'].map((name) => `tests/frontends/${name}.test.ts`),
];

/** Tests of what commands show and change, through daemons that know the workspace. */
const WITH_COMMANDS = [
  ...['complaints/a-loss', 'hostile/bad-input', 'hostile/names'],
  ...[
    'damaged-store',
    'exit-status',
    'history',
    'looking-back',
    'named-checkpoints',
    'rollback',
    'turns',
    'workspaces',
  ].map((name) => `frontends/${name}`),
].map((name) => `tests/${name}.test.ts`);

/** Tests with long-lived open workspaces: opened by the test itself on a real disk, or by the MCP server. */
const IN_PROCESS = [
  ...['edit', 'engine', 'rewind', 'session', 'timeline', 'verbs'].map((folder) => `packages/core/test/${folder}`),
  ...[
    'tests/model',
    'tests/roots',
    'tests/together',
    'tests/frontends/mcp.test.ts',
    'tests/frontends/mcp-hostile.test.ts',
  ],
];

/**
 * Tests of what Node itself does for us: files, processes, streams, compiled code, sockets, the terminal. Without crash
 * sweeps and random games: they test our own logic, and take most of the time.
 */
const WITH_NODE = [
  ...['io', 'sandbox', 'store/lock', 'store/objects', 'store/records', 'store/refs', 'store/state'].map(
    (name) => `packages/core/test/${name}`,
  ),
  ...['budget', 'every-agent', 'hook-command', 'settings'].map((name) => `packages/agents/test/${name}.test.ts`),
  ...['cli', 'e2b', 'mcp', 'native', 's3', 'studio'].map((name) => `packages/${name}/test`),
  ...['daemon/life.test.ts', 'frontends', 'remote'].map((name) => `tests/${name}`),
];

/** @type {Readonly<Record<string, { readonly project: string, readonly files: readonly string[] }>>} */
const SUITES = {
  quick: { project: 'quick', files: [] },
  system: { project: 'system', files: [] },
  daemon: { project: 'quick', files: [...WITH_HOOKS, ...WITH_COMMANDS] },
  watched: { project: 'watched', files: IN_PROCESS },
  ...Object.fromEntries(PINNED_NODES.map((name) => [name, { project: 'quick', files: WITH_NODE }])),
};

const suite = process.argv[2] ?? '';
const wanted = SUITES[suite];
if (wanted === undefined) {
  console.error(`Usage: node scripts/test.mjs ${Object.keys(SUITES).join('|')}`);
  process.exit(2);
}
const isWhole = suite === 'daemon' && process.argv.includes('--whole');
const files = isWhole ? [] : wanted.files;
const coverage = process.argv.includes('--coverage');
// The build output loads in half the time. Coverage needs the sources, and `watched` replaces a source module.
if (!coverage && suite !== 'watched') process.env['SAVEPOINT_TEST_BUILT'] = '1';
if (suite === 'daemon') process.env['SAVEPOINT_TEST_WITH'] = 'daemon';
if (suite === 'watched') process.env['SAVEPOINT_TEST_WITH'] = 'watcher';

const report = join('reports', `${suite}.json`);
mkdirSync(join(TOP, 'reports'), { recursive: true });
// A run that dies must not leave an old report as its result.
rmSync(join(TOP, report), { force: true });

// What passes then is listed as flaky by the summary.
const attempts = process.env['CI'] === undefined ? [] : ['--retry=1'];
const node = PINNED_NODES.includes(suite) ? usePinnedNode(suite) : process.execPath;
if (step('build', [tool('typescript', 'tsc'), '-b']) && step('command', ['scripts/bundle.mjs'])) {
  if (suite === 'quick') step('lint', ['scripts/lint.mjs']);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  step(
    `tests: ${suite}`,
    [
      tool('vitest', 'vitest'),
      ...['run', '--project', wanted.project, ...files, ...reporters],
      ...(coverage ? ['--coverage'] : []),
      ...attempts,
    ],
    node,
  );
  if (suite === 'quick')
    step('documents against the results', ['scripts/check-docs.mjs', '--not-run', 'tests/system/', report]);
}
tellFailures();
// A caller that runs several suites prints one summary itself.
if (!process.argv.includes('--no-summary')) {
  const summary = spawnSync(process.execPath, ['scripts/summary.mjs', report], { cwd: TOP, stdio: 'inherit' });
  if (summary.status !== 0) process.exitCode = 1;
}

/**
 * Makes a pinned Node the one that tests find in PATH as well. Ends this process if it cannot be installed.
 * @param {string} name
 * @returns {string} the program
 */
function usePinnedNode(name) {
  let folder;
  try {
    folder = installNode(name);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    // A package that is not the pinned one, or a damaged lock file, is not a reason to skip.
    const isWrong = /\b(EINTEGRITY|EUSAGE|EJSONPARSE)\b/.test(message);
    console.log(`\n── ${isWrong ? 'FAILED' : 'SKIPPED'}: suite ${name}. No test ran on it. ${message}`);
    process.exit(isWrong ? 1 : 0);
  }
  process.env['PATH'] = `${folder}${delimiter}${process.env['PATH']}`;
  // Small amounts, of the same cases on every machine.
  delete process.env['CI'];
  process.env['SAVEPOINT_SEED'] ??= '20261121';
  return join(folder, 'node');
}
