import { devNull } from 'node:os';

/**
 * Runs before each test file, so that tests and the processes that they start see the same environment on every
 * machine. A test may change these values for its own children.
 */
for (const name of Object.keys(process.env)) {
  // SAVEPOINT_SEED, SAVEPOINT_LONG and SAVEPOINT_TEST_WITH configure the tests themselves.
  if (/^(GIT_|SAVEPOINT_(?!SEED$|LONG$|TEST_WITH$)|XDG_|LC_|LANGUAGE$)/.test(name)) delete process.env[name];
}
// Node reads it at every start: 100 ms per child process, for certificates that no test needs.
delete process.env['NODE_EXTRA_CA_CERTS'];

// Random seeds are for finding bugs. CI uses a fixed seed, so that its result depends only on the change.
if (process.env['CI'] !== undefined) process.env['SAVEPOINT_SEED'] ??= '20261121';

Object.assign(process.env, {
  // Hooks run in their own processes, which end with the test, unless the daemon is being tested.
  SAVEPOINT_DAEMON: 'off',
  // Folders are only watched when that is being tested.
  ...(process.env['SAVEPOINT_TEST_WITH'] === undefined ? { SAVEPOINT_WATCH: 'off' } : {}),
  TZ: 'UTC',
  LANG: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: devNull,
  // A name that must never be found in a store: Savepoint never uses git's identity.
  GIT_AUTHOR_NAME: 'Nobody of the Tests',
  GIT_AUTHOR_EMAIL: 'nobody@test.invalid',
  GIT_COMMITTER_NAME: 'Nobody of the Tests',
  GIT_COMMITTER_EMAIL: 'nobody@test.invalid',
});
