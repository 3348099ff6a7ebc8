#!/usr/bin/env node
// @ts-check
/**
 * Takes out every sync, rename, look at the lock and check of the door and the store, one at a time, in a copy of the
 * project, and runs the tests there: one of them must fail. First the sweeps of tests/crash, all in one process; for
 * what they do not see, the tests of the store and the verbs. What may go unseen stands in mutants/harmless.json with
 * its reason. Usage: node scripts/mutants.mjs [--only TEXT]… [--skip-sweeps] [--list]; TEXT is a part of `file:line what: code`.
 */
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { allPoints, withSwitches } from './mutants/points.mjs';
import { TOP, tool } from './steps.mjs';

/** @typedef {import('./mutants/points.mjs').Point} Point */

const COPIED = ['packages', 'tests', 'vitest.config.ts', 'package.json', 'tsconfig.base.json', 'tsconfig.json'];
const PROCESSES = 2;
/** A change that makes the code run for ever is seen as well. */
const LONGEST_MS = 5 * 60_000;
const SWEEPS = 'tests/crash/taken-out.test.ts';
/** What looks at what the sweeps do not see, or cannot: how what is damaged or hostile is read. */
const OTHERS = [
  {
    code: '/transaction/',
    tests: [
      'tests/crash/pending.test.ts',
      'tests/crash/interference.test.ts',
      'packages/core/test/facade',
      'tests/model',
    ],
  },
  { code: '/store/', tests: ['packages/core/test/store', 'packages/core/test/facade'] },
  { code: '/io/', tests: ['packages/core/test/io', 'packages/core/test/store'] },
];

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, list: { type: 'boolean' }, 'skip-sweeps': { type: 'boolean' } },
});
/** @type {Readonly<Record<string, string>>} by `file: line of code` */
const harmless = JSON.parse(readFileSync(new URL('mutants/harmless.json', import.meta.url), 'utf8'));
const all = allPoints();
const points = all.filter((point) => values.only?.some((text) => nameOf(point).includes(text)) ?? true);

if (values.list) {
  for (const point of points) console.log(nameOf(point));
} else {
  process.exitCode = await run();
}

/** @returns {Promise<number>} the exit status */
async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-mutants-'));
  /** @type {string[]} */
  const unseen = [];
  try {
    const copy = copyTo(folder);
    const forSweeps = points.filter(({ what }) => what !== 'check' && values['skip-sweeps'] !== true);
    const unswept = await inEach(forSweeps, (share, number) => swept(copy, share, number));
    const left = [...unswept, ...points.filter((point) => !forSweeps.includes(point))];
    await inEach(left, async (share) => {
      for (const point of share) {
        const failed = await failure(copy, point);
        if (failed !== null) tell(point, failed);
        else if (harmless[keyOf(point)] !== undefined) tell(point, `harmless: ${harmless[keyOf(point)]}`);
        else {
          tell(point, 'UNSEEN');
          unseen.push(nameOf(point));
        }
      }
      return [];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`\n${points.length} taken out, ${unseen.length} that no test sees and no reason excuses`);
  for (const name of unseen.sort()) console.log(`  ${name}`);
  return unseen.length === 0 ? 0 : 1;
}

/**
 * @param {readonly Point[]} points
 * @param {(share: readonly Point[], number: number) => Promise<readonly Point[]>} work
 */
async function inEach(points, work) {
  const shares = Array.from({ length: PROCESSES }, (_, number) => points.filter((_, at) => at % PROCESSES === number));
  return (await Promise.all(shares.map(work))).flat();
}

/**
 * @param {string} folder
 * @returns {string} the folder
 */
function copyTo(folder) {
  const filter = (/** @type {string} */ path) => !/[\\/](dist|bundle|node_modules|coverage)$/.test(path);
  for (const name of COPIED) cpSync(join(TOP, name), join(folder, name), { recursive: true, filter });
  symlinkSync(join(TOP, 'node_modules'), join(folder, 'node_modules'), 'junction');
  for (const file of new Set(all.map((point) => point.file))) {
    const inFile = all.filter((point) => point.file === file);
    writeFileSync(join(folder, file), withSwitches(readFileSync(join(TOP, file), 'utf8'), inFile));
  }
  cpSync(join(folder, 'tests/crash/taken-out.ts'), join(folder, SWEEPS));
  appendFileSync(
    join(folder, 'tests/environment.ts'),
    "\nObject.assign(globalThis, { takenOut: Number(process.env['TAKEN_OUT'] ?? -1) });\n",
  );
  return folder;
}

/**
 * Sweeps them all in one process. One that never ends is seen, and the rest go on in another process.
 * @param {string} copy
 * @param {readonly Point[]} share
 * @param {number} number
 * @returns {Promise<readonly Point[]>} those that no sweep sees
 */
async function swept(copy, share, number) {
  const result = join(copy, `sweeps-${number}`);
  writeFileSync(result, '');
  for (let waiting = share; ; ) {
    const ids = waiting.map(({ id }) => id).join(' ');
    await vitest(copy, [SWEEPS], { SWEEP_IDS: ids, SWEEP_RESULT: result }, result);
    const told = new Set(readLines(result).map(([id]) => id));
    waiting = waiting.filter(({ id }) => !told.has(id));
    const [hung] = waiting;
    if (hung === undefined) break;
    appendFileSync(result, `${JSON.stringify([hung.id, 'it came to no end'])}\n`);
    waiting = waiting.slice(1);
    if (waiting.length === 0) break;
  }
  const seen = new Map(readLines(result));
  for (const point of share) {
    const by = seen.get(point.id);
    if (typeof by === 'string') tell(point, by);
  }
  return share.filter(({ id }) => typeof seen.get(id) !== 'string');
}

/**
 * @param {string} file
 * @returns {[number, string | null][]}
 */
function readLines(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/**
 * @param {string} copy
 * @param {Point} point
 * @returns {Promise<string | null>} the test that failed
 */
async function failure(copy, { id, file }) {
  const tests = OTHERS.find(({ code }) => file.includes(code))?.tests ?? [];
  const { code, output } = await vitest(copy, ['--bail', '1', ...tests], { TAKEN_OUT: `${id}` }, null);
  return code === 0 ? null : (/FAIL {2}(.*)/.exec(output)?.[1]?.trim() ?? 'the tests came to no end');
}

/**
 * @param {string} copy
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} env
 * @param {string | null} progress a file that grows as long as there is progress
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function vitest(copy, args, env, progress) {
  const child = spawn(
    process.execPath,
    [tool('vitest', 'vitest'), 'run', '--project', 'quick', '--maxWorkers', '1', ...args],
    {
      cwd: copy,
      env: { ...process.env, SAVEPOINT_SEED: '1', NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  );
  let output = '';
  const take = (/** @type {Buffer} */ chunk) => {
    output += chunk.toString('latin1');
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const started = Date.now();
  const timer = setInterval(() => {
    const since = progress === null ? started : Math.max(started, statSync(progress).mtimeMs);
    // The group: vitest's workers outlive it otherwise.
    if (Date.now() - since > LONGEST_MS && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, 1_000);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(timer);
      resolve({ code, output });
    });
  });
}

/**
 * @param {Point} point
 * @param {string} what
 */
function tell(point, what) {
  console.log(`${nameOf(point)}\n    ${what.split('\n', 1)[0]?.slice(0, 160)}`);
}

/** @param {Point} point */
function nameOf({ file, line, what, text }) {
  return `${file}:${line} ${what}: ${text}`;
}

/** @param {Point} point */
function keyOf({ file, text }) {
  return `${file}: ${text}`;
}
