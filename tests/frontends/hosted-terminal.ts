/** A terminal for `savepoint run`: a real pseudo-terminal, and an emulator that shows what its user sees. */
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type IPty, spawn } from '@lydell/node-pty';
import type { Project } from '@savepoint/testkit/command';
import headless from '@xterm/headless';
import { onTestFinished } from 'vitest';
import { onWholeOutput } from './whole-output.ts';

const main = fileURLToPath(new URL('../../packages/cli/bundle/savepoint.js', import.meta.url));
const GIVE_UP_MS = 40_000;
const QUIET_MS = 150;

export interface TerminalStart {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** How long it waits for something to be displayed, in milliseconds. */
  readonly patienceMs?: number;
}

export class HostedTerminal {
  readonly #pty: IPty;
  readonly exited: Promise<{ readonly status: number; readonly signal: number }>;
  readonly #received: Buffer[] = [];
  readonly #emulator: headless.Terminal;
  readonly #patienceMs: number;

  /** Runs a shell script in which `$SAVEPOINT` is the command. */
  constructor(p: Project, script: string, start: TerminalStart = {}) {
    const { columns = 80, rows = 24, env = {}, patienceMs = GIVE_UP_MS } = start;
    this.#patienceMs = patienceMs;
    this.#pty = spawn('/bin/sh', ['-c', script], {
      cwd: p.dir,
      cols: columns,
      rows,
      name: 'xterm-256color',
      encoding: null,
      env: { ...p.environment(), ...env, SAVEPOINT_COMMAND: `${process.execPath} ${main}` },
    });
    this.#emulator = new headless.Terminal({
      cols: columns,
      rows,
      scrollback: 500,
      allowProposedApi: true,
      logLevel: 'off',
    });
    onWholeOutput(this.#pty, (bytes) => {
      this.#received.push(bytes);
      this.#emulator.write(bytes);
    });
    this.exited = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) => resolve({ status: exitCode, signal: signal ?? 0 }));
    });
    let isOver = false;
    void this.exited.then(() => {
      isOver = true;
    });
    onTestFinished(() => {
      if (!isOver) this.#pty.kill('SIGKILL');
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  get received(): Buffer {
    return Buffer.concat(this.#received);
  }

  get text(): string {
    return this.received.toString('utf8');
  }

  type(keys: string | Buffer): void {
    this.#pty.write(keys as string);
  }

  resize(columns: number, rows: number): void {
    this.#pty.resize(columns, rows);
    this.#emulator.resize(columns, rows);
  }

  /** The screen as its user sees it, and what the emulator knows of it. */
  async emulated(): Promise<Emulated> {
    await new Promise<void>((resolve) => this.#emulator.write('', resolve));
    return emulatedBy(this.#emulator);
  }

  /** Waits until the visible screen matches. */
  async displays(wanted: RegExp, patienceMs = this.#patienceMs): Promise<Emulated> {
    let last = '';
    return until(
      async () => {
        const now = await this.emulated();
        last = now.screen;
        return wanted.test(now.screen) ? now : null;
      },
      () => `${wanted} on the screen:\n${last}`,
      patienceMs,
    );
  }

  /** The screen once nothing of it has changed for a while. */
  async still(quietMs = QUIET_MS): Promise<Emulated> {
    let [before, since] = [await this.emulated(), performance.now()];
    return until(
      async () => {
        const now = await this.emulated();
        if (now.cells !== before.cells || now.cursor.join() !== before.cursor.join()) since = performance.now();
        before = now;
        return performance.now() - since > quietMs && now;
      },
      () => `a screen that stays as it is:\n${before.screen}`,
      this.#patienceMs,
    );
  }

  pause(): void {
    this.#pty.pause();
  }

  resume(): void {
    this.#pty.resume();
  }

  hangUp(): void {
    (this.#pty as unknown as { _socket: { destroy(): void } })._socket.destroy();
  }

  /** Waits until the output matches. */
  async shows(wanted: RegExp): Promise<RegExpExecArray> {
    return until(
      () => wanted.exec(this.text),
      () => `${wanted} in ${JSON.stringify(this.text.slice(-4_000))}`,
      this.#patienceMs,
    );
  }
}

export interface Emulated {
  /** The visible rows. */
  readonly screen: string;
  /** A digest of every cell with its style, also of rows that have scrolled away. */
  readonly cells: string;
  readonly cursor: readonly [column: number, row: number];
  readonly isAlternate: boolean;
  readonly isCursorHidden: boolean;
  readonly modes: Readonly<Record<string, unknown>>;
}

function emulatedBy(terminal: headless.Terminal): Emulated {
  const { active, normal } = terminal.buffer;
  const core = terminal as unknown as {
    readonly _core: { readonly coreService: { readonly isCursorHidden: boolean } };
  };
  const rows = Array.from({ length: terminal.rows }, (_, row) =>
    active.getLine(active.baseY + row)?.translateToString(),
  );
  const cells = [normal, active].flatMap((buffer) =>
    Array.from({ length: buffer.length }, (_, row) => {
      const line = buffer.getLine(row);
      return Array.from({ length: line?.length ?? 0 }, (_, column) => {
        const cell = line?.getCell(column);
        return [
          cell?.getChars() || ' ',
          cell?.getFgColor(),
          cell?.getBgColor(),
          cell?.isBold(),
          cell?.isInverse(),
        ].join();
      }).join('|');
    }),
  );
  return {
    screen: rows.join('\n'),
    cells: createHash('sha256').update(cells.join('\n')).digest('hex'),
    cursor: [active.cursorX, active.cursorY],
    isAlternate: active.type === 'alternate',
    isCursorHidden: core._core.coreService.isCursorHidden,
    modes: { ...terminal.modes },
  };
}

/** Polls until the result is neither null nor false. */
export async function until<T>(
  look: () => T | null | false | Promise<T | null | false>,
  what: () => string,
  patienceMs = GIVE_UP_MS,
): Promise<T> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found !== null && found !== false) return found;
    if (performance.now() > end) throw new Error(`Waited in vain for ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
