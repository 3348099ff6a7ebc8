// @ts-check
/** A folder with the files of a commit's parent, and then with a part of the commit applied. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const MOST_BYTES = 1 << 30;

export class WorkTree {
  /** Paths of files that are not of the base. @type {Set<string>} */
  #written = new Set();

  /**
   * @param {string} repo the git directory; it is only read
   * @param {string} folder a folder that belongs to this object
   */
  constructor(repo, folder) {
    this.repo = repo;
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Makes the files those of a commit. @param {string} commit */
  reset(commit) {
    for (const path of this.#written) rmSync(join(this.folder, path), { force: true });
    this.#written.clear();
    this.#git('read-tree', '--reset', '-u', commit);
  }

  /**
   * Takes the changes of a commit over to the files of its parent.
   * @param {string} commit
   * @param {readonly import('./commits.mjs').FileChange[]} changes
   */
  apply(commit, changes) {
    for (const { status, from } of changes)
      if (status === 'deleted' || status === 'renamed') rmSync(join(this.folder, from), { force: true });
    for (const { status, path } of changes)
      if (status !== 'deleted') this.write(path, this.#git('cat-file', 'blob', `${commit}:${path}`));
  }

  /**
   * Writes a file, until the next reset.
   * @param {string} path
   * @param {Uint8Array | string} contents
   */
  write(path, contents) {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contents);
    this.#written.add(path);
  }

  /** @param {string} commit @returns {string[]} */
  pathsOf(commit) {
    return this.#git('ls-tree', '-r', '-z', '--name-only', commit).toString('utf8').split('\0').filter(Boolean);
  }

  /** @param {string[]} args */
  #git(...args) {
    const env = {
      ...process.env,
      GIT_DIR: this.repo,
      GIT_WORK_TREE: this.folder,
      GIT_INDEX_FILE: `${this.folder}.index`,
    };
    return execFileSync('git', args, {
      env,
      cwd: this.folder,
      maxBuffer: MOST_BYTES,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
}
