import type { DiskPath } from '../model/names.ts';
import type { ProcessIdentity } from './process-identity.ts';

/** A program to run. There is no shell: arguments are passed unchanged. */
export interface ProgramRun {
  /** A path, or a name to search for in the PATH of `env`. */
  readonly file: string;
  /** Text. A name that is not valid UTF-8 cannot be an argument. Pass it as input if the program supports that. */
  readonly args: readonly string[];
  readonly cwd: DiskPath;
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Standard input; empty by default. If input comes in parts, standard input stays open until they end. */
  readonly input?: Uint8Array | AsyncIterable<Uint8Array>;
  /** Timeout in milliseconds, after which the program and everything it started are killed. Default: no timeout. */
  readonly timeoutMs?: number;
  /** Aborting kills the program and everything it started. */
  readonly signal?: AbortSignal;
  /** Limit for both outputs together; a program that exceeds it is killed. Default {@link MAX_OUTPUT_BYTES}. */
  readonly maxBytes?: number;
  /**
   * Limit in bytes for the memory of the program and everything in its process group. It is measured about twice a
   * second, and only on Linux; a program that exceeds it is killed.
   */
  readonly maxMemory?: number;
  /** Receives each part of the output as it arrives. */
  readonly onOutput?: (part: Buffer, name: 'stdout' | 'stderr') => void;
}

export interface ProgramResult {
  /** Null if a signal ended the program, or it never started. */
  readonly exit: number | null;
  /** For example `SIGTERM`; null if the program exited by itself, or never started. */
  readonly signal: string | null;
  /** `exit`: by itself. Otherwise why it was killed; the outputs then have only what was received until then. */
  readonly ended: 'exit' | 'timeout' | 'aborted' | 'too-much';
  /** Present if it was killed because of `maxMemory`; `ended` is then `too-much`. */
  readonly exceededMemory?: true;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

export const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Other programs, as a port. */
export interface Programs {
  /**
   * Runs a program in its own process group, without a terminal, and waits until its outputs are closed. To kill it,
   * SIGTERM and then SIGKILL are sent to its whole group; processes that left the group are not reached. (Windows has
   * no such groups: only the program itself is killed.)
   *
   * An exit status other than 0 is a result, not an error.
   * @throws SavepointError IO with `operation: 'run'` if it cannot be started. `code` ENOENT: the program does not
   *   exist (or, if `path` is `cwd`, the folder).
   */
  run(program: ProgramRun): Promise<ProgramResult>;

  /**
   * Starts a program that runs until its standard input is closed, in its own process group, and waits for its first
   * line of output. The system closes the standard input if this process dies, however it dies.
   *
   * The program does not keep this process alive.
   * @param timeoutMs how long to wait for the first line; then the program is killed
   * @returns `held: false` if it ended without such a line: a result, not an error
   * @throws SavepointError IO as for `run`
   */
  hold(program: ProgramToHold, timeoutMs: number): Promise<HeldProgram | ProgramNotHeld>;
}

export type ProgramToHold = Pick<ProgramRun, 'file' | 'args' | 'cwd' | 'env'>;

/** A program that runs until its standard input is closed. */
export interface HeldProgram {
  readonly held: true;
  readonly process: ProcessIdentity;
  /** Its first line of output, without the line break, one character per byte. */
  readonly firstLine: string;
  /** Closes its standard input and waits until it has ended. After `timeoutMs`, its process group is killed. */
  release(timeoutMs: number): Promise<void>;
}

export interface ProgramNotHeld {
  readonly held: false;
  /** What it wrote to its error output, shortened. */
  readonly errors: string;
}
