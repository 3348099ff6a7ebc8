// @ts-check
/** A private git repository next to a project, with the project as its work tree: what many agents keep today. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { timed, wholeCommand } from './measure.mjs';
import { GIT_ENVIRONMENT, git } from './repository.mjs';

export class PrivateRepository {
  #gitDir;
  #project;
  /** What it needs on the disk. */
  folder;

  /**
   * @param {string} folder is created
   * @param {string} project
   */
  constructor(folder, project) {
    this.folder = folder;
    this.#project = project;
    this.#gitDir = join(folder, 'private.git');
    mkdirSync(folder, { recursive: true });
    this.run('init', '-q');
    this.run('config', 'core.safecrlf', 'false');
    this.run('config', 'gc.auto', '0');
  }

  /** @param {string[]} args */
  run(...args) {
    return git(this.#project, ...this.#options, ...args);
  }

  /** @returns the first snapshot: milliseconds, and the peak memory of git */
  firstSnapshot() {
    const added = wholeCommand(['git', ...this.#options, 'add', '-A'], this.#project, GIT_ENVIRONMENT);
    return { ms: added.ms + timed(() => this.run('write-tree')), peakMb: added.peakMb };
  }

  /** @returns {number} milliseconds of a snapshot */
  snapshot() {
    return timed(() => {
      this.run('add', '-A');
      this.run('write-tree');
    });
  }

  commit() {
    this.run('add', '-A');
    this.run('commit', '-q', '--allow-empty', '-m', 'bench');
  }

  /** @returns {number} milliseconds until all files are as in the last commit */
  restore() {
    return timed(() => {
      this.run('restore', '--source=HEAD', '--staged', '--worktree', '--', '.');
      this.run('clean', '-fdq');
    });
  }

  get #options() {
    return [`--git-dir=${this.#gitDir}`, `--work-tree=${this.#project}`];
  }
}
