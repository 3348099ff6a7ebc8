import { StringDecoder } from 'node:string_decoder';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import type { Project } from '@savepoint/testkit/command';
import { onWholeOutput } from './whole-output.ts';

const main = fileURLToPath(new URL('../../packages/cli/bundle/savepoint.js', import.meta.url));

export interface Shown {
  readonly status: number;
  readonly signal: number;
  /** Everything that the terminal received, standard output and error together. */
  readonly screen: string;
}

export interface TerminalOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  /** Keys to type when the screen shows a text; each once, in order. */
  readonly typed?: readonly (readonly [after: RegExp, keys: string])[];
  /** Runs just before `typed` is typed. */
  readonly meanwhile?: () => void;
  /** Called when the process has started. */
  readonly started?: (pid: number) => void;
}

/** Runs the real `savepoint` on a real pseudo-terminal. */
export function onTerminal(p: Project, args: readonly string[], options: TerminalOptions = {}): Promise<Shown> {
  return new Promise((resolve) => {
    const terminal = spawn(process.execPath, [main, ...args], {
      cwd: options.cwd ?? p.dir,
      cols: options.columns ?? 100,
      rows: 40,
      name: options.env?.['TERM'] ?? 'xterm-256color',
      encoding: null,
      env: { ...p.environment(), ...options.env },
    });
    options.started?.(terminal.pid);
    let screen = '';
    const typed = [...(options.typed ?? [])];
    const decoder = new StringDecoder('utf8');
    onWholeOutput(terminal, (bytes) => {
      screen += decoder.write(bytes);
      const next = typed[0];
      if (next === undefined || !next[0].test(screen)) return;
      typed.shift();
      options.meanwhile?.();
      terminal.write(next[1]);
    });
    terminal.onExit(({ exitCode, signal }) => resolve({ status: exitCode, signal: signal ?? 0, screen }));
  });
}
