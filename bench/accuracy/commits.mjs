// @ts-check
/** The changes of commits, from the history of a repository. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * @typedef {object} FileChange
 * @property {'added' | 'deleted' | 'renamed' | 'modified'} status
 * @property {string} path where it is after the commit, or was if the commit deleted it
 * @property {string} from where it was before
 * @property {readonly string[]} minus lines that the commit removed
 * @property {readonly string[]} plus lines that it added
 *
 * @typedef {object} Commit
 * @property {string} id
 * @property {readonly FileChange[]} changes all files, but the lines of code files only
 */

/**
 * Reads commits with one parent, the newest first. A caller that breaks the loop ends git.
 * @param {string} repo the git directory
 * @param {{ extensions: readonly string[], most: number }} options
 * @returns {AsyncGenerator<Commit>}
 */
export async function* commitsOf(repo, { extensions, most }) {
  const globs = extensions.map((extension) => `*.${extension}`);
  const args = [
    '-c',
    'core.quotePath=false',
    `--git-dir=${repo}`,
    'log',
    '--no-merges',
    '--min-parents=1',
    '-M',
    '-U0',
  ];
  const git = spawn(
    'git',
    [...args, `-n${most}`, '--no-color', '--no-ext-diff', '--format=%x00%H', '-p', '--', ...globs],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  git.stdout.setEncoding('utf8');
  /** @type {{ id: string, changes: { status: FileChange['status'], path: string, from: string, minus: string[], plus: string[] }[] } | null} */
  let commit = null;
  let isHeader = false;
  try {
    for await (const line of createInterface({ input: git.stdout, crlfDelay: Infinity })) {
      if (line.startsWith('\0')) {
        if (commit !== null) yield commit;
        commit = { id: line.slice(1), changes: [] };
      } else if (commit !== null && line.startsWith('diff --git ')) {
        isHeader = true;
        const both = line.slice('diff --git a/'.length);
        const half = both.slice(0, (both.length - 3) / 2);
        commit.changes.push({ status: 'modified', path: half, from: half, minus: [], plus: [] });
      } else if (commit !== null) {
        isHeader = readLine(commit.changes.at(-1), line, isHeader);
      }
    }
    if (commit !== null) yield commit;
  } finally {
    git.kill();
  }
}

/**
 * @param {{ status: FileChange['status'], path: string, from: string, minus: string[], plus: string[] } | undefined} change
 * @param {string} line
 * @param {boolean} isHeader whether the header of the file has not ended yet
 */
function readLine(change, line, isHeader) {
  if (change === undefined) return false;
  if (line.startsWith('@@')) return false;
  if (!isHeader) {
    if (line.startsWith('-')) change.minus.push(line.slice(1));
    else if (line.startsWith('+')) change.plus.push(line.slice(1));
    return false;
  }
  if (line.startsWith('new file')) change.status = 'added';
  else if (line.startsWith('deleted file')) change.status = 'deleted';
  else if (line.startsWith('rename from ')) {
    change.status = 'renamed';
    change.from = line.slice('rename from '.length);
  } else if (line.startsWith('rename to ')) change.path = line.slice('rename to '.length);
  return true;
}
