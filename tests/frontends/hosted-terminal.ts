/** A terminal for `savepoint run`: a real pseudo-terminal, and an emulator that shows what its user sees. */
import { fileURLToPath } from 'node:url';
import { type IPty, spawn } from '@lydell/node-pty';
import type { Project } from '@savepoint/testkit/command';
import { onTestFinished } from 'vitest';

const main = fileURLToPath(new URL('../../packages/cli/bundle/savepoint.js', import.meta.url));
const GIVE_UP_MS = 20_000;

export interface TerminalStart {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export class HostedTerminal {
  readonly #pty: IPty;
  readonly exited: Promise<{ readonly status: number; readonly signal: number }>;
  #received: Buffer[] = [];

  /** Runs a shell script in which `$SAVEPOINT` is the command. */
  constructor(p: Project, script: string, { columns = 80, rows = 24, env = {} }: TerminalStart = {}) {
    this.#pty = spawn('/bin/sh', ['-c', script], {
      cwd: p.dir,
      cols: columns,
      rows,
      name: 'xterm-256color',
      encoding: null,
      env: { ...p.environment(), ...env, SAVEPOINT_COMMAND: `${process.execPath} ${main}` },
    });
    this.#pty.onData((data: unknown) => this.#received.push(data as Buffer));
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
    );
  }
}

/** Polls until the result is neither null nor false. */
export async function until<T>(look: () => T | null | false, what: () => string): Promise<T> {
  const end = performance.now() + GIVE_UP_MS;
  for (;;) {
    const found = look();
    if (found !== null && found !== false) return found;
    if (performance.now() > end) throw new Error(`Waited in vain for ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
