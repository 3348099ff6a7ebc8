// @ts-check
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Runs the tools of the tool chain one after the other, the same way on every platform: with node, without a shell. */

export const TOP = fileURLToPath(new URL('..', import.meta.url));

/**
 * The script behind the command of an installed package.
 * @param {string} name package
 * @param {string} bin command
 */
export function tool(name, bin) {
  const folder = join(TOP, 'node_modules', name);
  const found = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).bin;
  return join(folder, typeof found === 'string' ? found : found[bin]);
}

/** What has failed so far. @type {string[]} */
const failures = [];

/**
 * Runs a script and says how it went; a failure makes this process end with status 1.
 * @param {string} what
 * @param {readonly string[]} args script and arguments
 * @returns {boolean} whether it was good
 */
export function step(what, args) {
  console.log(`\n── ${what}`);
  const started = performance.now();
  const { status, signal, error } = spawnSync(process.execPath, args, { cwd: TOP, stdio: 'inherit' });
  const good = status === 0;
  const how = good ? 'good' : `FAILED (${error?.message ?? signal ?? `status ${status}`})`;
  console.log(`── ${what}: ${how}, ${((performance.now() - started) / 1000).toFixed(1)} s`);
  if (!good) {
    failures.push(what);
    process.exitCode = 1;
  }
  return good;
}

/** One line that names the steps which failed; nothing when none did. */
export function tellFailures() {
  if (failures.length > 0) console.log(`\nFAILED: ${failures.join(', ')}`);
}
