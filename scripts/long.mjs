#!/usr/bin/env node
// @ts-check
/**
 * Runs the long versions of the randomised and exhaustive tests: every call, many more disks and games, and a daemon with
 * many events.
 */
import { step, TOP, tellFailures, tool } from './steps.mjs';

process.chdir(TOP);
process.env['SAVEPOINT_LONG'] = '1';
step('long versions', [
  tool('vitest', 'vitest'),
  'run',
  '--project',
  'quick',
  'tests/crash',
  'tests/model',
  'tests/daemon',
]);
tellFailures();
