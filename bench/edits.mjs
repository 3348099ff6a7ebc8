// @ts-check
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { open } from '@savepoint/core';
import { nodePorts } from '@savepoint/core/node';
import { flushDisk, median, showMs, timedAsync } from './measure.mjs';
import { chance, source } from './repository.mjs';
import { RIVAL } from './rival.mjs';

/**
 * Edits of many files in one call, compared with writing the same bytes file by file. All contenders take turns on the
 * same files and change one line of each, so each starts from the result of the previous one. Before each measurement a
 * checkpoint is taken and the disk is flushed, so that no contender pays for another's work. Afterwards the files are
 * checked.
 */

const BYTES = 10 * 1024;
const PER_FOLDER = 20;
const COUNTS = [10, 100];
const COMMAND = fileURLToPath(new URL('../packages/cli/bundle/savepoint.js', import.meta.url));

const LIBRARY = 'library';
const SERVER = '`multi_edit_files`';
const BARE = 'fsync and rename';
const EACH = '`edit_file` for each';

/** @type {readonly (readonly [string, string])[]} */
const RATIOS = [
  [LIBRARY, BARE],
  [SERVER, BARE],
  [SERVER, EACH],
];

/**
 * @typedef {object} File
 * @property {string} path in its folder
 * @property {string} content after the edit
 * @property {string} old text in the current content
 * @property {string} new text that replaces `old` in `content`
 */

/** @typedef {(files: readonly File[]) => unknown} Contender */

/**
 * @param {{ base: string, runs: number, repository: string, others: number }} options `base` receives all new files;
 * `repository` has `others` files, and some are added
 * @returns {Promise<string>} a table
 */
export async function measureEdits({ base, runs, repository, others }) {
  /** @type {string[]} */
  const lines = [];
  for (const count of COUNTS) {
    const times = await race(join(base, `only-${count}`), join(base, `home-only-${count}`), count, runs);
    lines.push(row(`${count} files`, times));
  }
  for (const count of COUNTS) {
    const times = await race(repository, join(base, 'home-edits'), count, runs);
    lines.push(row(`${count} files, ${others.toLocaleString('en')} other files`, times));
  }
  const heads = ['', LIBRARY, SERVER, BARE, EACH, ...RATIOS.map(([ours, other]) => `${ours} / ${other}`)];
  return [
    `${BYTES / 1024} KiB in each file, ${RIVAL.name} ${RIVAL.version}. ${runs} runs, median, with the range in brackets; milliseconds. Each ratio is the middle of those of the runs.`,
    '',
    `| ${heads.join(' | ')} |`,
    `|${heads.map(() => '---').join('|')}|`,
    ...lines,
    '',
  ].join('\n');
}

/**
 * @param {string} what
 * @param {Readonly<Record<string, number[]>>} times milliseconds by contender, one for each run
 */
function row(what, times) {
  const of = (/** @type {string} */ name) => times[name] ?? [];
  const ratios = RATIOS.map(([ours, other]) => {
    const each = of(ours).map((ms, run) => ms / (of(other)[run] ?? Number.NaN));
    return `${median(each).toFixed(2)} × (${Math.min(...each).toFixed(2)}–${Math.max(...each).toFixed(2)})`;
  });
  return `| ${[what, ...[LIBRARY, SERVER, BARE, EACH].map((name) => showMs(of(name))), ...ratios].join(' | ')} |`;
}

/**
 * @param {string} folder workspace of all contenders; created if it is missing
 * @param {string} home for the checkpoints
 * @param {number} count of files
 * @param {number} runs
 * @returns {Promise<Record<string, number[]>>} milliseconds by contender, one for each run
 */
async function race(folder, home, count, runs) {
  let round = 0;
  for (const { path, content } of filesAt(count, round)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const savepoint = library(folder, home);
  const ours = await connected([COMMAND, 'mcp', '--root', folder], { SAVEPOINT_HOME: home });
  const other = await connected([RIVAL.script, folder], {});
  /** @type {[string, Contender][]} */
  const contenders = [
    [LIBRARY, (files) => savepoint.edit(files.map(asRequest))],
    [SERVER, (files) => call(ours, 'multi_edit_files', { files: files.map(asArgument) })],
    [BARE, (files) => bare(folder, files)],
    [EACH, (files) => each(other, folder, files)],
  ];
  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(contenders.map(([name]) => [name, []]));
  try {
    // The first run is a warm-up.
    for (let run = -1; run < runs; run++) {
      for (const [name, contender] of contenders) {
        const files = filesAt(count, ++round);
        await savepoint.checkpoint();
        flushDisk();
        const ms = await timedAsync(async () => contender(files));
        check(name, folder, files);
        if (run >= 0) times[name]?.push(ms);
      }
      // Rotate, so that the order changes.
      contenders.push(...contenders.splice(0, 1));
    }
  } finally {
    await Promise.all([ours.close(), other.close()]);
  }
  return times;
}

/**
 * @param {number} count
 * @param {number} round number of edits already made
 * @returns {File[]}
 */
function filesAt(count, round) {
  return Array.from({ length: count }, (_, index) => {
    const line = (/** @type {number} */ at) => `// file ${index}, round ${String(at).padStart(6, '0')}\n`;
    const text = source(chance(index), BYTES);
    const middle = text.indexOf('\n', BYTES / 2) + 1;
    const content = `${text.slice(0, middle)}${line(round)}${text.slice(middle)}`.slice(0, BYTES);
    const path = `edits-${count}/p${Math.floor(index / PER_FOLDER)}/file-${index}.ts`;
    return { path, content, old: line(round - 1), new: line(round) };
  });
}

/**
 * @param {string} name
 * @param {string} folder
 * @param {readonly File[]} files
 */
function check(name, folder, files) {
  for (const { path, content } of files) {
    if (readFileSync(join(folder, path), 'utf8') !== content)
      throw new Error(`${name}: ${path} is not what it should be`);
  }
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

/**
 * @param {File} file
 * @returns {import('@savepoint/core').FileRequest}
 */
function asRequest({ path, old, new: to }) {
  return {
    given: path,
    path: /** @type {import('@savepoint/core').TreePath} */ (path),
    edits: [{ op: 'replace', old, new: to, replaceAll: false, tolerant: false }],
    expectedHash: null,
    force: false,
  };
}

/** @param {File} file */
function asArgument({ path, old, new: to }) {
  return { file_path: path, edits: [{ old_string: old, new_string: to }] };
}

/**
 * Writes each file whole from memory. Each is written to a temporary file next to it and synced, then renamed, and its
 * folder is synced, before the next file starts.
 * @param {string} folder
 * @param {readonly File[]} files
 */
function bare(folder, files) {
  for (const { path, content } of files) {
    const to = join(folder, path);
    const temporary = openSync(`${to}.tmp`, 'wx');
    writeSync(temporary, content);
    fsyncSync(temporary);
    closeSync(temporary);
    renameSync(`${to}.tmp`, to);
    const parent = openSync(dirname(to), 'r');
    fsyncSync(parent);
    closeSync(parent);
  }
}

/**
 * @param {Client} client
 * @param {string} folder
 * @param {readonly File[]} files
 */
async function each(client, folder, files) {
  for (const { path, old, new: to } of files) {
    await call(client, 'edit_file', { path: join(folder, path), edits: [{ oldText: old, newText: to }] });
  }
}

/**
 * @param {readonly string[]} script with its arguments
 * @param {Readonly<Record<string, string>>} env
 */
async function connected(script, env) {
  const client = new Client({ name: 'bench', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...script],
    env: { ...inherited(), ...env },
    stderr: 'ignore',
  });
  await client.connect(transport);
  await client.listTools();
  return client;
}

function inherited() {
  /** @type {Record<string, string>} */
  const env = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value;
  return env;
}

/**
 * @param {Client} client
 * @param {string} name
 * @param {Record<string, unknown>} args
 */
async function call(client, name, args) {
  const { isError, content } = await client.callTool({ name, arguments: args });
  if (isError === true) throw new Error(`${name}: ${JSON.stringify(content)}`);
}
