// @ts-check
/** What is measured: a copy of a clone, or a repository that is made up. */
import { chmodSync, mkdirSync, readdirSync, statfsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { git, makeRepository } from '../repository.mjs';

/** Fewer changed files would say little about a switch of branches. */
const SWITCHED_FILES = 1_000;
const SMALLEST_STEP_BACK = 50;
const FILE_SYSTEMS = new Map([
  [0xef53, 'ext4'],
  [0x58465342, 'XFS'],
  [0x9123683e, 'Btrfs'],
  [0x01021994, 'tmpfs'],
  [0x794c7630, 'overlayfs'],
  [0x2fc12fc1, 'ZFS'],
  [0x1a, 'APFS'],
]);

/**
 * @typedef {object} Subject
 * @property {string} name
 * @property {string} dir a checkout that only the bench uses
 * @property {string} branch that is checked out
 * @property {string} older a commit in which many files are different
 * @property {number} switched the number of these files
 * @property {Readonly<Record<string, string>>} facts
 */

/**
 * Copies a clone. Its packs and loose objects are copied as they are, as the clone's owner has them. Changes that are not
 * committed are left out.
 * @param {string} clone a git directory or a checkout, or NAME=FOLDER
 * @param {string} dir
 * @returns {Subject}
 */
export function copyOfClone(clone, dir) {
  const [, name = basename(resolve(clone)), repository = clone] = /^([^=]+)=(.+)$/.exec(clone) ?? [];
  mkdirSync(dirname(dir), { recursive: true });
  const options = ['--quiet', '--no-hardlinks', '--dissociate', '--config', 'gc.auto=0'];
  try {
    git(dirname(dir), 'clone', ...options, resolve(repository), dir);
  } catch (cause) {
    throw new Error(`${repository} cannot be copied and checked out: use a complete clone`, { cause });
  }
  makePacksReadOnly(join(dir, '.git/objects/pack'));
  return described(name, dir);
}

/**
 * As git makes them. A mirror of a repository may have lost that.
 * @param {string} folder
 */
function makePacksReadOnly(folder) {
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444);
}

/**
 * @param {number} files
 * @param {string} dir
 * @returns {Subject}
 */
export function madeUp(files, dir) {
  makeRepository(dir, files);
  return described('made up', dir);
}

/**
 * @param {string} name
 * @param {string} dir
 * @returns {Subject}
 */
function described(name, dir) {
  const branch = git(dir, 'rev-parse', '--abbrev-ref', 'HEAD');
  const { older, switched } = olderCommit(dir);
  const files = git(dir, 'ls-files', '-z').split('\0').slice(0, -1);
  const tracked = new Set(files.flatMap((path) => /^(?:.*\/)?node_modules(?=\/)/.exec(path)?.[0] ?? []));
  const stored = Object.fromEntries(
    git(dir, 'count-objects', '-v')
      .split('\n')
      .map((line) => line.split(': ')),
  );
  const number = (/** @type {string | number} */ count) => Number(count).toLocaleString('en');
  return {
    name,
    dir,
    branch: branch === 'HEAD' ? git(dir, 'rev-parse', 'HEAD') : branch,
    older,
    switched,
    facts: {
      commit: git(dir, 'rev-parse', '--short=12', 'HEAD'),
      files: number(files.length),
      folders: number(foldersIn(dir)),
      'of these `node_modules` that are tracked': number(tracked.size),
      commits: number(git(dir, 'rev-list', '--count', 'HEAD')),
      packs: `${stored['packs']}, ${Math.round((Number(stored['size-pack']) * 1_024) / 1e6)} MB`,
      'loose objects': number(stored['count']),
      'files that differ in the older commit': number(switched),
      'file system': fileSystemOf(dir),
    },
  };
}

/**
 * Returns the nearest older commit in which enough files are different, or the first one if there is none.
 * @param {string} dir
 */
function olderCommit(dir) {
  const count = Number(git(dir, 'rev-list', '--count', '--first-parent', 'HEAD'));
  let found = { older: 'HEAD', switched: 0 };
  for (
    let back = Math.min(SMALLEST_STEP_BACK, count - 1);
    back > 0;
    back = back < count - 1 ? Math.min(back * 2, count - 1) : 0
  ) {
    const older = git(dir, 'rev-parse', `HEAD~${back}`);
    const names = git(dir, 'diff', '--name-only', '--no-renames', '-z', older, 'HEAD');
    found = { older, switched: names.split('\0').length - 1 };
    if (found.switched >= SWITCHED_FILES) break;
  }
  return found;
}

/** @param {string} dir @returns {number} */
function foldersIn(dir) {
  let found = 0;
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name === '.git') continue;
    found += 1 + foldersIn(join(dir, entry.name));
  }
  return found;
}

/** @param {string} dir */
function fileSystemOf(dir) {
  const { type } = statfsSync(dir);
  return FILE_SYSTEMS.get(type) ?? `0x${type.toString(16)}`;
}
