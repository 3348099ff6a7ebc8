#!/usr/bin/env node
// @ts-check
/**
 * Takes out every sync, rename, look at the lock and check of the door and the store, one at a time, in a copy of the
 * project, and runs the tests there: one of them must fail. What may go unseen stands in mutants/harmless.json with its
 * reason. Usage: node scripts/mutants.mjs [--only TEXT] [--list]; TEXT is a part of `file:line` or of the line.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { allPoints } from './mutants/points.mjs';
import { TOP, tool } from './steps.mjs';

/** @typedef {import('./mutants/points.mjs').Point} Point */

const COPIED = ['packages', 'tests', 'vitest.config.ts', 'package.json', 'tsconfig.base.json', 'tsconfig.json'];
const COPIES = 2;
/** A change that never ends is seen as well. */
const LONGEST_MS = 10 * 60_000;

const CUT = 'tests/crash/power-cut.test.ts';
const FAILING = 'tests/crash/failing-calls.test.ts';
/** Which tests look at which code, the quickest to notice first. */
const TESTS = [
  { code: '/transaction/', tests: [[CUT], [FAILING], ['packages/core/test/verbs', 'tests/model']] },
  { code: '/store/', tests: [['packages/core/test/store'], [CUT, FAILING], ['packages/core/test/verbs']] },
  { code: '/io/', tests: [['packages/core/test/io'], [CUT, FAILING, 'packages/core/test/store']] },
];

const { values } = parseArgs({ options: { only: { type: 'string' }, list: { type: 'boolean' } } });
/** @type {Readonly<Record<string, string>>} by `file: line of code` */
const harmless = JSON.parse(readFileSync(new URL('mutants/harmless.json', import.meta.url), 'utf8'));
const points = allPoints().filter((point) => values.only === undefined || nameOf(point).includes(values.only));

if (values.list) {
  for (const point of points) console.log(nameOf(point));
} else {
  process.exitCode = await run();
}

/** @returns {Promise<number>} the exit status */
async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-mutants-'));
  const waiting = [...points];
  /** @type {string[]} */
  const unseen = [];
  try {
    await Promise.all(
      Array.from({ length: COPIES }, async (_, number) => {
        const copy = copyTo(join(folder, String(number)));
        for (let point = waiting.shift(); point !== undefined; point = waiting.shift()) {
          const reason = harmless[keyOf(point)];
          const by = await seenBy(copy, point);
          const told = by ?? (reason === undefined ? 'UNSEEN' : `harmless: ${reason}`);
          console.log(`${nameOf(point)}\n    ${told}`);
          if (by === null && reason === undefined) unseen.push(nameOf(point));
        }
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`\n${points.length} taken out, ${unseen.length} that no test sees and no reason excuses`);
  for (const name of unseen) console.log(`  ${name}`);
  return unseen.length === 0 ? 0 : 1;
}

/**
 * @param {string} folder
 * @returns {string} the folder
 */
function copyTo(folder) {
  const filter = (/** @type {string} */ path) => !/[\\/](dist|bundle|node_modules|coverage)$/.test(path);
  for (const name of COPIED) cpSync(join(TOP, name), join(folder, name), { recursive: true, filter });
  symlinkSync(join(TOP, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return folder;
}

/**
 * @param {string} copy
 * @param {Point} point
 * @returns {Promise<string | null>} the test that failed
 */
async function seenBy(copy, point) {
  const path = join(copy, point.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, source.slice(0, point.from) + point.instead + source.slice(point.to));
  try {
    const { tests } = TESTS.find(({ code }) => point.file.includes(code)) ?? { tests: [] };
    for (const files of tests) {
      const failed = await failure(copy, files);
      if (failed !== null) return failed;
    }
    return null;
  } finally {
    writeFileSync(path, source);
  }
}

/**
 * @param {string} copy
 * @param {readonly string[]} files
 * @returns {Promise<string | null>}
 */
function failure(copy, files) {
  const args = [tool('vitest', 'vitest'), 'run', '--project', 'quick', '--bail', '1', '--maxWorkers', '1', ...files];
  const env = { ...process.env, SAVEPOINT_SEED: '1', NO_COLOR: '1' };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: copy, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const take = (/** @type {Buffer} */ chunk) => {
      output += chunk.toString('latin1');
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      if (code === 0) resolve(null);
      else resolve(/FAIL {2}(.*)/.exec(output)?.[1]?.trim() ?? 'the tests came to no end');
    });
  });
}

/** @param {Point} point */
function nameOf({ file, line, what, text }) {
  return `${file}:${line} ${what}: ${text}`;
}

/** @param {Point} point */
function keyOf({ file, text }) {
  return `${file}: ${text}`;
}
