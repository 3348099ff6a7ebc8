#!/usr/bin/env node
// @ts-check
/**
 * Checks that every source file of the packages shows its exports before their helpers: a function that is not exported
 * must come after the last exported function or class.
 * Usage: node scripts/check-shape.mjs [FOLDER]   exit status 1 if a file breaks this; prints the functions to move
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sources } from './layers/sources.mjs';

const EXPORTED = /^export (?:default )?(?:async |abstract )*(?:function\*?|class) (\w+)/;
const PART = /^(?:async )?function\*? (\w+)/;

/**
 * @param {string} top the project's folder
 * @returns {string[]} the problems found, a line each
 */
export function checkShape(top) {
  return sources(top).flatMap((path) => {
    const lines = readFileSync(join(top, path), 'utf8').split('\n');
    const last = lines.findLastIndex((line) => EXPORTED.test(line));
    const early = [...new Set(lines.slice(0, Math.max(last, 0)).flatMap((line) => PART.exec(line)?.[1] ?? []))];
    const exported = EXPORTED.exec(lines[last] ?? '')?.[1];
    return early.length === 0 ? [] : [`${path}: move ${early.join(', ')} below ${exported}`];
  });
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const wrong = checkShape(resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))));
  for (const line of wrong) console.error(line);
  if (wrong.length > 0) process.exitCode = 1;
  else console.log('shape: every file shows first what it exports');
}
