// @ts-check
import { execFileSync } from 'node:child_process';
import { closeSync, cpSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A realistic repository generated from a number, with a history. The same seed gives the same commits. */

/** Mean size of a file in bytes. */
const MEAN = 4_000;
const PER_FOLDER = 20;
/** One folder in this many is inside a `node_modules` that is tracked, as in the fixtures of many projects. */
const NODE_MODULES_EVERY = 50;
const MOST_COMMITS = 5_000;
const FILES_A_COMMIT = 10;
/** Files of earlier commits that each commit changes. */
const EDITS_A_COMMIT = 4;
const COMMITS_A_TAG = 100;
const FIRST_COMMIT_AT = 1_600_000_000;
const SECONDS_A_COMMIT = 3_600;
/** Shares of the history: what a clone brought, what was fetched twice since, and the newest commits, made here. */
const PACKED = 0.8;
const FETCHED = [0.15, 0.04];
/** What git fast-import reads before it continues a branch. */
const CONTINUED = 'reset refs/heads/main\nfrom refs/heads/main^0\n\n';

/**
 * @param {number} seed
 * @returns {() => number} 0 ≤ x < 1
 */
export function chance(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WORDS = 'const function return export import await value index path file tree entry name size read write'.split(
  ' ',
);
/** Most of the time to make a repository would otherwise be spent on making lines. */
const STATEMENTS = statements();

/**
 * @param {() => number} next
 * @param {number} bytes
 */
export function source(next, bytes) {
  const lines = [];
  for (let length = 0; length < bytes; ) {
    const line = lineOf(next);
    lines.push(line);
    length += line.length + 1;
  }
  return `${lines.join('\n')}\n`;
}

/** @param {number} index of a file */
export function nameOf(index) {
  const folder = Math.floor(index / PER_FOLDER);
  const inside = folder % NODE_MODULES_EVERY === NODE_MODULES_EVERY - 1 ? 'node_modules/dependency/' : '';
  return `src/m${Math.floor(folder / 50)}/p${folder % 50}/${inside}file-${index}.ts`;
}

/**
 * @param {string} folder is created
 * @param {number} files
 * @param {{ seed?: number, commits?: number }} [options]
 */
export function makeRepository(folder, files, { seed = files, commits = commitsFor(files) } = {}) {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q', '-b', 'main');
  // Otherwise git might pack on its own during a measurement.
  git(folder, 'config', 'gc.auto', '0');
  const history = commitsOf({ seed, files, commits });
  let imported = Math.ceil(commits * PACKED);
  importNext(folder, history, imported, '');
  git(folder, 'repack', '-adq');
  for (const share of FETCHED) {
    const count = Math.floor(commits * share);
    importNext(folder, history, count, CONTINUED);
    imported += count;
  }
  importNext(folder, history, commits - imported, CONTINUED, 'fastimport.unpackLimit=1000000');
  git(folder, 'pack-refs', '--all');
  git(folder, 'reset', '-q', '--hard');
}

/** Without settings of the user. */
export const GIT_ENVIRONMENT = {
  ...process.env,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: process.platform === 'win32' ? 'NUL' : '/dev/null',
  GIT_AUTHOR_NAME: 'Bench',
  GIT_AUTHOR_EMAIL: 'bench@example.invalid',
  GIT_COMMITTER_NAME: 'Bench',
  GIT_COMMITTER_EMAIL: 'bench@example.invalid',
};

/**
 * @param {string} folder
 * @param {string[]} args
 */
export function git(folder, ...args) {
  return execFileSync('git', ['-C', folder, ...args], {
    env: GIT_ENVIRONMENT,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  }).trim();
}

/**
 * Text files that a repository tracks, and that take another line at their end.
 * @param {string} folder
 * @returns {readonly string[]}
 */
export function trackedFiles(folder) {
  const listed = git(folder, 'ls-files', '-z', '--', ...TEXT_FILES);
  return listed.split('\0').filter((name) => name !== '');
}

const TEXT_FILES = ['js', 'ts', 'mjs', 'jsx', 'tsx', 'py', 'c', 'h', 'rs', 'go', 'java', 'md'].map((end) => `*.${end}`);

/**
 * @param {string} from
 * @param {string} to
 */
export function copy(from, to) {
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

/** @param {() => number} next */
function lineOf(next) {
  return `${STATEMENTS[Math.floor(next() * STATEMENTS.length)]} ${Math.floor(next() * 1e6)};`;
}

function statements() {
  const next = chance(1);
  return Array.from({ length: 1 << 14 }, () => {
    const words = Array.from({ length: 3 + Math.floor(next() * 8) }, () => WORDS[Math.floor(next() * WORDS.length)]);
    return `${' '.repeat(2 * Math.floor(next() * 4))}${words.join(' ')}`;
  });
}

/** @param {number} files */
function commitsFor(files) {
  return Math.max(1, Math.min(MOST_COMMITS, Math.floor(files / FILES_A_COMMIT)));
}

/**
 * Imports the next commits, as one pack or as loose objects.
 * @param {string} folder
 * @param {Generator<string, void>} history
 * @param {number} count
 * @param {string} start of the stream
 * @param {string} [setting] of git
 */
function importNext(folder, history, count, start, setting = 'fastimport.unpackLimit=0') {
  if (count === 0) return;
  const file = join(folder, '.git', 'commits-to-import');
  const writing = openSync(file, 'w');
  writeSync(writing, start);
  for (let made = 0; made < count; made++) writeSync(writing, history.next().value ?? '');
  closeSync(writing);
  const reading = openSync(file, 'r');
  execFileSync('git', ['-C', folder, '-c', setting, 'fast-import', '--quiet', '--date-format=raw'], {
    env: GIT_ENVIRONMENT,
    stdio: [reading, 'ignore', 'inherit'],
  });
  closeSync(reading);
  rmSync(file);
}

/**
 * Each commit adds files and changes a line in some of the earlier ones.
 * @param {{ seed: number, files: number, commits: number }} size
 * @returns {Generator<string, void>} commits as git fast-import reads them
 */
function* commitsOf({ seed, files, commits }) {
  const next = chance(seed);
  const versions = new Uint16Array(files);
  for (let commit = 0, added = 0; commit < commits; commit++) {
    const before = added;
    added = Math.floor((files * (commit + 1)) / commits);
    const edited = new Set(
      Array.from({ length: before === 0 ? 0 : EDITS_A_COMMIT }, () => Math.floor(next() * before)),
    );
    for (const index of edited) versions[index] = (versions[index] ?? 0) + 1;
    const changed = [...edited, ...Array.from({ length: added - before }, (_, nth) => before + nth)];
    const contents = changed.map((index) => inline(nameOf(index), textOf(seed, index, versions[index] ?? 0)));
    // Only the folder at the top is ignored: the others are tracked.
    if (commit === 0) contents.push(inline('.gitignore', '*.log\n/node_modules/\n'));
    yield `${headOf(commit)}${contents.join('')}\n${tagOf(commit)}`;
  }
}

/** @param {number} commit */
function headOf(commit) {
  const by = `Bench <bench@example.invalid> ${FIRST_COMMIT_AT + commit * SECONDS_A_COMMIT} +0000`;
  return `commit refs/heads/main\nauthor ${by}\ncommitter ${by}\n${data(`commit ${commit}\n`)}`;
}

/** @param {number} commit */
function tagOf(commit) {
  if ((commit + 1) % COMMITS_A_TAG !== 0) return '';
  return `reset refs/tags/v${(commit + 1) / COMMITS_A_TAG}\nfrom refs/heads/main\n\n`;
}

/**
 * @param {string} path
 * @param {string} text
 */
function inline(path, text) {
  return `M 100644 inline ${path}\n${data(text)}`;
}

/** @param {string} text in ASCII */
function data(text) {
  return `data ${text.length}\n${text}\n`;
}

/**
 * @param {number} seed
 * @param {number} index of a file
 * @param {number} version each has one more changed line
 */
function textOf(seed, index, version) {
  const next = chance(Math.imul(seed, 31) + index * 7919);
  // Many small files and a few large ones.
  const text = source(next, MEAN * 0.25 * (0.2 + -Math.log(1 - next()) * 3.8));
  if (version === 0) return text;
  const lines = text.split('\n');
  for (let change = 0; change < version; change++) lines[Math.floor(next() * (lines.length - 1))] = lineOf(next);
  return lines.join('\n');
}
