#!/usr/bin/env node
// @ts-check
/**
 * Checks the order of the layers and what each may use (docs/decisions/0001-tool-chain.md).
 * Usage: node scripts/check-layers.mjs [FOLDER]   exit status 1 if a rule is broken; prints each breach with its reason
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSource } from './layers/read-source.mjs';
import { noCycles, RULES } from './layers/rules.mjs';
import { sources } from './layers/sources.mjs';

/**
 * @param {string} top the project's folder
 * @returns {import('./layers/rules.mjs').Breach[]}
 */
export function checkLayers(top) {
  const files = sources(top).map((path) => ({ path, ...readSource(readFileSync(join(top, path), 'utf8')) }));
  return [...files.flatMap((file) => RULES.flatMap((rule) => [...rule(file)])), ...noCycles(files)];
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const top = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)));
  const breaches = checkLayers(top);
  for (const { path, line, rule, found, reason } of breaches)
    console.error(`${path}:${line}  [${rule}] ${found}\n    ${reason}`);
  if (breaches.length > 0) {
    console.error(`\nlayers: ${breaches.length} broken`);
    process.exitCode = 1;
  } else console.log('layers: all rules hold');
}
