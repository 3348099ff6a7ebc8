#!/usr/bin/env node
// @ts-check
/**
 * Checks the documents.
 * Usage: node scripts/check-docs.mjs [--top FOLDER] [--not-run FOLDER]… [REPORT…]
 *
 * Every row of docs/features.md and docs/complaints.md must exist and be well formed. Links between files must resolve.
 * CONTRIBUTING.md must describe each folder of tests/. If JSON reports of test runs are given, every test that a row
 * names must have passed in them. Tests below a folder given with --not-run are exempt (tests/system/ if only the quick
 * tests ran).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { brokenLinks } from './docs/links.mjs';
import { checkTable, TABLES } from './docs/rows.mjs';
import { unlistedTestFolders } from './docs/test-folders.mjs';
import { readReport } from './reports/read-report.mjs';

/**
 * @param {string} top
 * @param {readonly string[]} reports empty if there was no run
 * @param {readonly string[]} notRun
 * @returns {string[]} the problems found
 */
export function checkDocs(top, reports, notRun) {
  const exists = (/** @type {string} */ file) => existsSync(join(top, file));
  /** @type {string[]} */
  const problems = [];
  const results = reports.flatMap((path) => {
    try {
      return readReport(resolve(path), top);
    } catch (error) {
      problems.push(`no report: ${path} (${/** @type {Error} */ (error).message})`);
      return [];
    }
  });
  const run = { results: reports.length === 0 ? null : results, notRun };
  for (const [path, wanted] of Object.entries(TABLES)) {
    if (exists(path)) problems.push(...checkTable(path, readFileSync(join(top, path), 'utf8'), wanted, run, exists));
    else problems.push(`${path} is missing`);
  }
  for (const path of documents(top)) problems.push(...brokenLinks(path, readFileSync(join(top, path), 'utf8'), exists));
  const contributing = 'CONTRIBUTING.md';
  if (exists(contributing))
    problems.push(...unlistedTestFolders(readFileSync(join(top, contributing), 'utf8'), testFolders(top)));
  return problems;
}

/** @param {string} top */
function testFolders(top) {
  const tests = join(top, 'tests');
  if (!existsSync(tests)) return [];
  const entries = readdirSync(tests, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

/**
 * Returns the markdown files at the top, at the top of each package, and everywhere below docs/. @param {string} top
 */
function documents(top) {
  const packages = join(top, 'packages');
  const folders = ['', ...(existsSync(packages) ? readdirSync(packages).map((name) => `packages/${name}`) : [])];
  const own = folders.flatMap((folder) => readdirSync(join(top, folder)).map((name) => posix.join(folder, name)));
  const docs = existsSync(join(top, 'docs'))
    ? readdirSync(join(top, 'docs'), { recursive: true, encoding: 'utf8' })
    : [];
  const all = [...own, ...docs.map((name) => `docs/${name.split(sep).join('/')}`)];
  return all.filter((path) => path.endsWith('.md')).sort();
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { top: { type: 'string' }, 'not-run': { type: 'string', multiple: true } },
  });
  const top = resolve(values.top ?? fileURLToPath(new URL('..', import.meta.url)));
  const problems = checkDocs(top, positionals, values['not-run'] ?? []);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) {
    console.error(`\ndocs: ${problems.length} wrong`);
    process.exitCode = 1;
  } else console.log('docs: every row is there, and what it claims holds');
}
