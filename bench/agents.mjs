// @ts-check
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { runHook } from '@savepoint/agents/hook';
import { open } from '@savepoint/core';
import { nodePorts } from '@savepoint/core/node';
import { median, showMs, timed, timedAsync } from './measure.mjs';

/**
 * Measures the cost of a hook without its process start, compared with one stat of every file. Also measures rolling
 * back an agent's ten files, compared with plain writes.
 */

const FILES = 10;
const LINES = 200;

/**
 * @param {{ base: string, runs: number, repository: string, others: number }} options `repository` has `others` files
 * @returns {Promise<string>} two tables
 */
export async function measureAgents({ base, runs, repository, others }) {
  const hooks = await measureHooks(base, runs, repository);
  const count = others.toLocaleString('en');
  const alone = await measureRollback(join(base, 'ten'), join(base, 'home-ten'), runs);
  const among = await measureRollback(repository, join(base, 'home-among'), runs);
  const against = (/** @type {number[]} */ ours, /** @type {number[]} */ theirs) =>
    `${(median(ours) / median(theirs)).toFixed(2)} ×`;
  return [
    `${runs} runs, median, with the range in brackets; milliseconds.`,
    '',
    `| a hook's work on ${count} files | hook | readdir and lstat of every file | ratio |`,
    '|---|---|---|---|',
    `| before a call, nothing changed | ${showMs(hooks.before)} | ${showMs(hooks.bare)} | ${against(hooks.before, hooks.bare)} |`,
    `| after a call that wrote one file | ${showMs(hooks.after)} | ${showMs(hooks.bare)} | ${against(hooks.after, hooks.bare)} |`,
    '',
    `| rollback of ${FILES} files | rollback | plain writes | ratio |`,
    '|---|---|---|---|',
    `| alone | ${showMs(alone.back)} | ${showMs(alone.plain)} | ${against(alone.back, alone.plain)} |`,
    `| ${count} other files | ${showMs(among.back)} | ${showMs(among.plain)} | ${against(among.back, among.plain)} |`,
    '',
  ].join('\n');
}

/**
 * @param {string} base
 * @param {number} runs
 * @param {string} dir
 */
async function measureHooks(base, runs, dir) {
  const env = { HOME: base, PATH: process.env['PATH'], SAVEPOINT_HOME: join(base, 'home-hooks') };
  const tell = async (/** @type {object} */ event) => {
    const input = Readable.from([Buffer.from(JSON.stringify({ session_id: 's', cwd: dir, ...event }))]);
    const reply = await runHook({ args: ['claude'], env, input, script: '/savepoint', sinceStart: () => 0 });
    if (reply.exit !== 0 || reply.stderr !== '') throw new Error(`the hook failed: ${reply.stderr}`);
  };
  // The first checkpoint of this many files exceeds a hook's budget.
  await library(dir, env.SAVEPOINT_HOME).checkpoint();
  await tell({ hook_event_name: 'SessionStart', source: 'startup' });
  // A scan always reads files again that are less than two seconds old.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await tell({ hook_event_name: 'UserPromptSubmit', prompt: 'x' });
  /** @type {Record<'before' | 'after' | 'bare', number[]>} */
  const times = { before: [], after: [], bare: [] };
  const file = join(dir, 'of-the-agent.txt');
  for (let run = 0; run < runs; run++) {
    const call = { tool_name: 'Write', tool_input: { file_path: file, content: '' }, tool_use_id: `t${run}` };
    times.bare.push(timed(() => look(dir)));
    times.before.push(await timedAsync(() => tell({ hook_event_name: 'PreToolUse', ...call })));
    writeFileSync(file, `${run}\n`);
    times.after.push(await timedAsync(() => tell({ hook_event_name: 'PostToolUse', tool_response: {}, ...call })));
  }
  return times;
}

/** @param {string} folder */
function look(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === '.git') continue;
    const path = join(folder, entry.name);
    lstatSync(path, { bigint: true });
    if (entry.isDirectory()) look(path);
  }
}

/**
 * @param {string} dir
 * @param {string} home
 * @param {number} runs
 */
async function measureRollback(dir, home, runs) {
  mkdirSync(join(dir, 'rolled'), { recursive: true });
  const contents = (/** @type {string} */ by) =>
    Array.from({ length: FILES }, (_, file) =>
      Array.from({ length: LINES }, (_, line) => `${by} ${file} ${line}\n`).join(''),
    );
  const write = (/** @type {readonly string[]} */ texts) => {
    for (const [file, text] of texts.entries()) writeFileSync(join(dir, 'rolled', `${file}.txt`), text);
  };
  write(contents('a person'));
  const savepoint = library(dir, home);
  await savepoint.checkpoint();
  /** @type {Record<'back' | 'plain', number[]>} */
  const times = { back: [], plain: [] };
  for (let run = 0; run < runs; run++) {
    const session = savepoint.session({ agent: 'one', id: `s${run}` });
    await session.call({ tool: 'Bash', kind: 'shell' }, () => write(contents(`the agent, ${run}`)));
    times.plain.push(timed(() => write(contents('a person'))));
    write(contents(`the agent, ${run}`));
    times.back.push(await timedAsync(() => savepoint.rollback({ session: `s${run}` })));
  }
  return times;
}

/**
 * @param {string} dir
 * @param {string} home
 */
function library(dir, home) {
  /** @typedef {import('@savepoint/core').DiskPath} DiskPath */
  return open({
    dir: /** @type {DiskPath} */ (dir),
    ports: nodePorts(),
    places: { home: /** @type {DiskPath} */ (home), userHome: null, globalIgnore: null },
  });
}
