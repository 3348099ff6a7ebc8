/**
 * The output that ink draws on. Ink gives whole frames; only the rows that changed go to the terminal, each at its place,
 * and the contents of the panes over them. So a key press sends little, nothing flickers, and what scrolled away before
 * stays. A character whose width the terminal sees differently moves nothing outside its pane.
 */
import { EventEmitter } from 'node:events';
import type { Size } from '../model.ts';
import type { Content } from '../view/contents.ts';

export class RowsOutput extends EventEmitter {
  readonly isTTY = true;
  readonly #write: (text: string) => void;
  readonly #size: () => Size;
  #frame: readonly string[] = [];
  #shownFrame: readonly string[] = [];
  /** By place. */
  #shown: ReadonlyMap<string, string> = new Map();

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
    this.#shownFrame = [];
    this.#shown = new Map();
  }

  /** Called by ink, which does not call it if the frame is as before. */
  write(frame: string): boolean {
    this.#frame = frame.split('\n').slice(0, this.rows);
    return true;
  }

  show(contents: readonly Content[]): void {
    const isNew = this.#shownFrame.length === 0;
    const redrawn = new Set(this.#frame.flatMap((row, index) => (row === this.#shownFrame[index] ? [] : [index])));
    const changes = [...redrawn].map((row) => `\x1b[${row + 1};1H${this.#frame[row]}\x1b[0m\x1b[K`);
    const shown = new Map<string, string>();
    for (const { pane, lines } of contents) {
      for (const [index, line] of lines.entries()) {
        const row = pane.top + index;
        const place = `\x1b[${row + 1};${pane.left + 1}H`;
        shown.set(place, line);
        if (redrawn.has(row) || this.#shown.get(place) !== line) changes.push(`${place}${line}\x1b[0m`);
      }
    }
    this.#shownFrame = this.#frame;
    this.#shown = shown;
    if (changes.length > 0) this.#write(`\x1b[?2026h${isNew ? '\x1b[2J' : ''}${changes.join('')}\x1b[?2026l`);
  }
}
