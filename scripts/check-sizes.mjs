#!/usr/bin/env node
// @ts-check
/**
 * Checks that no source file of the packages is too long to have a single purpose.
 * Usage: node scripts/check-sizes.mjs [FOLDER]   exit status 1 if a file is; prints its length and its limit
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sources } from './layers/sources.mjs';
import { runCheck } from './run-check.mjs';

/** Maximum number of lines in a file. */
const LIMIT = 450;

/**
 * Files with their own limit. A lower limit means that the file must stay small. A higher one is technical debt: when
 * you shorten the file, lower the limit, and remove the entry once the file is within the usual limit.
 * @type {Readonly<Record<string, number>>}
 */
export const LIMITS = {
  'packages/core/src/savepoint.ts': 300,
};

/**
 * @param {string} top the project's folder
 * @param {Readonly<Record<string, number>>} limits by path
 * @returns {string[]} the problems found, a line each
 */
export function checkSizes(top, limits = LIMITS) {
  const found = sources(top).map((path) => ({ path, lines: linesIn(readFileSync(join(top, path), 'utf8')) }));
  const tooLong = found.flatMap(({ path, lines }) => {
    const limit = limits[path] ?? LIMIT;
    return lines > limit ? [`${path} has ${lines} lines and may have ${limit}: split it by subject`] : [];
  });
  const needless = Object.entries(limits).flatMap(([path, limit]) => {
    const lines = found.find((file) => file.path === path)?.lines;
    if (lines === undefined) return [`${path} has a limit of its own and does not exist`];
    return limit > LIMIT && lines < limit ? [`${path} has ${lines} lines: lower its limit of ${limit}`] : [];
  });
  return [...tooLong, ...needless];
}

/** @param {string} text */
function linesIn(text) {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

runCheck(import.meta.url, checkSizes, 'sizes: no file is too long');
