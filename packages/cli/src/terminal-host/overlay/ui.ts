/** Draws pages of lines, and gives what the user types to whichever page is shown. */
import type { Style } from '../../view.ts';
import type { TerminalSize } from '../hosted-program.ts';
import { clip } from './clip.ts';
import { type Key, keysIn } from './keys.ts';

/** The terminal, as an overlay has it. */
export interface OverlayTerminal {
  size(): TerminalSize;
  write(text: string): void;
  /** Replies of the terminal to questions of the program. */
  passToProgram(bytes: Buffer): void;
  /** Null: there is none. */
  readonly program: ReplaceableProgram | null;
}

/** The program below the overlay. */
export interface ReplaceableProgram {
  /** Gives it words to edit, as if they were pasted, when it has the screen again. Nothing is sent by this. */
  handBack(words: string): void;
  /** What its key for that does. */
  interrupt(): void;
  /** Asks it to end. The overlay stays. @returns false: it goes on */
  end(): Promise<boolean>;
  /** After `end`: what to start in its place when the overlay closes. */
  continueWith(next: NextProgram): void;
}

export interface NextProgram {
  readonly command: readonly string[];
  /** The folder in which it must run, as UTF-8. */
  readonly dir: string;
  /** What it gets to edit, or null. */
  readonly words: string | null;
}

/** `redraw`: the size or the content has changed. `closed`: the program has ended. */
export type UiEvent = { readonly key: Key } | 'redraw' | 'closed';

/** The rest of a sequence arrives within this time. */
const REST_MS = 30;
const ESC = '\x1b';

export class Ui {
  readonly style: Style;
  readonly #terminal: OverlayTerminal;
  readonly #events: UiEvent[] = [];
  #waiting: ((event: UiEvent) => void) | null = null;
  #start = '';
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(terminal: OverlayTerminal, style: Style) {
    this.#terminal = terminal;
    this.style = style;
  }

  get size(): TerminalSize {
    return this.#terminal.size();
  }

  get program(): ReplaceableProgram | null {
    return this.#terminal.program;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Fills the screen. Lines that are too long are cut, and those that are too many are left out. */
  draw(lines: readonly string[]): void {
    const { columns, rows } = this.size;
    const drawn = Array.from(
      { length: rows },
      (_, row) => `\x1b[${row + 1};1H${clip(lines[row] ?? '', columns)}\x1b[K`,
    );
    this.#terminal.write(`\x1b[?2026h${drawn.join('')}\x1b[?2026l`);
  }

  async next(): Promise<UiEvent> {
    const event = this.#events.shift();
    if (event !== undefined) return event;
    if (this.#isClosed) return 'closed';
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  type(bytes: Buffer): void {
    clearTimeout(this.#timer);
    const text = this.#start + bytes.toString('utf8');
    this.#start = '';
    if (!text.endsWith(ESC)) {
      this.#take(text);
      return;
    }
    this.#take(text.slice(0, -1));
    this.#start = ESC;
    this.#timer = setTimeout(() => {
      this.#start = '';
      this.#emit({ key: 'escape' });
    }, REST_MS);
  }

  redraw(): void {
    if (this.#events.at(-1) !== 'redraw') this.#emit('redraw');
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#emit('closed');
  }

  #take(text: string): void {
    const { keys, replies } = keysIn(text);
    for (const key of keys) this.#emit({ key });
    if (replies !== '') this.#terminal.passToProgram(Buffer.from(replies));
  }

  #emit(event: UiEvent): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting === null) this.#events.push(event);
    else waiting(event);
  }
}
