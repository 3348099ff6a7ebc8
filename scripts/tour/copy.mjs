// @ts-check
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a clone does not contain, for use without git. */
const LEFT_OUT = new Set(['node_modules', 'dist', 'coverage', 'reports', '.git']);

/**
 * Copies the project to `to`: the files that git tracks or does not ignore, and `.git` itself, byte for byte, so that
 * the tour has a real repository with a history. Without a `.git` (a release archive), copies all files except build
 * output and installed packages.
 * @param {string} from
 * @param {string} to
 * @returns {number} files and links
 */
export function copyProject(from, to) {
  mkdirSync(to, { recursive: true });
  const files = filesOfGit(from) ?? filesBelow(from, '');
  for (const file of files) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    cpSync(join(from, file), join(to, file), { verbatimSymlinks: true });
  }
  // In a worktree, .git is a file that points elsewhere. The copy must not share that repository.
  const git = join(from, '.git');
  if (existsSync(git) && lstatSync(git).isDirectory())
    cpSync(git, join(to, '.git'), { recursive: true, verbatimSymlinks: true });
  return files.length;
}

/** Null without git, or if this is not a clone. @param {string} from */
function filesOfGit(from) {
  if (!existsSync(join(from, '.git'))) return null;
  const { status, stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: from,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) return null;
  return stdout.split('\0').filter((file) => file !== '' && existsSync(join(from, file)));
}

/** @param {string} top @param {string} folder @returns {string[]} */
function filesBelow(top, folder) {
  return readdirSync(join(top, folder), { withFileTypes: true }).flatMap((entry) => {
    if (LEFT_OUT.has(entry.name)) return [];
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(top, path) : entry.isFile() || entry.isSymbolicLink() ? [path] : [];
  });
}
