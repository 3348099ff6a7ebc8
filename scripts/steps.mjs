// @ts-check
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Runs the tools of the tool chain one after the other. It works the same on every platform: with node, without a
 * shell.
 */

export const TOP = fileURLToPath(new URL('..', import.meta.url));

/**
 * Returns the script of an installed package's command.
 * @param {string} name package
 * @param {string} bin command
 */
export function tool(name, bin) {
  const folder = join(TOP, 'node_modules', name);
  const found = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).bin;
  return join(folder, typeof found === 'string' ? found : found[bin]);
}

/** The steps that have failed so far. @type {string[]} */
const failures = [];

/**
 * Runs a script and prints its result. After a failure this process exits with status 1.
 * @param {string} what
 * @param {readonly string[]} args script and arguments
 * @param {string} [node] the Node that runs it
 * @returns {boolean} whether it succeeded
 */
export function step(what, args, node = process.execPath) {
  console.log(`\n── ${what}`);
  const started = performance.now();
  const { status, signal, error } = spawnSync(node, args, { cwd: TOP, stdio: 'inherit' });
  const good = status === 0;
  const how = good ? 'good' : `FAILED (${error?.message ?? signal ?? `status ${status}`})`;
  console.log(`── ${what}: ${how}, ${((performance.now() - started) / 1000).toFixed(1)} s`);
  if (!good) {
    failures.push(what);
    process.exitCode = 1;
  }
  return good;
}

/** Prints one line with the steps that failed, if any. */
export function tellFailures() {
  if (failures.length > 0) console.log(`\nFAILED: ${failures.join(', ')}`);
}
