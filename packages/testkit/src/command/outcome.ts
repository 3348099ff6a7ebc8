import { fileURLToPath } from 'node:url';

/** Path of the built command. */
export const main = fileURLToPath(new URL('../../../cli/bundle/savepoint.js', import.meta.url));
/** Path of the hook script. Agents' settings call it instead of the command, and it asks the daemon. */
export const hookScript = fileURLToPath(new URL('../../../cli/bundle/savepoint-hook', import.meta.url));

/** The result of one run of the real `savepoint` binary. */
export interface CommandOutcome {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Current folder of the process; by default the project's folder. */
  readonly cwd?: string;
  /** Added to the environment; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  /** Modules in `preload/` that are loaded before the binary, with their parameters. */
  readonly preload?: Readonly<Record<string, string>>;
}

/** Parameters of `preload/calls.mjs`, which documents each field. */
export interface CallWatch {
  readonly below: string;
  readonly calls: readonly string[];
  readonly nth?: number;
  readonly sticky?: boolean;
  readonly action?:
    | { readonly error: string }
    | { readonly kill: true }
    | { readonly save: { file: string; text: string } };
  readonly record?: string;
}

/**
 * Options for a run whose file system calls are recorded, or made to fail. The native add-on is off, because it does
 * not call node's functions.
 */
export function watchCalls(watch: CallWatch): RunOptions {
  return { preload: { calls: JSON.stringify(watch) }, env: { SAVEPOINT_NATIVE: 'off' } };
}

export function explain(args: readonly string[], outcome: CommandOutcome): string {
  return `savepoint ${args.join(' ')}: status ${outcome.status ?? outcome.signal}\n${outcome.stdout}\n${outcome.stderr}`;
}
