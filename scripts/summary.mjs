#!/usr/bin/env node
// @ts-check
/**
 * Adds up the results of test runs.
 * Usage: node scripts/summary.mjs [--skips FILE] REPORT…
 *
 * The last line is `N passed, N failed, N skipped`. The exit status is 1 if a test failed, a report is missing, or no
 * test passed. It is also 1 if a test was skipped that tests/skips.json does not list with a reason.
 *
 * With `CI` set, a test that fails gets a second attempt. What then passes counts as passed and is listed as flaky with
 * its first failure: it is a bug of the test or of what it tests. More than a few of them fail the run.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseReference, plainName, readReport } from './reports/read-report.mjs';

const MOST_FLAKY = 3;

/**
 * @typedef {import('./reports/read-report.mjs').Result} Result
 * @typedef {{ readonly test: string, readonly reason: string, readonly where: string }} Skip
 *   `test` is `path/to/file.test.ts › full test name`, or `path/to/file.test.ts › *` for the whole file;
 *   `where` is the machines on which it is skipped.
 */

/**
 * @param {string} path
 * @returns {Skip[]} empty if the file does not exist
 */
export function readSkips(path) {
  if (!existsSync(path)) return [];
  const skips = JSON.parse(readFileSync(path, 'utf8'));
  if (!Array.isArray(skips)) throw new Error(`${path}: a list is wanted`);
  for (const skip of skips) {
    for (const field of ['test', 'reason', 'where']) {
      if (typeof skip?.[field] !== 'string' || skip[field].trim() === '')
        throw new Error(`${path}: an entry without ${field}`);
    }
    if (parseReference(skip.test) === null)
      throw new Error(`${path}: "${skip.test}" does not read \`file.test.ts › test name\``);
  }
  return skips;
}

/**
 * @param {readonly Result[]} results
 * @param {readonly Skip[]} skips
 * @returns {{ passed: number, failed: number, skipped: number, flaky: Result[], problems: string[] }}
 */
export function summarise(results, skips) {
  const count = (/** @type {Result['outcome']} */ outcome) =>
    results.filter((result) => result.outcome === outcome).length;
  const problems = results
    .filter((result) => result.outcome === 'failed')
    .map((result) => `failed: ${result.file} › ${result.name}`);
  for (const result of results) {
    if (result.outcome === 'skipped' && !skips.some((skip) => covers(skip, result))) {
      problems.push(`skipped without an entry in tests/skips.json: ${result.file} › ${result.name}`);
    }
  }
  for (const skip of skips) {
    const file = parseReference(skip.test)?.file;
    const ran = results.filter((result) => result.file === file);
    if (ran.length > 0 && !ran.some((result) => covers(skip, result)))
      problems.push(`tests/skips.json names a test that is gone: ${skip.test}`);
  }
  const flaky = results.filter((result) => result.outcome === 'passed' && result.message !== '');
  if (flaky.length > MOST_FLAKY) problems.push(`${flaky.length} tests are flaky: at most ${MOST_FLAKY} may be`);
  const passed = count('passed');
  if (passed === 0) problems.push('no test passed');
  return { passed, failed: count('failed'), skipped: count('skipped'), flaky, problems };
}

/** @param {string} message */
function firstLine(message) {
  return message.split('\n', 1)[0];
}

/** @param {Skip} skip @param {Result} result */
function covers(skip, result) {
  const reference = parseReference(skip.test);
  return reference?.file === result.file && (reference.name === '*' || reference.name === plainName(result.name));
}

/** @param {readonly string[]} args */
function main(args) {
  const top = fileURLToPath(new URL('..', import.meta.url));
  const at = args.indexOf('--skips');
  const skipsPath = resolve(at < 0 ? `${top}/tests/skips.json` : (args[at + 1] ?? ''));
  const reports = at < 0 ? args : args.filter((_, index) => index !== at && index !== at + 1);
  /** @type {Result[]} */
  const results = [];
  /** @type {string[]} */
  const problems = [];
  for (const path of reports) {
    try {
      results.push(...readReport(resolve(path), top));
    } catch (error) {
      problems.push(`no report, so the run died or never began: ${path} (${/** @type {Error} */ (error).message})`);
    }
  }
  /** @type {Skip[]} */
  let skips = [];
  try {
    skips = readSkips(skipsPath);
  } catch (error) {
    problems.push(/** @type {Error} */ (error).message);
  }
  const summary = summarise(results, skips);
  for (const { file, name, message } of summary.flaky) console.log(`flaky: ${file} › ${name}: ${firstLine(message)}`);
  for (const problem of [...problems, ...summary.problems]) console.log(problem);
  console.log(`${summary.passed} passed, ${summary.failed} failed, ${summary.skipped} skipped`);
  if (problems.length + summary.problems.length > 0) process.exitCode = 1;
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  main(process.argv.slice(2));
