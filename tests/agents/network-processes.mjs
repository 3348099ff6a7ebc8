// @ts-check
/** The processes of a network namespace: those of one run, also if they left its process group. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long they may take to end on their own, in milliseconds. */
const GRACE = 3_000;

/**
 * Ends all processes in the network except this one.
 * @param {string} network as /proc names it
 * @param {number} grace how long they may take to end on their own, in milliseconds
 * @returns {Promise<readonly string[]>} the command lines of the processes that had to be ended
 */
export async function endOthersIn(network, grace = GRACE) {
  const until = performance.now() + grace;
  while (others(network).length > 0 && performance.now() < until) await sleep(50);
  const left = others(network).map(({ command }) => command);
  for (let round = 0; round < 100 && others(network).length > 0; round += 1) {
    for (const { pid } of others(network)) signalOne(pid, 'SIGKILL');
    await sleep(20);
  }
  return left;
}

/** @param {number} pid negative for a process group @param {NodeJS.Signals} name */
export function signalOne(pid, name) {
  if (pid === 0) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}

/** @param {string} pid @returns {string | null} null: it has ended, or belongs to another user */
export function networkOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return null;
  }
}

/** @param {string} network @returns {readonly { pid: number, command: string }[]} */
function others(network) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids
    .filter((pid) => networkOf(pid) === network)
    .map((pid) => ({ pid: Number(pid), command: commandLine(pid) }))
    .filter(({ command }) => command !== '');
}

/** @param {string} pid @returns {string} '' if it has ended */
function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}
