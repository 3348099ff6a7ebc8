// @ts-check
import { readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';

/** Reads the JSON report of a vitest run. */

/**
 * @typedef {'passed' | 'failed' | 'skipped'} Outcome
 * @typedef {{ readonly file: string, readonly name: string, readonly outcome: Outcome, readonly message: string }}
 * Result `file` from the project's top, with slashes; `name` includes all enclosing describes.
 */

/**
 * Returns all results of one run. A file that could not be loaded is a failed result of its own, and so is a run that
 * failed without a failing test (an error outside of tests). No failure goes uncounted.
 * @param {string} path the report; throws if it is missing or is not a report
 * @param {string} top the project's folder
 * @returns {Result[]}
 */
export function readReport(path, top) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  if (!Array.isArray(report?.testResults) || typeof report.success !== 'boolean')
    throw new Error(`${path} is not a vitest report`);
  /** @type {Result[]} */
  const results = [];
  for (const file of report.testResults) {
    const name = relative(top, file.name).split(sep).join('/');
    for (const test of file.assertionResults) {
      const outcome = test.status === 'passed' || test.status === 'failed' ? test.status : 'skipped';
      results.push({ file: name, name: test.fullName, outcome, message: (test.failureMessages ?? []).join('\n') });
    }
    if (
      file.status === 'failed' &&
      !file.assertionResults.some((/** @type {any} */ test) => test.status === 'failed')
    ) {
      results.push({ file: name, name: '(the file itself)', outcome: 'failed', message: file.message ?? '' });
    }
  }
  if (!report.success && !results.some((result) => result.outcome === 'failed')) {
    const message = 'The run failed outside of its tests: see its output.';
    results.push({
      file: relative(top, path).split(sep).join('/'),
      name: '(the run itself)',
      outcome: 'failed',
      message,
    });
  }
  return results;
}

/**
 * Normalises the ways to write the name of a nested test: `outer › inner`, `outer > inner`, `outer inner`.
 * @param {string} name
 */
export function plainName(name) {
  return name
    .replace(/\s+[›>]\s+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * Splits `path/to/file.test.ts › full test name`; null if it has another form.
 * @param {string} reference
 */
export function parseReference(reference) {
  const match = /^(\S+\.test\.ts)\s+[›>]\s+(\S.*)$/.exec(reference.trim());
  return match === null ? null : { file: match[1] ?? '', name: plainName(match[2] ?? '') };
}
