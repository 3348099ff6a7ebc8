/** While an overlay is open: the program's output is held, what is typed goes to the overlay, and the size waits. */
import type { TerminalSize } from './hosted-program.ts';
import type { OverlayTerminal, ReplaceableProgram } from './overlay/ui.ts';
import type { ScreenKeeper } from './screen-keeper.ts';
import type { ScreenWriter } from './screen-writer.ts';

/** What runs over the program's screen. */
export interface Overlay {
  /** Resolves when the user returns to the program. */
  run(terminal: OverlayTerminal): Promise<void>;
  type(bytes: Buffer): void;
  redraw(): void;
  /** The program has ended. */
  close(): void;
}

export interface OverlayHost {
  readonly screen: ScreenWriter;
  readonly keeper: ScreenKeeper;
  readonly size: () => TerminalSize;
  /** Writes output of the program to the screen, with the emulator following. */
  readonly show: (bytes: Buffer) => void;
  /** Writes input to the program. */
  readonly pass: (bytes: Buffer) => void;
  readonly pauseProgram: () => void;
  readonly program: ReplaceableProgram;
}

/** Above this, the program has to wait until the overlay is closed. */
const MAX_HELD_BYTES = 8 * 1024 * 1024;
/** How long to wait for the rest of a sequence that the program has begun. */
const REST_MS = 500;
const POLL_MS = 5;

export class OverlaySession {
  readonly #host: OverlayHost;
  readonly #overlay: Overlay;
  readonly #held: Buffer[] = [];
  #heldBytes = 0;
  #isShown = false;

  constructor(host: OverlayHost, overlay: Overlay) {
    this.#host = host;
    this.#overlay = overlay;
  }

  /** @returns false if it could not be opened, because the program had begun a sequence and did not end it */
  async run(): Promise<boolean> {
    const { screen, keeper, size, pass, program } = this.#host;
    try {
      if (!(await this.#reachGap())) return false;
      this.#isShown = true;
      screen.write(Buffer.from(keeper.overlayBegins()));
      const write = (text: string): void => void screen.write(Buffer.from(text));
      await this.#overlay.run({ size, write, passToProgram: pass, program });
      return true;
    } finally {
      if (this.#isShown) screen.write(Buffer.from(keeper.overlayEnds()));
      this.#isShown = false;
      for (const bytes of this.#held.splice(0)) this.#host.show(bytes);
    }
  }

  hold(bytes: Buffer): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > MAX_HELD_BYTES) this.#host.pauseProgram();
  }

  type(bytes: Buffer): void {
    this.#overlay.type(bytes);
  }

  redraw(): void {
    if (this.#isShown) this.#overlay.redraw();
  }

  close(): void {
    this.#overlay.close();
  }

  /** Shows held output until it ends between two sequences, because the overlay's own would disturb an open one. */
  async #reachGap(): Promise<boolean> {
    const { screen, keeper, show } = this.#host;
    const end = performance.now() + REST_MS;
    for (;;) {
      await screen.drained();
      await keeper.caughtUp();
      if (keeper.isBetweenSequences) return true;
      const next = this.#held.shift();
      if (next !== undefined) show(next);
      else if (performance.now() > end) return false;
      else await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}
