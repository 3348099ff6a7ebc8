// @ts-check
/** Starts processes that take work requests line by line, such as one that watches a workspace. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROCESS = fileURLToPath(new URL('./long-lived-process.mjs', import.meta.url));

/** The limits that `savepoint` gives its daemon, as options of node and in the environment. */
export const DAEMON_FLAGS = ['--max-semi-space-size=2', '--heap-growing-percent=25'];
export const DAEMON_ENVIRONMENT = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };

/** @typedef {Awaited<ReturnType<typeof startProcess>>} LineProcess */

/**
 * Starts a long-lived process of Savepoint, with the same options as the daemon.
 * @param {string} dir
 * @param {string} home is created
 * @param {Record<string, string>} [env]
 */
export function startLongLived(dir, home, env = {}) {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  return startProcess([...DAEMON_FLAGS, PROCESS, dir, home], { ...DAEMON_ENVIRONMENT, ...env });
}

/**
 * @param {string[]} script preceded by node's own options
 * @param {Record<string, string>} env
 */
export async function startProcess(script, env) {
  const child = spawn(process.execPath, script, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: child.stdout });
  const closed = once(answers, 'close').then(() => {
    throw new Error(`${script.join(' ')} has ended`);
  });
  closed.catch(() => {});
  let peak = 0;
  return {
    /** @param {string} work @returns {Promise<number>} milliseconds */
    async does(work) {
      const answer = once(answers, 'line');
      child.stdin.write(`${work}\n`);
      const { ms, peakMb } = JSON.parse(String((await Promise.race([answer, closed]))[0]));
      peak = peakMb;
      return ms;
    },
    /** @returns {Promise<number>} peak memory in MB */
    async end() {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
      return peak;
    },
  };
}
