/** The user's terminal while the browser has it: its own screen, every key, and back to what it was, however this ends. */
import { writeAll } from '../../write.ts';
import type { Size } from '../model.ts';

export interface TerminalListener {
  typed(bytes: Buffer): void;
  /** The size changed, or the terminal showed something else meanwhile. */
  changed(): void;
  /** Nothing can be typed any more. */
  closed(): void;
}

const ENTER = '\x1b[?1049h\x1b[?25l\x1b[2J';
const LEAVE = '\x1b[0m\x1b[?25h\x1b[?1049l';
/** A process that cannot be stopped, because no shell could continue it, goes on after this time. */
const STOPPED_MS = 50;
const DEFAULT_SIZE: Size = { columns: 80, rows: 24 };

export class BrowserTerminal {
  readonly #listener: TerminalListener;
  #isEntered = false;

  constructor(listener: TerminalListener) {
    this.#listener = listener;
  }

  get size(): Size {
    const { columns, rows } = process.stdout;
    return { columns: columns || DEFAULT_SIZE.columns, rows: rows || DEFAULT_SIZE.rows };
  }

  enter(): void {
    process.on('exit', this.leave);
    process.on('SIGTSTP', this.#stopped);
    process.stdout.on('resize', this.#changed);
    this.#take();
  }

  /** May be called at any time, also twice. */
  readonly leave = (): void => {
    process.off('exit', this.leave);
    process.off('SIGTSTP', this.#stopped);
    process.stdout.off('resize', this.#changed);
    this.#giveBack();
  };

  write(text: string): void {
    if (this.#isEntered) writeAll(1, text);
  }

  /** Ctrl-Z, which also stops the other processes of the job. */
  suspend(): void {
    this.#stop(0);
  }

  readonly #typed = (bytes: Buffer): void => this.#listener.typed(bytes);
  readonly #closed = (): void => this.#listener.closed();
  readonly #changed = (): void => this.#listener.changed();
  readonly #stopped = (): void => this.#stop(process.pid);

  /** @param target as for `kill` */
  #stop(target: number): void {
    process.off('SIGTSTP', this.#stopped);
    this.#giveBack();
    let isOver = false;
    const resume = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      process.off('SIGCONT', resume);
      process.on('SIGTSTP', this.#stopped);
      this.#take();
      this.#listener.changed();
    };
    process.on('SIGCONT', resume);
    const timer = setTimeout(resume, STOPPED_MS);
    process.kill(target, 'SIGTSTP');
  }

  #take(): void {
    if (this.#isEntered) return;
    this.#isEntered = true;
    process.stdin.setRawMode(true);
    process.stdin.on('data', this.#typed);
    process.stdin.on('end', this.#closed);
    process.stdin.resume();
    this.write(ENTER);
  }

  #giveBack(): void {
    if (!this.#isEntered) return;
    try {
      this.write(LEAVE);
    } catch {
      // The terminal is gone.
    }
    this.#isEntered = false;
    process.stdin.off('data', this.#typed);
    process.stdin.off('end', this.#closed);
    process.stdin.pause();
    try {
      process.stdin.setRawMode(false);
    } catch {
      // The terminal is gone.
    }
  }
}
