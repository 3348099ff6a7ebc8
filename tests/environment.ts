import { devNull } from 'node:os';

/**
 * Runs before each test file: tests, and the processes that they start, see the same environment on every machine.
 * What is set here may be set otherwise by a test for its own children.
 */
for (const name of Object.keys(process.env)) {
  // SAVEPOINT_SEED, SAVEPOINT_LONG and SAVEPOINT_TEST_WITH are for the tests themselves.
  if (/^(GIT_|SAVEPOINT_(?!SEED$|LONG$|TEST_WITH$)|XDG_|LC_|LANGUAGE$)/.test(name)) delete process.env[name];
}
// Read at every start of node: 100 ms of each child process, for certificates that no test needs.
delete process.env['NODE_EXTRA_CA_CERTS'];

// Chance is for those who look for faults. CI plays the same games each time: it judges the change, not the day.
if (process.env['CI'] !== undefined) process.env['SAVEPOINT_SEED'] ??= '20261121';

Object.assign(process.env, {
  // Hooks are processes of their own, which end with the test, unless the daemon is what is looked at.
  SAVEPOINT_DAEMON: 'off',
  // Folders are watched where that is what is looked at.
  ...(process.env['SAVEPOINT_TEST_WITH'] === undefined ? { SAVEPOINT_WATCH: 'off' } : {}),
  TZ: 'UTC',
  LANG: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: devNull,
  // A name that must never be found in a store: nothing of Savepoint depends on git's identity.
  GIT_AUTHOR_NAME: 'Nobody of the Tests',
  GIT_AUTHOR_EMAIL: 'nobody@test.invalid',
  GIT_COMMITTER_NAME: 'Nobody of the Tests',
  GIT_COMMITTER_EMAIL: 'nobody@test.invalid',
});
