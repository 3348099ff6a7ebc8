/**
 * Knows what is on the screen: an emulator that follows the program's output, after the bytes have gone to the real
 * terminal. With it, an overlay can be removed without a trace.
 */
import headless from '@xterm/headless';
import type { TerminalSize } from './hosted-program.ts';
import { isBetweenSequences } from './parser-state.ts';
import { drawCursor, drawRows, isBlank } from './screen-text.ts';
import { TerminalModes } from './terminal-modes.ts';

/** Above this, the program has to wait for the emulator. */
const MAX_BEHIND_BYTES = 4 * 1024 * 1024;

export class ScreenKeeper {
  readonly #terminal: headless.Terminal;
  readonly #modes: TerminalModes;
  readonly #onRoom: () => void;
  #waiting: Buffer[] = [];
  #behindBytes = 0;
  #isFull = false;
  #isScheduled = false;

  /** @param onRoom called when there is room again after `follow` has returned false */
  constructor({ columns, rows }: TerminalSize, onRoom: () => void) {
    this.#onRoom = onRoom;
    this.#terminal = new headless.Terminal({
      cols: columns,
      rows,
      scrollback: 0,
      allowProposedApi: true,
      logLevel: 'off',
    });
    this.#modes = new TerminalModes(this.#terminal.parser);
  }

  /** @returns whether it keeps up */
  follow(bytes: Buffer): boolean {
    this.#waiting.push(bytes);
    this.#behindBytes += bytes.length;
    this.#isFull = this.#behindBytes > MAX_BEHIND_BYTES;
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => this.#catchUp());
    }
    return !this.#isFull;
  }

  /** Resolves when everything given so far has been followed. */
  async caughtUp(): Promise<void> {
    this.#catchUp();
    await new Promise<void>((resolve) => this.#terminal.write('', resolve));
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#terminal.resize(columns, rows);
    this.#modes.resized();
  }

  /** Whether the output so far ends between two characters and sequences. Valid once it has caught up. */
  get isBetweenSequences(): boolean {
    return isBetweenSequences(this.#terminal);
  }

  /** Whether the program tells pastes from typed text: then it edits lines. */
  get takesPastes(): boolean {
    return this.#modes.takesPastes;
  }

  /** Whether there is no text on the screen. */
  get isBlank(): boolean {
    return isBlank(this.#terminal);
  }

  /** The screen as text that draws it: it differs if anything on the screen does. */
  drawn(): string {
    return drawRows(this.#terminal);
  }

  /** What prepares the terminal for an overlay. The normal screen is left to the terminal, which has its own copy of it. */
  overlayBegins(): string {
    const screen = this.#isAlternate ? '' : '\x1b[?1049h';
    return `${screen}${this.#modes.suspended()}\x1b[0m\x1b[2J\x1b[H`;
  }

  /** What puts back the screen, the cursor and the modes of the program. */
  overlayEnds(): string {
    const modes = this.#modes.set();
    // The terminal restores the cursor of the normal screen, but not every terminal restores one behind the last column.
    if (!this.#isAlternate) return `\x1b[0m${modes}\x1b[?1049l${this.#isCursorBehind ? this.#cursor() : ''}`;
    return `\x1b[0m\x1b[2J${drawRows(this.#terminal)}${modes}${this.#cursor()}`;
  }

  /** What resets the modes that the program has left on; empty if there are none. Valid once it has caught up. */
  left(): string {
    return this.#modes.left();
  }

  get #isAlternate(): boolean {
    return this.#terminal.buffer.active.type === 'alternate';
  }

  get #isCursorBehind(): boolean {
    return this.#terminal.buffer.active.cursorX >= this.#terminal.cols;
  }

  #cursor(): string {
    return drawCursor(this.#terminal, this.#modes.top);
  }

  #catchUp(): void {
    this.#isScheduled = false;
    if (this.#waiting.length === 0) return;
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#terminal.write(bytes, () => {
      this.#behindBytes -= bytes.length;
      if (!this.#isFull || this.#behindBytes > MAX_BEHIND_BYTES / 4) return;
      this.#isFull = false;
      this.#onRoom();
    });
  }
}
