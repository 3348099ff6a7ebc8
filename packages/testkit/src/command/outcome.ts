import { fileURLToPath } from 'node:url';

/** The built command. */
export const main = fileURLToPath(new URL('../../../cli/bundle/savepoint.js', import.meta.url));
/** What stands before the command in agents' settings: it asks the daemon. */
export const hookScript = fileURLToPath(new URL('../../../cli/bundle/savepoint-hook', import.meta.url));

/** What a run of the real `savepoint` binary gave back. */
export interface CommandOutcome {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Where it runs; by default the project's folder. */
  readonly cwd?: string;
  /** Added to the environment; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  /** Modules of `preload/` that are loaded into the process before the binary, with what they are told. */
  readonly preload?: Readonly<Record<string, string>>;
}

/** What `preload/calls.mjs` is told; its head says what each field means. */
export interface CallWatch {
  readonly below: string;
  readonly calls: readonly string[];
  readonly nth?: number;
  readonly sticky?: boolean;
  readonly act?:
    | { readonly error: string }
    | { readonly kill: true }
    | { readonly save: { file: string; text: string } };
  readonly record?: string;
}

/** Options for a run whose calls to the file system are watched, or made to fail: the native add-on makes none of node's. */
export function watchCalls(watch: CallWatch): RunOptions {
  return { preload: { calls: JSON.stringify(watch) }, env: { SAVEPOINT_NATIVE: 'off' } };
}

export function explain(args: readonly string[], outcome: CommandOutcome): string {
  return `savepoint ${args.join(' ')}: status ${outcome.status ?? outcome.signal}\n${outcome.stdout}\n${outcome.stderr}`;
}
