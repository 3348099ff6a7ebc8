// @ts-check
import { fork } from 'node:child_process';
import { once } from 'node:events';

/** @typedef {import('./judge.mjs').Question} Question */
/** @typedef {import('./judge.mjs').Answer} Answer */

/** A timeout that only an endless loop reaches; a removed point may cause one. */
const PATIENCE_MS = 2 * 60_000;

/** A process that runs test files. It is replaced if it does not finish. */
export class Judge {
  /** Test files of the copy. @type {readonly string[]} */
  files = [];
  #copy;
  /** @type {import('node:child_process').ChildProcess | null} */
  #child = null;

  /** @param {string} copy */
  constructor(copy) {
    this.#copy = copy;
  }

  async start() {
    // Its own process group: otherwise vitest's workers outlive it.
    const child = fork(new URL('judge.mjs', import.meta.url), [this.#copy], {
      cwd: this.#copy,
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, SAVEPOINT_SEED: '1', SAVEPOINT_LONG: '' },
    });
    this.#child = child;
    [this.files] = await once(child, 'message');
  }

  /**
   * @param {Question} question
   * @param {number} usualMs usual duration of the file
   * @returns {Promise<Answer>}
   */
  async ask(question, usualMs) {
    if (this.#child === null) await this.start();
    this.#child?.send(question);
    const signal = AbortSignal.timeout(PATIENCE_MS + Math.ceil(5 * usualMs));
    try {
      const [answer] = await once(/** @type {import('node:child_process').ChildProcess} */ (this.#child), 'message', {
        signal,
      });
      return answer;
    } catch (error) {
      if (!signal.aborted) throw error;
      this.stop();
      return { failure: `${question.file} came to no end`, ms: PATIENCE_MS, reached: [] };
    }
  }

  stop() {
    if (this.#child?.pid !== undefined) process.kill(-this.#child.pid, 'SIGKILL');
    this.#child = null;
  }
}
