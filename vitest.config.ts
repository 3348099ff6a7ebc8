import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { builtPackages } from './tests/built-packages.ts';
import { LongFirst } from './tests/long-first.ts';

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Whether tests load dist/ as well: `npm test` builds first, and it loads in half the time. */
const BUILT = process.env['SAVEPOINT_TEST_BUILT'] === '1';

const WITH_DAEMON = process.env['SAVEPOINT_TEST_WITH'] === 'daemon';

// Tests read the sources of the packages; processes that they start run dist/.
const alias = [
  { find: /^@savepoint\/core$/, replacement: source('packages/core/src/index.ts') },
  { find: /^@savepoint\/core\/node$/, replacement: source('packages/core/src/node.ts') },
  { find: /^@savepoint\/core\/tools$/, replacement: source('packages/core/src/tools/index.ts') },
  { find: /^@savepoint\/core\/frontend$/, replacement: source('packages/core/src/frontend.ts') },
  { find: /^@savepoint\/core\/text$/, replacement: source('packages/core/src/text.ts') },
  { find: /^@savepoint\/core\/ports$/, replacement: source('packages/core/src/ports.ts') },
  { find: /^@savepoint\/agents$/, replacement: source('packages/agents/src/index.ts') },
  { find: /^@savepoint\/agents\/hook$/, replacement: source('packages/agents/src/hook/index.ts') },
  { find: /^@savepoint\/ai-sdk$/, replacement: source('packages/ai-sdk/src/index.ts') },
  { find: /^@savepoint\/e2b$/, replacement: source('packages/e2b/src/index.ts') },
  { find: /^@savepoint\/s3$/, replacement: source('packages/s3/src/index.ts') },
  { find: /^@savepoint\/mcp$/, replacement: source('packages/mcp/src/index.ts') },
  { find: /^@savepoint\/studio$/, replacement: source('packages/studio/server/index.ts') },
  { find: /^@savepoint\/testkit\/command$/, replacement: source('packages/testkit/src/command/index.ts') },
  { find: /^@savepoint\/testkit\/truth$/, replacement: source('packages/testkit/src/truth/index.ts') },
  { find: /^@savepoint\/testkit$/, replacement: source('packages/testkit/src/index.ts') },
];

/** Opens every workspace as a process does that stays. */
const watchedAlias = alias.map((each, index) =>
  index === 0 ? { ...each, replacement: source('tests/watched/core.ts') } : each,
);

const setupFiles = [source('tests/environment.ts')];

const quick = {
  include: ['packages/*/test/**/*.test.ts', 'tests/**/*.test.ts'],
  // The tests of the daemon start their own.
  exclude: ['**/node_modules/**', '**/fixtures/**', 'tests/system/**', ...(WITH_DAEMON ? ['tests/daemon/**'] : [])],
  setupFiles,
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

export default defineConfig({
  plugins: BUILT ? [builtPackages()] : [],
  resolve: { alias },
  test: {
    ...(BUILT ? { server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } } } : {}),
    // By default one core would stay idle.
    maxWorkers: '100%',
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          ...quick,
        },
      },
      {
        extends: true,
        resolve: { alias: watchedAlias },
        test: {
          name: 'watched',
          ...quick,
          include: ['packages/core/test/**/*.test.ts', 'tests/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: ['tests/system/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/fixtures/**'],
          setupFiles,
          // Mounts, power cuts and kill sweeps: long, and not beside each other.
          testTimeout: 15 * 60_000,
          hookTimeout: 5 * 60_000,
          fileParallelism: false,
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['packages/core/src/**/*.ts'],
      reporter: ['text', 'json-summary'],
      reportsDirectory: 'coverage',
      thresholds: { lines: 90 },
    },
  },
});
