// @ts-check
/** The most memory that commands take on a large repository, and that a long-lived process takes in an hour of edits. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DAEMON_ENVIRONMENT, DAEMON_FLAGS } from './long-lived.mjs';
import { wholeCommand } from './measure.mjs';
import { git, makeRepository, trackedFiles } from './repository.mjs';
import { copyOfClone } from './speed/subject.mjs';

const HOUR = fileURLToPath(new URL('./hour-process.mjs', import.meta.url));
const MANY = 1_000;
/** A scan always reads files again that are less than two seconds old. */
const STABLE_AFTER_MS = 2_500;

/**
 * @param {{ base: string, command: string, clone: string | undefined, files: number, edits: number }} options
 * @returns {Promise<string>} two tables in Markdown
 */
export async function measureMemory({ base, command, clone, files, edits }) {
  const dir = join(base, 'memory');
  const home = join(base, 'memory-home');
  mkdirSync(home, { mode: 0o700 });
  if (clone === undefined) makeRepository(dir, files);
  else copyOfClone(clone, dir);
  const tracked = trackedFiles(dir).length.toLocaleString('en');
  const commands = await inCommands({ dir, home, command });
  git(dir, 'checkout', '--quiet', '.');
  // A store of its own, whose first checkpoint is not part of the hour.
  const hourHome = join(base, 'memory-hour-home');
  mkdirSync(hourHome, { mode: 0o700 });
  wholeCommand([process.execPath, command, 'checkpoint'], dir, { SAVEPOINT_HOME: hourHome, SAVEPOINT_DAEMON: 'off' });
  const hour = await inAnHour(dir, hourHome, edits);
  return [
    `${tracked} files; the most memory of one run each, in MB.`,
    '',
    '| whole command | MB |',
    '|---|---|',
    ...commands.map(([what, mb]) => `| ${what} | ${mb} |`),
    '',
    `| edits, ${edits.toLocaleString('en')} of them in a long-lived process | in use | heap | buffers | the most so far |`,
    '|---|---|---|---|---|',
    ...hour.map(
      (at) => `| ${at.edit.toLocaleString('en')} | ${at.rssMb} | ${at.heapMb} | ${at.buffersMb} | ${at.peakMb} |`,
    ),
    '',
  ].join('\n');
}

/**
 * @param {{ dir: string, home: string, command: string }} place
 * @returns {Promise<readonly (readonly [string, number | string])[]>}
 */
async function inCommands({ dir, home, command }) {
  const files = trackedFiles(dir);
  const edit = (/** @type {number} */ count) => {
    const step = Math.max(1, Math.floor(files.length / count));
    for (let nth = 0; nth < count; nth++) appendFileSync(join(dir, files[nth * step] ?? ''), '// another line\n');
  };
  /** @type {(readonly [string, number | string])[]} */
  const rows = [];
  const run = async (/** @type {string} */ what, /** @type {string[]} */ ...args) => {
    const env = { SAVEPOINT_HOME: home, SAVEPOINT_DAEMON: 'off' };
    const { peakMb } = wholeCommand([process.execPath, command, ...args], dir, env);
    rows.push([what, peakMb === null ? 'not measured' : Math.round((peakMb * 2 ** 20) / 1e6)]);
    await sleep(STABLE_AFTER_MS);
  };
  await run('first checkpoint', 'checkpoint');
  await run('checkpoint, nothing changed', 'checkpoint');
  edit(1);
  await run('checkpoint, one edited file', 'checkpoint');
  edit(MANY);
  await run(`checkpoint, ${MANY.toLocaleString('en')} edited files`, 'checkpoint');
  edit(1);
  await run('restore of one file', 'restore', 'last', '--yes');
  edit(MANY);
  await run(`restore of ${MANY.toLocaleString('en')} files`, 'restore', 'last', '--yes');
  edit(files.length);
  await run(`restore of ${files.length.toLocaleString('en')} files`, 'restore', 'last', '--yes');
  for (const what of ['status', 'list', 'history']) await run(what, what);
  await run('diff', 'diff', 'cp_2', 'cp_3');
  return rows;
}

/**
 * @typedef {object} Moment
 * @property {number} edit
 * @property {number} rssMb
 * @property {number} heapMb
 * @property {number} buffersMb
 * @property {number} peakMb
 */

/**
 * @param {string} dir
 * @param {string} home
 * @param {number} edits
 * @returns {Promise<readonly Moment[]>}
 */
async function inAnHour(dir, home, edits) {
  const child = spawn(process.execPath, [...DAEMON_FLAGS, HOUR, dir, home, String(edits)], {
    env: { ...process.env, ...DAEMON_ENVIRONMENT },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  /** @type {Moment[]} */
  const moments = [];
  const ended = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) moments.push(JSON.parse(line));
  const [status] = await ended;
  if (status !== 0) throw new Error(`hour-process.mjs: ${status}`);
  return moments;
}
