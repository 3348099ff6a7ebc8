// @ts-check
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @template T
 * @param {() => T} work
 * @returns {number} milliseconds
 */
export function timed(work) {
  const started = performance.now();
  work();
  return performance.now() - started;
}

/**
 * @param {() => Promise<unknown>} work
 * @returns {Promise<number>} milliseconds
 */
export async function timedAsync(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** @param {readonly number[]} numbers */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? /** @type {number} */ (sorted[middle])
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/**
 * Formats the median, with the range in brackets.
 * @param {readonly number[] | undefined} numbers milliseconds
 */
export function showMs(numbers) {
  if (numbers === undefined || numbers.length === 0) return '';
  const round = (/** @type {number} */ ms) => (ms < 10 ? ms.toFixed(1) : String(Math.round(ms)));
  const spread = numbers.length === 1 ? '' : ` (${round(Math.min(...numbers))}–${round(Math.max(...numbers))})`;
  return `${round(median(numbers))}${spread}`;
}

/** Flushes dirty pages to disk, on platforms with a command for it. */
export function flushDisk() {
  if (process.platform !== 'win32') spawnSync('sync');
}

/**
 * Runs a whole command. Returns its time and its peak memory (if GNU time is installed).
 * @param {readonly string[]} command
 * @param {string} cwd
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {{ ms: number, peakMb: number | null }}
 */
export function wholeCommand(command, cwd, env) {
  const timer = existsSync('/usr/bin/time') ? ['/usr/bin/time', '-f', 'peak %M'] : [];
  const [program = '', ...args] = [...timer, ...command];
  const started = performance.now();
  const done = spawnSync(program, args, { cwd, env: { ...process.env, ...env }, encoding: 'utf8', maxBuffer: 1 << 28 });
  const ms = performance.now() - started;
  if (done.status !== 0)
    throw new Error(`${command.join(' ')}: ${done.status ?? done.signal}\n${done.stdout}\n${done.stderr}`);
  const peak = /peak (\d+)/.exec(done.stderr);
  return { ms, peakMb: peak === null ? null : Number(peak[1]) / 1024 };
}

/**
 * Returns the disk usage of a folder in bytes, counted in blocks like `du`.
 * @param {string} folder
 * @returns {number}
 */
export function bytesOnDisk(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    bytes += lstatSync(path).blocks * 512;
    if (entry.isDirectory()) bytes += bytesOnDisk(path);
  }
  return bytes;
}
