// @ts-check
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ProcessTree } from './process-tree.mjs';

const PROCESS = fileURLToPath(new URL('process.mjs', import.meta.url));

/** @typedef {{ ms: number, cpu: number, found: number | null }} Taken milliseconds, processor seconds, and how much was found */

/** A process that stays, with what it and its readers use. */
export class StayingProcess {
  #child;
  #lines;

  /** @param {string} dir @param {string} home */
  constructor(dir, home) {
    this.#child = spawn(process.execPath, [PROCESS, dir, home], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    this.tree = new ProcessTree(/** @type {number} */ (this.#child.pid));
  }

  /** @param {string} verb @param {unknown} [argument] @returns {Promise<Taken>} */
  async ask(verb, argument) {
    const before = this.tree.cpu;
    this.#child.stdin.write(`${JSON.stringify({ verb, argument })}\n`);
    const { value } = await this.#lines.next();
    if (value === undefined) throw new Error(`the process ended during ${verb}`);
    const { ms, found } = JSON.parse(value);
    return { ms, cpu: this.tree.cpu - before, found };
  }

  async end() {
    const ended = new Promise((done) => this.#child.on('exit', done));
    this.#child.stdin.end();
    await ended;
    this.tree.stop();
  }
}
