#!/usr/bin/env node
// @ts-check
/**
 * Checks that every source file of the packages shows its exports before their helpers: a function that is not exported
 * must come after the last exported function or class.
 * Usage: node scripts/check-shape.mjs [FOLDER]   exit status 1 if a file breaks this; prints the functions to move
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sources } from './layers/sources.mjs';
import { runCheck } from './run-check.mjs';

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

runCheck(import.meta.url, checkShape, 'shape: every file shows first what it exports');
