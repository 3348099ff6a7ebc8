/** A progress line on the terminal for long work. It is cleared before anything else is printed. */
import type { Progress } from '@savepoint/core';
import { writeAll } from './write.ts';

const AFTER_MS = 1000;
const EVERY_MS = 100;

const PHASE_TEXTS: Readonly<Record<Progress['phase'], string>> = {
  prepare: 'computing edits',
  scan: 'scanning files',
  read: 'reading',
  stage: 'preparing files',
  apply: 'changing files',
  verify: 'verifying',
  'clean-up': 'cleaning up',
  purge: 'removing',
  search: 'searching',
  export: 'packing',
  import: 'checking the bundle',
  check: 'checks',
  types: 'type errors',
  phase: 'phases',
};

export class ProgressLine {
  readonly #began = performance.now();
  #drawn = 0;
  #isShown = false;

  show({ phase, done, total }: Progress): void {
    const now = performance.now();
    if (now - this.#began < AFTER_MS || now - this.#drawn < EVERY_MS) return;
    this.#drawn = now;
    const far = total === null ? group(done) : `${group(done)} of ${group(total)}`;
    this.#write(`\r\x1b[K${PHASE_TEXTS[phase]}: ${far}`);
    this.#isShown = true;
  }

  clear(): void {
    if (this.#isShown) this.#write('\r\x1b[K');
    this.#isShown = false;
  }

  /** If the terminal is closed, the work continues. */
  #write(text: string): void {
    try {
      writeAll(2, text);
    } catch {
      this.#drawn = Number.POSITIVE_INFINITY;
    }
  }
}

function group(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
