#!/usr/bin/env node
// @ts-check
/** The long versions of the tests that choose by chance or from many moments: every call, many more disks and games. */
import { step, TOP, tellFailures, tool } from './steps.mjs';

process.chdir(TOP);
process.env['SAVEPOINT_LONG'] = '1';
step('long versions', [tool('vitest', 'vitest'), 'run', '--project', 'quick', 'tests/crash', 'tests/model']);
tellFailures();
