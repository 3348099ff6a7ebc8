/** A copy in which a command runs at one state after another. */

import type { OpenCopy } from '../copy/copy.ts';
import { moveCopyTo } from '../copy/move-to.ts';
import type { MadeCopy } from '../copy/open-copy.ts';
import type { Pace } from '../io/pace.ts';
import type { Ports } from '../io/ports.ts';
import type { ProgramResult } from '../io/programs.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { TreePath } from '../model/names.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';

/** A program, without a shell, with its whole environment. */
export interface StateCommand {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** How a command ended at a state. */
export interface CommandRun {
  /** As shells report it: 127 if it was not found, 126 if it cannot be started, 128 plus the number of a signal. */
  readonly status: number;
  /** Why the status is not its own: it cannot be started, a signal ended it, or it printed too much. Null: it is. */
  readonly problem: string | null;
  /** The end of its standard output and of its error output. */
  readonly stdout: string;
  readonly stderr: string;
  /** In milliseconds. */
  readonly took: number;
}

export interface SeatSource {
  readonly ports: Ports;
  readonly pace: Pace;
  /** Makes a copy with the state of a checkpoint. */
  makeCopy(at: Checkpoint): Promise<MadeCopy>;
  inWorkspace<T>(work: (workspace: Workspace) => Promise<T>): Promise<T>;
  /** Makes a new copy for each state, so that nothing stays of a command that ran before. */
  readonly isClean: boolean;
}

export class CopySeat {
  #copy: OpenCopy | null = null;
  #base: Checkpoint | null = null;
  #at: Checkpoint | null = null;
  /** What the copies do not isolate, and why better ones were not possible. */
  readonly notes = new Set<string>();
  /** Paths whose state was not captured at some of the states. */
  readonly unknown = new Set<TreePath>();

  constructor(private readonly source: SeatSource) {}

  /**
   * Brings the copy to a state.
   * @throws SavepointError STORE_DAMAGED, NO_SPACE, IO, CANCELLED, and what making a copy throws
   */
  async moveTo(state: Checkpoint): Promise<OpenCopy> {
    const { isClean, makeCopy, inWorkspace, pace } = this.source;
    const { touched } = await this.#leave(isClean);
    if (this.#copy === null || this.#base === null) {
      const made = await makeCopy(state);
      for (const note of made.notes) this.notes.add(note);
      this.#copy = made.copy;
      this.#base = state;
    }
    // A new copy as well: the workspace may have changed while it was made.
    const [copy, base] = [this.#copy, this.#base];
    if (!touched && this.#at?.number === state.number) return copy;
    this.#at = null;
    const moved = await inWorkspace((workspace) => moveCopyTo(workspace, copy, base.snapshot, state.snapshot, pace));
    for (const path of moved.unknown) this.unknown.add(path);
    this.#at = state;
    return copy;
  }

  /** @throws SavepointError what `moveTo` throws; CANCELLED if the signal was aborted */
  async run(state: Checkpoint, { command, env }: StateCommand, signal: AbortSignal): Promise<CommandRun> {
    const copy = await this.moveTo(state);
    const { ports } = this.source;
    const [file = '', ...args] = command;
    const started = ports.clock.monotonic();
    this.#hasRun = true;
    const took = (): number => Math.round(ports.clock.monotonic() - started);
    let result: ProgramResult;
    try {
      result = await ports.programs.run({
        ...copy.command({ file, args, env: { ...env, [STATE_VARIABLE]: state.id } }),
        signal,
      });
    } catch (error) {
      if (!(error instanceof SavepointError) || error.code !== 'IO') throw error;
      const isMissing = (error.data as { readonly code?: unknown }).code === 'ENOENT';
      return { status: isMissing ? 127 : 126, problem: error.message, stdout: '', stderr: '', took: took() };
    }
    if (result.ended === 'aborted') throw new SavepointError('CANCELLED', 'The command was cancelled.');
    return { ...statusOf(result), stdout: endOf(result.stdout), stderr: endOf(result.stderr), took: took() };
  }

  /** Ends all processes in the copy, and removes it. */
  async close(): Promise<void> {
    const copy = this.#copy;
    this.#copy = null;
    this.#base = null;
    this.#at = null;
    await copy?.drop();
  }

  #hasRun = false;

  /** Drops the copy if it must not be used again. Processes that a command left would change the next state. */
  async #leave(isClean: boolean): Promise<{ readonly touched: boolean }> {
    const touched = this.#hasRun;
    if (touched && (isClean || (this.#copy?.processes().length ?? 0) > 0)) await this.close();
    this.#hasRun = false;
    return { touched };
  }
}

/** Tells a command the checkpoint at which it runs. */
const STATE_VARIABLE = 'SAVEPOINT_CHECKPOINT';

const KEPT_OUTPUT = 4096;

function endOf(output: Buffer): string {
  return output.subarray(-KEPT_OUTPUT).toString('utf8');
}

function statusOf({ exit, signal, ended }: ProgramResult): Pick<CommandRun, 'status' | 'problem'> {
  if (ended === 'too-much') return { status: 137, problem: 'it was killed because it printed too much' };
  if (exit !== null) return { status: exit, problem: null };
  return { status: 128 + (SIGNALS.get(signal ?? '') ?? 0), problem: `${signal ?? 'a signal'} ended it` };
}

const SIGNALS: ReadonlyMap<string, number> = new Map([
  ['SIGHUP', 1],
  ['SIGINT', 2],
  ['SIGQUIT', 3],
  ['SIGILL', 4],
  ['SIGTRAP', 5],
  ['SIGABRT', 6],
  ['SIGBUS', 7],
  ['SIGFPE', 8],
  ['SIGKILL', 9],
  ['SIGUSR1', 10],
  ['SIGSEGV', 11],
  ['SIGUSR2', 12],
  ['SIGPIPE', 13],
  ['SIGALRM', 14],
  ['SIGTERM', 15],
]);
