// @ts-check
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A realistic repository generated from a number. The same seed gives the same bytes. */

/** Mean size of a file in bytes. */
const MEAN = 4_000;
const PER_FOLDER = 20;

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

/**
 * @param {() => number} next
 * @param {number} bytes
 */
export function source(next, bytes) {
  const lines = [];
  for (let length = 0; length < bytes; ) {
    const words = Array.from({ length: 3 + Math.floor(next() * 8) }, () => WORDS[Math.floor(next() * WORDS.length)]);
    const line = `${' '.repeat(2 * Math.floor(next() * 4))}${words.join(' ')} ${Math.floor(next() * 1e6)};`;
    lines.push(line);
    length += line.length + 1;
  }
  return `${lines.join('\n')}\n`;
}

/** @param {number} index of a file */
export function nameOf(index) {
  const folder = Math.floor(index / PER_FOLDER);
  return `src/m${Math.floor(folder / 50)}/p${folder % 50}/file-${index}.ts`;
}

/**
 * @param {string} folder is created
 * @param {number} files
 */
export function makeRepository(folder, files) {
  const next = chance(files);
  for (let index = 0; index < files; index++) {
    const path = join(folder, nameOf(index));
    if (index % PER_FOLDER === 0) mkdirSync(dirname(path), { recursive: true });
    // Many small files and a few large ones.
    writeFileSync(path, source(next, MEAN * 0.25 * (0.2 + -Math.log(1 - next()) * 3.8)));
  }
  writeFileSync(join(folder, '.gitignore'), '*.log\nnode_modules/\n');
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'config', 'gc.auto', '0');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '-m', 'first');
  // Pack as after a clone. Otherwise git might pack on its own during a measurement.
  git(folder, 'gc', '-q');
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
  return execFileSync('git', ['-C', folder, ...args], { env: GIT_ENVIRONMENT, encoding: 'utf8', maxBuffer: 1 << 28 }).trim();
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
