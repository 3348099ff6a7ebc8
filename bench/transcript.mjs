// @ts-check
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './measure.mjs';

/**
 * What hooks take to follow a transcript that has become long: each event reads on from where the last one stopped, up to
 * a limit. A generated transcript of Claude Code, and real ones, repeated to the same length.
 */

const PROCESS = fileURLToPath(new URL('./transcript-process.mjs', import.meta.url));
const MB = 1_000_000;
const RESULT_BYTES = 4_000;

/**
 * @param {{ base: string, megabytes: number, real: readonly string[] }} setting `real`: `AGENT=FILE`
 * @returns {Promise<string>} a table
 */
export async function measureTranscript({ base, megabytes, real }) {
  const rows = [rowOf('claude, generated', 'claude', generated(join(base, 'generated.jsonl'), megabytes * MB))];
  for (const [index, given] of real.entries()) {
    const [agent = '', ...rest] = given.split('=');
    const file = repeated(rest.join('='), join(base, `real-${index}.jsonl`), megabytes * MB);
    rows.push(rowOf(`${agent}, real, repeated`, agent, file));
  }
  return [
    '| a transcript | MB | messages | events until all of it is read | an event of these | an event after one more line | memory |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** @param {string} what @param {string} agent @param {string} file */
function rowOf(what, agent, file) {
  const size = statSync(file).size;
  const done = spawnSync(process.execPath, [PROCESS, agent, file], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${what}: ${done.stderr}`);
  const { events, later, memory, messages, skipped } = JSON.parse(done.stdout);
  if (skipped !== 0) throw new Error(`${what}: ${skipped} lines are damaged`);
  const [most, middle, one] = [Math.max(...events), median(events), median(later)].map((ms) => ms.toFixed(1));
  const sizes = `${Math.round(size / MB)} | ${messages}`;
  return `| ${what} | ${sizes} | ${events.length} | ${middle} ms, at most ${most} ms | ${one} ms | ${Math.round(memory / MB)} MB |`;
}

/** Prompts, answers and results of calls. @param {string} path @param {number} bytes */
function generated(path, bytes) {
  const file = openSync(path, 'w');
  let written = 0;
  let number = 0;
  /** @param {object} row @param {string} id @param {string | null} parentUuid */
  const add = (row, id, parentUuid) => {
    const whole = { ...row, uuid: id, parentUuid, sessionId: 's', version: '2.1.329', cwd: '/project' };
    written += writeSync(file, `${JSON.stringify(whole)}\n`);
  };
  /** @type {string | null} */
  let leaf = null;
  while (written < bytes) {
    number += 1;
    const [prompt, call, result] = [`p-${number}`, `a-${number}`, `r-${number}`];
    add({ type: 'user', message: { role: 'user', content: `Change function ${number}.` } }, prompt, leaf);
    const input = { file_path: `/project/src/${number}.ts`, old_string: 'a', new_string: 'b'.repeat(200) };
    const content = [
      { type: 'text', text: `Now function ${number}.` },
      { type: 'tool_use', id: `c-${number}`, name: 'Edit', input },
    ];
    const usage = { input_tokens: 7, cache_read_input_tokens: 90_000, output_tokens: 80 };
    add({ type: 'assistant', message: { id: call, role: 'assistant', model: 'opus', content, usage } }, call, prompt);
    const text = `line of a result, as tools print it\n`.repeat(RESULT_BYTES / 36);
    const answer = [{ type: 'tool_result', tool_use_id: `c-${number}`, content: text }];
    add({ type: 'user', message: { role: 'user', content: answer } }, result, call);
    leaf = result;
  }
  closeSync(file);
  return path;
}

/** @param {string} from @param {string} path @param {number} bytes */
function repeated(from, path, bytes) {
  const content = readFileSync(from);
  const file = openSync(path, 'w');
  for (let written = 0; written < bytes; ) written += writeSync(file, content);
  closeSync(file);
  return path;
}
