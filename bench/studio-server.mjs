// @ts-check
/** Runs `savepoint studio` for the measurements. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

export const CHROMIUM = process.env['SAVEPOINT_TEST_CHROMIUM'] ?? '/usr/bin/chromium';

/** @typedef {{ readonly dir: string, readonly home: string }} Place */

/**
 * @param {Place} place @param {string} command
 * @returns {Promise<{ address: string, child: import('node:child_process').ChildProcess, stop: () => Promise<void> }>}
 * `address`: lets one browser in
 */
export async function startStudio({ dir, home }, command) {
  const child = spawn(process.execPath, [command, 'studio', '--no-open', '--json'], {
    cwd: dir,
    env: { PATH: process.env['PATH'], HOME: home, SAVEPOINT_HOME: home, SAVEPOINT_DAEMON: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await once(child.stdout, 'data');
  return {
    address: JSON.parse(String(printed)).open,
    child,
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/** The memory of a process, in MiB; NaN except on Linux. @param {number | undefined} pid */
export function memoryOf(pid) {
  if (process.platform !== 'linux') return Number.NaN;
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1024);
}
