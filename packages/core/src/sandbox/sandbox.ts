import type { JsonName } from '../model/names.ts';

/** A command for a sandbox. No shell is involved; for a shell command line, run `sh -c LINE`. */
export interface SandboxCommand {
  /** Chosen by the caller and returned with the result. */
  readonly id: string;
  /** The program and its arguments, passed on unchanged. */
  readonly command: readonly [string, ...string[]];
  /** Absolute. Default: the sandbox's default working directory. */
  readonly cwd?: JsonName;
  /** Added to the sandbox's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input. Default: empty. */
  readonly input?: Uint8Array;
  /** Milliseconds after which the command and all its children are killed. Default: no limit. */
  readonly timeoutMs?: number;
  /** Kills the command and all its children. */
  readonly signal?: AbortSignal;
  /** Limit for stdout and stderr together; a command that exceeds it is killed. Default {@link MAX_COMMAND_BYTES}. */
  readonly mostBytes?: number;
}

/** How a command in a sandbox ended. */
export interface CommandResult {
  readonly id: string;
  /** Null if a signal killed the command, or it never started. */
  readonly exit: number | null;
  readonly signal: string | null;
  /** `exit`: it exited by itself. Otherwise why it was killed; the outputs are what it had written until then. */
  readonly ended: 'exit' | 'timeout' | 'aborted' | 'too-much';
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

export const MAX_COMMAND_BYTES = 64 * 1024 * 1024;

export interface FileOptions {
  readonly signal?: AbortSignal;
}

/**
 * Where an agent's commands run and its files are: the local machine, a remote machine, or a container of a service. A
 * sandbox may be hostile, so nothing that it returns is trusted.
 */
export interface Sandbox {
  /** Name for people: `local`, `ssh box.example`. */
  readonly name: string;

  /**
   * Runs a command. A nonzero exit status is a result, not an error.
   * @throws SavepointError IO with `operation: 'run'` if it cannot be started (`code` ENOENT: no such program or, if
   *   `path` is `cwd`, no such folder); SANDBOX_UNFIT, SANDBOX_LOST, SANDBOX_ANSWER
   */
  run(command: SandboxCommand): Promise<CommandResult>;

  /**
   * Reads a whole file, following symbolic links.
   * @param path absolute
   * @param options.mostBytes a longer file is IO with `code` EFBIG. Default {@link MAX_COMMAND_BYTES}
   * @returns null if the file does not exist (ENOENT, ENOTDIR); a file that exists but cannot be read is an error
   * @throws SavepointError IO, CANCELLED, SANDBOX_UNFIT, SANDBOX_LOST, SANDBOX_ANSWER
   */
  read(path: JsonName, options?: FileOptions & { readonly mostBytes?: number }): Promise<Buffer | null>;

  /**
   * Creates or atomically replaces a whole file, creating parent folders as needed. Nothing is recorded: wrap the call
   * in a session call, like any other work of an agent.
   * @param path absolute
   * @param options.mode permissions of a new file, 0 to 0o777. Default: the sandbox's default
   * @throws SavepointError IO, CANCELLED, SANDBOX_UNFIT, SANDBOX_LOST, SANDBOX_ANSWER
   */
  write(path: JsonName, content: Uint8Array, options?: FileOptions & { readonly mode?: number }): Promise<void>;

  close(): Promise<void>;
}
