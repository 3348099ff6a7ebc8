/**
 * The output that ink draws on. Ink gives whole frames; only the rows that changed go to the terminal, each at its place.
 * So a key press sends a few hundred bytes, nothing flickers, and what scrolled away before stays.
 */
import { EventEmitter } from 'node:events';
import type { Size } from '../model.ts';

export class RowsOutput extends EventEmitter {
  readonly isTTY = true;
  readonly #write: (text: string) => void;
  readonly #size: () => Size;
  #shown: readonly string[] = [];

  constructor(write: (text: string) => void, size: () => Size) {
    super();
    this.#write = write;
    this.#size = size;
  }

  get columns(): number {
    return this.#size().columns;
  }

  get rows(): number {
    return this.#size().rows;
  }

  /** Draws everything the next time, because the terminal was resized or showed something else. */
  forget(): void {
    this.#shown = [];
  }

  write(frame: string): boolean {
    const rows = frame.split('\n').slice(0, this.rows);
    const isNew = this.#shown.length === 0;
    const changes = rows.flatMap((row, index) =>
      row === this.#shown[index] ? [] : [`\x1b[${index + 1};1H${row}\x1b[0m\x1b[K`],
    );
    this.#shown = rows;
    if (changes.length > 0) this.#write(`\x1b[?2026h${isNew ? '\x1b[2J' : ''}${changes.join('')}\x1b[?2026l`);
    return true;
  }
}
