// @ts-check
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';

/** A command of Savepoint in a pseudo-terminal, to measure how long it takes from a key until something is shown. */

const COMMAND = fileURLToPath(new URL('../packages/cli/bundle/savepoint.js', import.meta.url));
const SIZE = { cols: 130, rows: 40 };

/** Ends each frame. */
export const DRAWN = '\x1b[?2026l';

export class KeyedTerminal {
  #wanted = '';
  #text = '';
  /** @type {() => void} */
  #arrived = () => undefined;
  #pty;

  /** @param {readonly string[]} args @param {string} dir @param {string} home */
  constructor(args, dir, home) {
    this.#pty = spawn(process.execPath, [COMMAND, ...args], {
      ...SIZE,
      cwd: dir,
      name: 'xterm-256color',
      env: { ...process.env, SAVEPOINT_HOME: home, PWD: dir },
    });
    /** @type {Promise<unknown>} */
    this.ended = new Promise((resolve) => this.#pty.onExit(resolve));
    this.#pty.onData((data) => {
      this.#text += data;
      if (this.#wanted !== '' && this.#text.includes(this.#wanted)) this.#arrived();
    });
  }

  /** @param {string} keys */
  type(keys) {
    this.#text = '';
    this.#pty.write(keys);
  }

  /** @param {string} text since the last keys */
  async receives(text) {
    if (this.#text.includes(text)) return;
    this.#wanted = text;
    await new Promise((resolve) => {
      this.#arrived = () => resolve(undefined);
    });
    this.#wanted = '';
  }

  /** @param {string} keys @param {string} text @returns {Promise<number>} milliseconds until the text is shown */
  async timed(keys, text) {
    const pressed = performance.now();
    this.type(keys);
    await this.receives(text);
    return performance.now() - pressed;
  }
}
