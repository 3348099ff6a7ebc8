import type { DiskPath } from '../model/names.ts';

/** A command for a sandbox. There is no shell in it: for a line of one, run `sh -c LINE`. */
export interface SandboxCommand {
  /** The caller's own; it comes back with the result. */
  readonly id: string;
  /** The program, and its arguments as they are to reach it. */
  readonly command: readonly [string, ...string[]];
  /** Default: where the sandbox starts its programs. */
  readonly cwd?: DiskPath;
  /** Added to the environment that programs of the sandbox have. */
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads from standard input; without it that is empty. */
  readonly input?: Uint8Array;
  /** Milliseconds after which it is ended, with all that it started. Default: it may take for ever. */
  readonly timeoutMs?: number;
  /** Ends it, with all that it started. */
  readonly signal?: AbortSignal;
  /** Of both outputs together; a command that says more is ended. Default {@link MAX_COMMAND_BYTES}. */
  readonly mostBytes?: number;
}

/** How a command in a sandbox ended. */
export interface CommandResult {
  readonly id: string;
  /** Null where a signal ended it, or it never began. */
  readonly exit: number | null;
  readonly signal: string | null;
  /** `exit`: by itself. Otherwise why it was ended; the outputs are what had come until then. */
  readonly ended: 'exit' | 'timeout' | 'aborted' | 'too-much';
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

export const MAX_COMMAND_BYTES = 64 * 1024 * 1024;

export interface FileOptions {
  readonly signal?: AbortSignal;
}

/**
 * Where an agent's commands run and its files lie: this machine, one that is reached over a network, a container of a
 * service. What comes back from it is what it says, and nothing more: a sandbox may be hostile.
 */
export interface Sandbox {
  /** For people: `local`, `ssh box.example`. */
  readonly name: string;

  /**
   * An exit status other than 0 is an answer, not a failure.
   * @throws SavepointError IO with `operation: 'run'` when it cannot be started (`code` ENOENT: no such program, or,
   *   where `path` is `cwd`, no such folder); SANDBOX_UNFIT, SANDBOX_LOST, SANDBOX_ANSWER
   */
  run(command: SandboxCommand): Promise<CommandResult>;

  /**
   * A whole file; links are followed.
   * @param options.mostBytes a longer one is IO with `code` EFBIG. Default {@link MAX_COMMAND_BYTES}
   * @returns null where nothing is there (ENOENT, ENOTDIR); what is there and cannot be read is a failure
   * @throws SavepointError IO, CANCELLED, SANDBOX_UNFIT, SANDBOX_LOST, SANDBOX_ANSWER
   */
  read(path: DiskPath, options?: FileOptions & { readonly mostBytes?: number }): Promise<Buffer | null>;

  /**
   * A whole file, in the place of what was there, at once; its folders are made. Nothing is recorded: bracket it with a
   * session as any other work of an agent.
   * @param options.mode permissions of a file that is new, 0 to 0o777. Default: as the sandbox has it
   * @throws SavepointError IO, CANCELLED, SANDBOX_UNFIT, SANDBOX_LOST, SANDBOX_ANSWER
   */
  write(path: DiskPath, content: Uint8Array, options?: FileOptions & { readonly mode?: number }): Promise<void>;

  close(): Promise<void>;
}
