#!/usr/bin/env node
// @ts-check
/**
 * Mutation tests. Removes one point at a time: every sync, rename, lock check and validity check of the transaction and
 * the store, and every branch of the code that attributes changes or selects what to roll back. It does so in a copy of
 * the project and runs tests there: at least one must fail.
 *
 * First every test file runs unchanged and reports which points it reaches. For each point only the test files that
 * reach it run, starting with fast ones that reach many points of the same source file. mutants/harmless.json lists
 * points that may go undetected, with the reason. They are skipped unless --only selects them.
 *
 * Usage: node scripts/mutants.mjs [--only TEXT]… [--list]; TEXT is a part of `file:line what: code`. It fails if a point
 * is undetected, or if harmless.json has an entry for code that does not exist.
 */
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Judge } from './mutants/judges.mjs';
import { allPoints, withSwitches } from './mutants/points.mjs';
import { TOP } from './steps.mjs';

/** @typedef {import('./mutants/points.mjs').Point} Point */
/** @typedef {{ readonly file: string, readonly ms: number, readonly reached: ReadonlySet<number> }} TestFile */

const COPIED = ['packages', 'tests', 'docs', 'vitest.config.ts', 'package.json', 'tsconfig.base.json', 'tsconfig.json'];
const JUDGES = 2;
const TESTS = /^(?:packages\/core\/test|tests\/crash|tests\/model|tests\/roots)\//;
/**
 * These run the built command in their own processes, or take minutes. tests/crash/taken-out.ts is a short version of
 * the latter.
 */
const LEFT_OUT = /\/(?:back-to-message|killed-process|power-cut|failing-calls|many-files|operations)\.test\.ts$/;

/** Added to the setup of each test file. */
const SWITCH = `
import { afterAll, inject } from 'vitest';
const reached = new Set<number>();
const takenOut = inject('takenOut' as never);
Object.assign(globalThis, { isOut: (id: number) => reached.add(id) && id === takenOut });
afterAll(({}, suite) => Object.assign(suite.file.meta, { reached: [...reached] }));
`;

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true }, list: { type: 'boolean' } } });
/** @type {Readonly<Record<string, string>>} by `file: line of code` */
const harmless = JSON.parse(readFileSync(new URL('mutants/harmless.json', import.meta.url), 'utf8'));
const all = allPoints();
const points = all.filter((point) => values.only?.some((text) => nameOf(point).includes(text)) ?? true);

/** Entries whose line of code was changed or removed. */
const stale = Object.keys(harmless).filter((key) => !all.some((point) => keyOf(point) === key));

if (values.list) {
  for (const point of points) console.log(nameOf(point));
} else {
  process.exitCode = await run();
}
for (const key of stale) console.log(`\nmutants/harmless.json has an entry for code that does not exist: ${key}`);
if (stale.length > 0) process.exitCode = 1;

/** @returns {Promise<number>} the exit status */
async function run() {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-mutants-'));
  const judges = Array.from({ length: JUDGES }, () => new Judge(folder));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // A removed point may cause an endless loop, and no other process would end it.
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      for (const judge of judges) judge.stop();
      process.exit(1);
    });
  }
  try {
    copyTo(folder);
    await Promise.all(judges.map((judge) => judge.start()));
    /** @type {string[]} */
    const broken = [];
    const files = await record(judges, broken);
    for (const failure of broken) console.log(`FAILS with nothing taken out, and is left out: ${failure}`);
    const status = await takeOut(judges, files);
    return broken.length === 0 ? status : 1;
  } finally {
    for (const judge of judges) judge.stop();
  }
}

/** @param {string} folder */
function copyTo(folder) {
  const filter = (/** @type {string} */ path) =>
    !/packages[\\/][^\\/]+[\\/](dist|bundle|node_modules|coverage)$/.test(path);
  for (const name of COPIED) cpSync(join(TOP, name), join(folder, name), { recursive: true, filter });
  symlinkSync(join(TOP, 'node_modules'), join(folder, 'node_modules'), 'junction');
  for (const file of new Set(all.map((point) => point.file))) {
    const inFile = all.filter((point) => point.file === file);
    writeFileSync(join(folder, file), withSwitches(readFileSync(join(TOP, file), 'utf8'), inFile));
  }
  cpSync(join(folder, 'tests/crash/taken-out.ts'), join(folder, 'tests/crash/taken-out.test.ts'));
  appendFileSync(join(folder, 'tests/environment.ts'), SWITCH);
}

/**
 * @param {readonly Judge[]} judges
 * @param {string[]} broken receives the failures of the unchanged code
 * @returns {Promise<readonly TestFile[]>} which points each file reaches in the unchanged code
 */
async function record(judges, broken) {
  /** @type {TestFile[]} */
  const files = [];
  const names = judges[0]?.files.filter((name) => TESTS.test(name) && !LEFT_OUT.test(name)) ?? [];
  await shared(judges, names, async (judge, file) => {
    const { failure, ms, reached } = await judge.ask({ out: -1, file }, 5 * 60_000);
    // A file that fails unchanged proves nothing about a removed point, and must not stop the other files.
    if (failure !== null) return void broken.push(failure);
    console.log(`${(ms / 1000).toFixed(1)} s, ${reached.length} points: ${file}`);
    files.push({ file, ms, reached: new Set(reached) });
  });
  return files;
}

/**
 * @param {readonly Judge[]} judges
 * @param {readonly TestFile[]} files
 * @returns {Promise<number>} the exit status
 */
async function takeOut(judges, files) {
  /**
   * Number of points of a source file that a test file reached. A test file with the source file's name counts as
   * reaching some. @type {Map<string, number>}
   */
  const saw = new Map();
  const mirrors = (/** @type {string} */ source, /** @type {string} */ file) =>
    basename(file) === basename(source).replace('.ts', '.test.ts');
  /** @type {string[]} */
  const unseen = [];
  /** @type {(point: Point, judge: Judge) => Promise<string | null>} */
  const failure = async ({ id, file: source }, judge) => {
    const cost = (/** @type {TestFile} */ { file, ms }) =>
      ms / (1 + 4 * (saw.get(`${source} ${file}`) ?? (mirrors(source, file) ? 1 : 0)));
    const reaching = files.filter(({ reached }) => reached.has(id)).sort((a, b) => cost(a) - cost(b));
    for (const { file, ms } of reaching) {
      const answer = await judge.ask({ out: id, file }, ms);
      if (answer.failure === null) continue;
      const pair = `${source} ${file}`;
      saw.set(pair, (saw.get(pair) ?? 0) + 1);
      return answer.failure;
    }
    return null;
  };
  await shared(judges, points, async (judge, point) => {
    const reason = harmless[keyOf(point)];
    if (reason !== undefined && values.only === undefined) return tell(point, `harmless: ${reason}`);
    const seen = await failure(point, judge);
    tell(point, seen ?? 'UNSEEN');
    if (seen === null) unseen.push(nameOf(point));
  });
  console.log(`\n${points.length} taken out, ${unseen.length} that no test sees and no reason excuses`);
  for (const name of unseen.sort()) console.log(`  ${name}`);
  return unseen.length === 0 ? 0 : 1;
}

/**
 * @template T
 * @param {readonly Judge[]} judges
 * @param {readonly T[]} work
 * @param {(judge: Judge, one: T) => Promise<void>} action
 */
async function shared(judges, work, action) {
  const left = work.values();
  await Promise.all(
    judges.map(async (judge) => {
      for (const one of left) await action(judge, one);
    }),
  );
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
