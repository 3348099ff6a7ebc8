/** Runs a command in the foreground and forwards signals to it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { watchOwner } from './end-with-owner.ts';
import { systemCode } from './system-error.ts';

export interface ChildCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** How the command ended. `failed`: it could not be started; `code` is the system's error code. */
export type ChildExit =
  | { readonly kind: 'exit'; readonly status: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'failed'; readonly code: string };

/** A terminal sends these signals to all foreground processes. Forwarding them would deliver them twice. */
const TERMINAL_SIGNALS = ['SIGINT', 'SIGQUIT'] as const;
const OTHER_SIGNALS = ['SIGTERM', 'SIGHUP'] as const;

/**
 * Runs the command with this process's standard streams. Signals go to the child and do not end this process.
 * @param options.outputTo the stream of this process that its standard output is
 * @param options.endsWithThis whether the command is ended if this process is killed
 */
export function runInForeground(
  { file, args, cwd, env }: ChildCommand,
  { outputTo = 1, endsWithThis = false }: { readonly outputTo?: 1 | 2; readonly endsWithThis?: boolean } = {},
): Promise<ChildExit> {
  const watch = endsWithThis ? watchOwner() : null;
  const atTerminal = [0, 1, 2].some((fd) => isatty(fd));
  return new Promise((resolve) => {
    let child: ChildProcess | null = null;
    const earlySignals: NodeJS.Signals[] = [];
    const forward = (signal: NodeJS.Signals): void => {
      if (child === null) earlySignals.push(signal);
      else child.kill(signal);
    };
    const ignoreSignal = (): void => {};
    // Before spawning: the child may print something and get a Ctrl-C before `spawn` returns.
    for (const signal of TERMINAL_SIGNALS) process.on(signal, atTerminal ? ignoreSignal : forward);
    for (const signal of OTHER_SIGNALS) process.on(signal, forward);
    child = spawn(file, args, { cwd, env, stdio: [0, outputTo, 2], argv0: file });
    if (child.pid !== undefined) watch?.started(child.pid);
    for (const signal of earlySignals) child.kill(signal);
    const finish = (exit: ChildExit): void => {
      watch?.ended();
      for (const signal of [...TERMINAL_SIGNALS, ...OTHER_SIGNALS])
        process.off(signal, forward).off(signal, ignoreSignal);
      resolve(exit);
    };
    child.on('error', (error) => {
      // Failed to start. Other errors, for example of `kill`, do not end the child.
      if (child?.pid === undefined) finish({ kind: 'failed', code: systemCode(error) ?? 'EIO' });
    });
    child.on('exit', (status, signal) =>
      finish(signal === null ? { kind: 'exit', status: status ?? 0 } : { kind: 'signal', signal }),
    );
  });
}

/** The exit status as shells report it. */
export function exitStatusOf(exit: ChildExit): number {
  switch (exit.kind) {
    case 'exit':
      return exit.status;
    case 'signal':
      return 128 + constants.signals[exit.signal];
    case 'failed':
      return exit.code === 'ENOENT' ? 127 : 126;
  }
}
