/** A program in a pseudo-terminal: its output as bytes, its input, its size, its signals, its end. */
import { readSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { ChildCommand } from '../child.ts';
import { CONTINUE_LINE, jobCommand } from './job-script.ts';
import type { PtyBinding } from './pty-binding.ts';
import type { TtyModes } from './tty-modes.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface ProgramEnd {
  readonly status: number;
  /** The number of the signal that ended it; 0: none. */
  readonly signal: number;
}

const LINE_FEED = 0x0a;
/** Some systems do not report the end of the output. Then it has ended if nothing comes for this time. */
const QUIET_END_MS = 200;
const READ_BYTES = 64 * 1024;
/** How long a program may take to end after a hang-up. */
const HANG_UP_MS = 3_000;

export class HostedProgram {
  readonly #binding: PtyBinding;
  readonly #fd: number;
  readonly #stream: ReadStream;
  readonly #onOutput: (bytes: Buffer) => void;
  readonly ended: Promise<ProgramEnd>;
  /** What came before the end of the first line, which is the process id. */
  #start: Buffer | null = Buffer.alloc(0);
  #pid: number | null = null;
  readonly #early: (() => void)[] = [];
  #isClosed = false;

  constructor(
    binding: PtyBinding,
    { file, args, cwd, env }: ChildCommand,
    terminal: { readonly modes: TtyModes; readonly size: TerminalSize; readonly onOutput: (bytes: Buffer) => void },
  ) {
    this.#binding = binding;
    this.#onOutput = terminal.onOutput;
    const { columns, rows } = terminal.size;
    const shell = jobCommand(terminal.modes, file, args);
    const variables = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
    let onExit: (end: ProgramEnd) => void = () => undefined;
    const exited = new Promise<ProgramEnd>((resolve) => {
      onExit = resolve;
    });
    const { native, helper } = binding;
    const { fd } = native.fork(
      shell.file,
      shell.args,
      variables,
      cwd,
      columns,
      rows,
      -1,
      -1,
      true,
      helper,
      (status, signal) => onExit({ status, signal }),
    );
    this.#fd = fd;
    this.#stream = new ReadStream(fd);
    const closed = new Promise<void>((resolve) => {
      // At the end of the output, Linux reports EIO.
      this.#stream.on('error', () => this.#stream.destroy());
      this.#stream.on('end', () => {
        this.#readAfterEnd();
        this.#stream.destroy();
      });
      this.#stream.on('close', () => {
        this.#isClosed = true;
        resolve();
      });
    });
    this.#stream.on('data', (bytes: Buffer) => this.#receive(bytes));
    this.ended = exited.then(async (end) => {
      await this.#readRest(closed);
      return end;
    });
  }

  /** @returns whether it takes more now; otherwise wait for `onRoom` */
  write(bytes: Buffer): boolean {
    return this.#isClosed || this.#stream.write(bytes);
  }

  onRoom(listener: () => void): void {
    this.#stream.on('drain', listener);
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    if (!this.#isClosed) this.#stream.resume();
  }

  resize({ columns, rows }: TerminalSize): void {
    if (this.#isClosed || columns < 1 || rows < 1) return;
    try {
      this.#binding.native.resize(this.#fd, columns, rows);
    } catch {
      // The terminal of the program is being closed.
    }
  }

  /** @param toGroup also to the processes of its group, as a terminal does */
  signal(signal: NodeJS.Signals, toGroup: boolean): void {
    if (this.#pid === null) {
      this.#early.push(() => this.signal(signal, toGroup));
      return;
    }
    try {
      process.kill(toGroup ? -this.#pid : this.#pid, signal);
    } catch {
      // It has ended.
    }
  }

  /** Continues the program after it has stopped. */
  continue(): void {
    this.write(CONTINUE_LINE);
  }

  /**
   * What a terminal does when it is closed. If it were closed at once, its shell would end before the program, whose last
   * changes would then not surely be its own.
   */
  hangUp(): void {
    this.signal('SIGHUP', true);
    setTimeout(() => this.#stream.destroy(), HANG_UP_MS).unref();
  }

  #receive(bytes: Buffer): void {
    if (this.#start === null) {
      this.#onOutput(bytes);
      return;
    }
    const start = Buffer.concat([this.#start, bytes]);
    const end = start.indexOf(LINE_FEED);
    if (end < 0) {
      this.#start = start;
      return;
    }
    this.#start = null;
    this.#pid = Number(start.subarray(0, end).toString().trim());
    for (const act of this.#early.splice(0)) act();
    if (end + 1 < start.length) this.#onOutput(start.subarray(end + 1));
  }

  /**
   * Once the last process has closed the terminal, Node ends the stream after any read that does not fill its buffer. The
   * system passes output on in parts of 4 KB, and late on a busy machine, so more may follow.
   */
  #readAfterEnd(): void {
    const buffer = Buffer.alloc(READ_BYTES);
    try {
      for (;;) {
        const length = readSync(this.#fd, buffer);
        if (length === 0) return;
        this.#receive(Buffer.from(buffer.subarray(0, length)));
      }
    } catch {
      // At the end of the output, Linux reports EIO.
    }
  }

  async #readRest(closed: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    let afterReading: NodeJS.Immediate | undefined;
    const stop = (): void => {
      clearTimeout(timer);
      clearImmediate(afterReading);
    };
    const wait = (): void => {
      stop();
      timer = setTimeout(() => {
        if (this.#stream.isPaused()) wait();
        // On a busy machine, output may have come that is not read yet. It is read before an immediate runs.
        else afterReading = setImmediate(() => this.#stream.destroy());
      }, QUIET_END_MS);
    };
    this.#stream.on('data', wait);
    wait();
    await closed;
    stop();
  }
}
