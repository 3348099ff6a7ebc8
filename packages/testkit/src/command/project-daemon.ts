import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { main } from './outcome.ts';

const PATIENCE_MS = 30_000;

/** Commands that ask a daemon. */
const ASKING: ReadonlySet<string> = new Set([
  ...['blame', 'diff', 'history', 'list', 'sessions', 'show', 'stats', 'status', 'turns'],
]);

/** The daemon of one project. It starts before the first command that asks it, once there is a store. */
export class ProjectDaemon {
  readonly #store: string;
  #pid: number | null = null;

  constructor(store: string) {
    this.#store = store;
  }

  /** Tests start commands synchronously, so this waits for the daemon in the same way. */
  startFor(args: readonly string[], env: NodeJS.ProcessEnv): void {
    if (this.#pid !== null || env['SAVEPOINT_HOME'] !== this.#store || env['SAVEPOINT_DAEMON'] === 'off') return;
    // Completion asks no daemon, and its arguments are those of another command.
    if (
      args[0] === '__complete' ||
      !args.some((word) => ASKING.has(word)) ||
      !fs.existsSync(path.join(this.#store, 'workspaces'))
    )
      return;
    const child = spawn(process.execPath, [main, 'daemon', 'run', '--idle', '300'], {
      cwd: '/',
      detached: true,
      stdio: 'ignore',
      env: { ...env, NODE_OPTIONS: undefined },
    });
    child.unref();
    this.#pid = child.pid ?? null;
    const began = performance.now();
    while (!this.#isLinked() && performance.now() - began < PATIENCE_MS) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }

  stop(): void {
    if (this.#pid === null) return;
    try {
      process.kill(this.#pid, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  }

  #isLinked(): boolean {
    return fs.existsSync(path.join(this.#store, 'daemon', 's'));
  }
}
