import type { DiskPath } from '../model/names.ts';

/** A program to be run. There is no shell: arguments reach it as they are. */
export interface ProgramRun {
  /** A path, or a name that is looked for in the PATH of `env`. */
  readonly file: string;
  /** Text. A name that is no UTF-8 cannot be an argument; give it as input, where the program takes it so. */
  readonly args: readonly string[];
  readonly cwd: DiskPath;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** What it reads from standard input; without it that is empty. Input that comes in parts holds it open until its end. */
  readonly input?: Uint8Array | AsyncIterable<Uint8Array>;
  /** Milliseconds after which it is ended, with all that it started. Default: it may take for ever. */
  readonly timeoutMs?: number;
  /** Ends it, with all that it started. */
  readonly signal?: AbortSignal;
  /** Of both outputs together; a program that says more is ended. Default {@link MAX_OUTPUT_BYTES}. */
  readonly maxBytes?: number;
}

export interface ProgramResult {
  /** Null where a signal ended it, or it never began. */
  readonly exit: number | null;
  /** As `SIGTERM`; null where it ended by itself, or never began. */
  readonly signal: string | null;
  /** `exit`: by itself. Otherwise why it was ended; the outputs are what had come until then. */
  readonly ended: 'exit' | 'timeout' | 'aborted' | 'too-much';
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

export const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Other programs, as a port. */
export interface Programs {
  /**
   * Runs a program in a group of its own, away from any terminal, and waits until its outputs are closed. One that is
   * ended gets SIGTERM, then SIGKILL, and so does everything in its group; what left the group is not reached. (On
   * Windows there are no such groups: the program alone is ended.)
   *
   * An exit status other than 0 is an answer, not a failure.
   * @throws SavepointError IO with `operation: 'run'` when it cannot be started; `code` ENOENT: there is no such program
   *   (or, where `path` is `cwd`, no such folder)
   */
  run(program: ProgramRun): Promise<ProgramResult>;
}
