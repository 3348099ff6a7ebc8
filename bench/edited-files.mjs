// @ts-check
/** Edits tracked files of any checkout, as a formatter does: each gets one more line at its start, and keeps the others. */
import { lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git } from './repository.mjs';

const MAX_BYTES = 100_000;
const REGULAR_FILE = /^100(?:644|755) /;

export class EditedFiles {
  #dir;
  #round = 0;
  /** Paths of regular files of a usual size. */
  #paths;
  /** What the edited files contained first, so that they do not grow. @type {Map<string, Buffer>} */
  #originals = new Map();

  /** @param {string} dir a checkout without changes */
  constructor(dir) {
    this.#dir = dir;
    this.#paths = trackedFiles(dir).filter((path) => {
      const size = lstatSync(join(dir, path), { throwIfNoEntry: false })?.size ?? 0;
      return size > 0 && size <= MAX_BYTES;
    });
  }

  get count() {
    return this.#paths.length;
  }

  /** @param {number} count files, evenly spread, others each time if there are more */
  edit(count) {
    const round = ++this.#round;
    const step = this.#paths.length / count;
    for (let nth = 0; nth < count; nth++) {
      const index = Math.floor(nth * step + ((round * 7919) % Math.max(1, Math.floor(step))));
      const path = join(this.#dir, /** @type {string} */ (this.#paths[index]));
      const original = this.#originals.get(path) ?? readFileSync(path);
      this.#originals.set(path, original);
      writeFileSync(path, Buffer.concat([Buffer.from(`// round ${round}\n`), original]));
    }
  }
}

/** @param {string} dir */
function trackedFiles(dir) {
  const entries = git(dir, 'ls-files', '--stage', '-z').split('\0');
  return entries.filter((entry) => REGULAR_FILE.test(entry)).map((entry) => entry.slice(entry.indexOf('\t') + 1));
}
