/**
 * Runs a program in a pseudo-terminal between the user's terminal and itself. Bytes pass unchanged in both directions,
 * and sizes and signals are passed on. However it ends, the user's terminal is usable afterwards.
 */
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { showText } from '@savepoint/core';
import type { ChildCommand, ChildExit } from '../child.ts';
import { asFailure, failureAsText } from '../failure.ts';
import { PLAIN } from '../view.ts';
import { writeAll } from '../write.ts';
import { canStart } from './find-program.ts';
import { Gesture } from './gesture.ts';
import type { KeyName } from './gesture-keys.ts';
import { HandBack } from './hand-back.ts';
import { HostedProgram, type ProgramEnd, type TerminalSize } from './hosted-program.ts';
import { STOPPED_SIGNAL } from './job-script.ts';
import type { NextProgram, ReplaceableProgram } from './overlay/ui.ts';
import { type Overlay, OverlaySession } from './overlay-session.ts';
import { loadPtyBinding, type PtyBinding } from './pty-binding.ts';
import { ScreenKeeper } from './screen-keeper.ts';
import { ScreenWriter } from './screen-writer.ts';
import { readTtyModes, restoreTtyModes, setRawMode, type TtyModes } from './tty-modes.ts';

/** What opens over the program, and the key that opens it when it is pressed twice. */
export interface OverlayGesture {
  readonly key: KeyName;
  readonly withinMs: number;
  readonly overlay: () => Overlay;
  /** Prepares the program that is to follow. */
  readonly following: (next: NextProgram) => Promise<ChildCommand>;
}

/** What the host needs from the machine, and from the user. */
interface Surroundings {
  readonly binding: PtyBinding;
  readonly modes: TtyModes;
  readonly gesture: OverlayGesture | null;
}

/** Shows an overlay as soon as the screen is free. @returns false if it could not be shown */
export type ShowOverlay = (overlay: Overlay) => Promise<boolean>;

/** Runs the program in a pseudo-terminal. Null if that is not possible here: then nothing was started. */
export async function runOnTerminal(
  child: ChildCommand,
  gesture: OverlayGesture | null,
  onPages?: (show: ShowOverlay) => void,
): Promise<ChildExit | null> {
  // With an output of its own, standard error would no longer be separate.
  if (![0, 1, 2].every((fd) => isatty(fd))) return null;
  if (!canStart(child.file, child.cwd, child.env['PATH'])) return null;
  const binding = loadPtyBinding();
  const modes = binding === null ? null : readTtyModes();
  if (binding === null || modes === null) return null;
  const host = new TerminalHost(child, { binding, modes, gesture });
  onPages?.((overlay) => host.show(overlay));
  return host.run();
}

/** A terminal sends these to the whole group of the program. */
const GROUP_SIGNALS = ['SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGTSTP'] as const;
/** How long a program may take to end when it is asked to, and then when its terminal is closed. */
const END_MS = 10_000;
const HANG_UP_MS = 3_000;
const INTERRUPT = Buffer.from('\x1b');
/** By then, the output of a program that stops has arrived. */
const LAST_OUTPUT_MS = 20;

class TerminalHost {
  readonly #binding: PtyBinding;
  readonly #modes: TtyModes;
  readonly #screen: ScreenWriter;
  readonly #keeper: ScreenKeeper;
  readonly #handBack: HandBack;
  #program: HostedProgram;
  /** The overlay has ended the program, and `#next` may follow. */
  #isReplacing = false;
  #hasEnded = false;
  #next: NextProgram | null = null;
  /** Who is behind, and makes the program wait. */
  readonly #behind = new Set<'screen' | 'keeper' | 'overlay'>();
  readonly #gesture: OverlayGesture | null;
  #overlay: { readonly session: OverlaySession; readonly closed: Promise<void> } | null = null;
  /** Reported when the program has ended, because the screen is the program's until then. */
  #overlayFailure: unknown = null;
  #size = terminalSize();
  readonly #onResize = (): void => {
    // The program learns it after the overlay, because it draws for the new size at once.
    if (this.#overlay === null) this.#passSize();
    else this.#overlay.session.redraw();
  };
  readonly #listeners: (readonly [name: NodeJS.Signals | 'exit', listener: () => void])[] = [];

  constructor(child: ChildCommand, { binding, modes, gesture }: Surroundings) {
    this.#gesture = gesture;
    this.#binding = binding;
    this.#modes = modes;
    this.#screen = new ScreenWriter(1, () => this.#hasRoom('screen'));
    this.#keeper = new ScreenKeeper(terminalSize(), () => this.#hasRoom('keeper'));
    this.#handBack = new HandBack(this.#keeper, (bytes) => this.#passInput(bytes));
    // Before the start: the program may print something and get a signal at once.
    this.#listen();
    setRawMode();
    this.#program = this.#start(child);
  }

  async run(): Promise<ChildExit> {
    try {
      this.#readKeys();
      for (;;) {
        const end = await this.#program.ended;
        this.#hasEnded = !this.#isReplacing;
        if (!this.#isReplacing) this.#overlay?.session.close();
        await this.#overlay?.closed;
        await this.#keeper.caughtUp();
        this.#showOutput(Buffer.from(this.#keeper.left()));
        const next = this.#next;
        this.#isReplacing = false;
        this.#next = null;
        if (next === null || this.#gesture === null) {
          await this.#screen.drained();
          return exitOf(end);
        }
        this.#program = this.#start(await this.#gesture.following(next));
        this.#program.onRoom(() => process.stdin.resume());
        if (next.words !== null) this.#handBack.begin(next.words);
      }
    } finally {
      this.#handBack.cancel();
      process.stdin.pause();
      process.stdin.removeAllListeners('data').removeAllListeners('end').removeAllListeners('error');
      this.#restoreTerminal();
      for (const [name, listener] of this.#listeners) process.off(name, listener);
      process.stdout.off('resize', this.#onResize);
      const words = this.#handBack.left;
      if (words !== null) writeAll(2, `Your prompt, which is in no program's input:\n${showText(words, 'keep')}\n`);
      if (this.#overlayFailure !== null) writeAll(2, failureAsText(asFailure(this.#overlayFailure), PLAIN));
    }
  }

  #start(child: ChildCommand): HostedProgram {
    return new HostedProgram(this.#binding, child, {
      modes: this.#modes,
      size: terminalSize(),
      onOutput: (bytes) => this.#receiveOutput(bytes),
    });
  }

  #listen(): void {
    for (const name of GROUP_SIGNALS) this.#on(name, () => this.#program.signal(name, true));
    this.#on('SIGTERM', () => this.#program.signal('SIGTERM', false));
    this.#on(STOPPED_SIGNAL, () => void this.#stopWithProgram());
    this.#on('SIGCONT', () => this.#takeTerminal());
    process.stdout.on('resize', this.#onResize);
    this.#on('exit', () => this.#abandonScreen());
  }

  #on(name: NodeJS.Signals | 'exit', listener: () => void): void {
    process.on(name, listener);
    this.#listeners.push([name, listener]);
  }

  #readKeys(): void {
    const { stdin } = process;
    this.#program.onRoom(() => stdin.resume());
    const pass = (bytes: Buffer): void => this.#passInput(bytes);
    const gesture =
      this.#gesture === null
        ? null
        : new Gesture(this.#gesture.key, this.#gesture.withinMs, { pass, open: () => void this.#openGesture() });
    stdin.on('data', (bytes: Buffer) => {
      if (this.#overlay !== null) this.#overlay.session.type(bytes);
      else if (gesture === null) pass(bytes);
      else gesture.receive(bytes);
    });
    // The terminal is gone.
    stdin.on('end', () => this.#program.hangUp());
    stdin.on('error', () => this.#program.hangUp());
    stdin.resume();
  }

  #passInput(bytes: Buffer): void {
    if (!this.#program.write(bytes)) process.stdin.pause();
  }

  #receiveOutput(bytes: Buffer): void {
    if (this.#overlay === null) this.#showOutput(bytes);
    else this.#overlay.session.hold(bytes);
  }

  #showOutput(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (!this.#screen.write(bytes)) this.#behind.add('screen');
    if (!this.#keeper.follow(bytes)) this.#behind.add('keeper');
    if (this.#behind.size > 0) this.#program.pause();
  }

  async #openGesture(): Promise<void> {
    if (this.#gesture !== null && this.#overlay === null) await this.#openOverlay(this.#gesture.overlay());
  }

  async show(overlay: Overlay): Promise<boolean> {
    while (this.#overlay !== null) await this.#overlay.closed;
    return !this.#hasEnded && (await this.#openOverlay(overlay));
  }

  async #openOverlay(overlay: Overlay): Promise<boolean> {
    const session = new OverlaySession(
      {
        screen: this.#screen,
        keeper: this.#keeper,
        size: terminalSize,
        show: (bytes) => this.#showOutput(bytes),
        pass: (bytes) => this.#passInput(bytes),
        pauseProgram: () => this.#wait('overlay'),
        program: this.#replaceable(),
      },
      overlay,
    );
    let isShown = false;
    const failed = (error: unknown): void => {
      this.#overlayFailure ??= error;
    };
    const closed = session
      .run()
      .then((shown) => {
        isShown = shown;
      }, failed)
      .then(() => {
        this.#overlay = null;
        this.#hasRoom('overlay');
        this.#passSize();
      });
    this.#overlay = { session, closed };
    await closed;
    return isShown;
  }

  /** The program, as the overlay has it. */
  #replaceable(): ReplaceableProgram {
    return {
      handBack: (words) => void this.#overlay?.closed.then(() => this.#handBack.begin(words)),
      interrupt: () => this.#passInput(INTERRUPT),
      end: () => this.#endProgram(),
      continueWith: (next) => {
        this.#next = next;
      },
    };
  }

  /** What the program writes at its end is shown after the overlay. */
  async #endProgram(): Promise<boolean> {
    const program = this.#program;
    this.#isReplacing = true;
    const hasEndedWithin = async (milliseconds: number): Promise<boolean> => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(false), milliseconds);
      });
      return Promise.race([program.ended.then(() => true), late]).finally(() => clearTimeout(timer));
    };
    program.signal('SIGTERM', false);
    if (await hasEndedWithin(END_MS)) return true;
    program.signal('SIGHUP', true);
    if (await hasEndedWithin(HANG_UP_MS)) return true;
    this.#isReplacing = false;
    return false;
  }

  #wait(who: 'overlay'): void {
    this.#behind.add(who);
    this.#program.pause();
  }

  /** Also tells the emulator, in the order in which the program's output comes. */
  #passSize(): void {
    const size = terminalSize();
    if (size.columns === this.#size.columns && size.rows === this.#size.rows) return;
    this.#size = size;
    this.#keeper.resize(size);
    this.#program.resize(size);
  }

  #hasRoom(who: 'screen' | 'keeper' | 'overlay'): void {
    this.#behind.delete(who);
    if (this.#behind.size === 0) this.#program.resume();
  }

  /** The program has stopped, so our job stops as well, and the shell of the user has the terminal again. */
  async #stopWithProgram(): Promise<void> {
    await this.#overlay?.closed;
    await new Promise((resolve) => setTimeout(resolve, LAST_OUTPUT_MS));
    await this.#screen.drained();
    this.#restoreTerminal();
    const forward = this.#listeners.find(([name]) => name === 'SIGTSTP')?.[1] ?? (() => undefined);
    process.off('SIGTSTP', forward);
    // Returns when the job is continued, or at once if no shell can do that.
    process.kill(0, 'SIGTSTP');
    process.on('SIGTSTP', forward);
    this.#takeTerminal();
    this.#program.continue();
  }

  #takeTerminal(): void {
    setRawMode();
    try {
      // The size may have changed while another program had the terminal. Node compares it at this event.
      process.emit('SIGWINCH');
    } catch {
      // The terminal is gone: a hang-up also continues the processes that have it.
    }
  }

  /** This process fails: what it knows of the screen may be a moment old. */
  #abandonScreen(): void {
    try {
      writeAll(1, `${this.#overlay === null ? '' : this.#keeper.overlayEnds()}${this.#keeper.left()}`);
    } catch {
      // The terminal is gone.
    }
    this.#restoreTerminal();
  }

  #restoreTerminal(): void {
    restoreTtyModes(this.#modes);
  }
}

function terminalSize(): TerminalSize {
  const [columns, rows] = process.stdout.getWindowSize();
  return { columns, rows };
}

const SIGNAL_STATUS = 128;

/** The shell in the pseudo-terminal reports a signal as its status. */
function exitOf({ status, signal }: ProgramEnd): ChildExit {
  const number = signal > 0 ? signal : status - SIGNAL_STATUS;
  const name = Object.entries(constants.signals).find(([, one]) => one === number)?.[0];
  return name === undefined ? { kind: 'exit', status } : { kind: 'signal', signal: name as NodeJS.Signals };
}
