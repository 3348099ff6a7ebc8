/** Calls that run a command at one state of the timeline after another, in copies. */

import { type BisectEnd, type BisectStep, runBisect } from '../../bisect/bisect.ts';
import { type CommandRun, CopySeat, type SeatSource } from '../../bisect/copy-seat.ts';
import type { ReplayAnswer, ReplayStep } from '../../bisect/replay.ts';
import { type States, type StepSize, statesBetween } from '../../bisect/states.ts';
import { type Step, Steps } from '../../bisect/steps.ts';
import type { CopyPurpose, CopyRung } from '../../copy/copy.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import type { DiskPath, TreePath } from '../../model/names.ts';
import type { DamagedCheckpoint } from '../../timeline/record/timeline.ts';
import { makeWorkspaceCopy } from '../copies/workspace-copy.ts';
import type { Engine } from '../engine.ts';
import { laterResults } from './test-results.ts';

interface StateRunOptions extends CallOptions {
  /** The whole environment of the command; nothing is inherited. Default: only a PATH. */
  readonly env?: Readonly<Record<string, string>>;
  /** Step by the prompts to agents instead of by checkpoints. */
  readonly turns?: boolean;
  /** Make a new copy for each state, so that also paths that are not captured are as in the folder. */
  readonly clean?: boolean;
  readonly rungs?: readonly CopyRung[];
}

export interface BisectOptions extends StateRunOptions {
  /** The names of a checkpoint at which the command succeeds, and of a newer one at which it fails. */
  readonly good: string;
  readonly bad: string;
  /** The program and its arguments. Exit status 0: good, 125: unknown, 126, 127 and above: stop, others: bad. */
  readonly command: readonly string[];
  /** How many states to test at the same time. Default 1. */
  readonly jobs?: number;
  readonly trustEnds?: boolean;
  readonly keepGoing?: boolean;
  /** Do not use the test results of checkpoints. */
  readonly ignoreResults?: boolean;
  readonly onStep?: (step: BisectStep) => void;
}

export interface ReplayOptions extends StateRunOptions {
  /** The names of the first and the last checkpoint. Default: the oldest, and the newest. */
  readonly from?: string;
  readonly to?: string;
  /** The program and its arguments. Default: nothing is run. */
  readonly command?: readonly string[];
  readonly stopOnFailure?: boolean;
  /** Make a copy also if there is no command. */
  readonly withFiles?: boolean;
  /** Called at each state; the replay waits for the answer. */
  readonly onStep?: (step: ReplayStep) => Promise<ReplayAnswer>;
}

interface StateRunNotes {
  /** Number of different states, the ends included. */
  readonly states: number;
  /** Checkpoints that were left out, because they cannot be read. */
  readonly damaged: readonly DamagedCheckpoint[];
  /** Why better ways to make a copy were not possible. */
  readonly notes: readonly string[];
  /** Paths that were not captured at some state, and were left as they were. */
  readonly unknown: readonly TreePath[];
}

export interface BisectResult extends BisectEnd, StateRunNotes {
  /** What leads from the good state to the bad one. */
  readonly step: Step;
}

export interface ReplayResult extends StateRunNotes {
  readonly steps: readonly ReplayStep[];
}

export interface StateRunCalls {
  /**
   * Finds the change between two checkpoints because of which a command fails. The command runs in copies, and the
   * workspace is not changed.
   * @throws SavepointError USAGE, UNKNOWN_CHECKPOINT, CANCELLED, and what `openCopy` throws
   */
  bisect(options: BisectOptions): Promise<BisectResult>;
  /**
   * Takes a copy through the states between two checkpoints, in order, and runs a command at each.
   * @throws SavepointError USAGE, UNKNOWN_CHECKPOINT, CANCELLED, and what `openCopy` throws
   */
  replay(options: ReplayOptions): Promise<ReplayResult>;
}

export function stateRunCalls(engine: Engine): StateRunCalls {
  return {
    bisect: (options) => engine.mapErrors(() => bisect(engine, options)),
    replay: (options) => engine.mapErrors(() => replay(engine, options)),
  };
}

async function bisect(engine: Engine, options: BisectOptions): Promise<BisectResult> {
  const { good, bad, command, jobs = 1 } = options;
  assertCommand(command);
  const { states, damaged, steps } = await statesOf(engine, good, bad, options.turns === true ? 'turn' : 'checkpoint');
  if (states.length < 2) {
    const [at] = states;
    const message = `No file differs between the good and the bad checkpoint${at === undefined ? '' : ` (${at.id})`}.`;
    throw new SavepointError('USAGE', message, { argument: bad }, { hint: 'Choose other ends.' });
  }
  const seats = new Seats(engine, 'bisect', options);
  return seats.during(async () => {
    const end = await runBisect({
      states,
      jobs,
      trustsEnds: options.trustEnds === true,
      keepsGoing: options.keepGoing === true,
      usesResults: options.ignoreResults !== true,
      signal: options.signal ?? null,
      run: (state, seat, signal) => seats.at(seat).run(state, { command, env: envOf(engine, options) }, signal),
      onStep: options.onStep ?? (() => undefined),
    });
    return { ...end, step: steps.between(end.good, end.bad), states: states.length, damaged, ...seats.notes() };
  });
}

async function replay(engine: Engine, options: ReplayOptions): Promise<ReplayResult> {
  const { command, onStep, signal = new AbortController().signal } = options;
  if (command !== undefined) assertCommand(command);
  const from = options.from ?? (await oldest(engine));
  const size = options.turns === true ? 'turn' : 'checkpoint';
  const { states, damaged, steps } = await statesOf(engine, from, options.to ?? 'last', size);
  const seats = new Seats(engine, 'replay', options);
  return seats.during(async () => {
    const done: ReplayStep[] = [];
    for (const [index, state] of states.entries()) {
      if (signal.aborted) throw new SavepointError('CANCELLED', 'The replay was cancelled.');
      const step = steps.between(states[index - 1] ?? state, state);
      const reached = await reach(seats, state, options, envOf(engine, options), signal);
      const one: ReplayStep = { ...step, number: index + 1, ...reached };
      done.push(one);
      const failed = one.problem !== null || (one.run !== null && one.run.status !== 0);
      if ((await onStep?.(one)) === 'stop' || (failed && options.stopOnFailure === true)) break;
    }
    return { steps: done, states: states.length, damaged, ...seats.notes() };
  });
}

async function reach(
  seats: Seats,
  state: Checkpoint,
  { command, withFiles = false }: ReplayOptions,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Pick<ReplayStep, 'files' | 'run' | 'problem'>> {
  let run: CommandRun | null = null;
  let files: DiskPath | null = null;
  try {
    if (command !== undefined) run = await seats.at(0).run(state, { command, env }, signal);
    else if (withFiles) files = (await seats.at(0).moveTo(state)).files;
  } catch (error) {
    if (!(error instanceof SavepointError) || error.code !== 'STORE_DAMAGED') throw error;
    return { files, run, problem: error.message };
  }
  return { files, run, problem: run?.problem ?? null };
}

function assertCommand(command: readonly string[]): void {
  if (command.length > 0 && command[0] !== '') return;
  throw new SavepointError('USAGE', 'There is no command to run.', { argument: 'command' });
}

async function oldest(engine: Engine): Promise<string> {
  return engine.read(({ timeline }) => {
    const [first] = timeline.list();
    if (first === undefined) throw new SavepointError('NO_CHECKPOINT', 'This workspace has no checkpoint yet.');
    return `cp_${first.number}`;
  });
}

function statesOf(
  engine: Engine,
  from: string,
  to: string,
  size: StepSize,
): Promise<States & { readonly steps: Steps }> {
  return engine.read((workspace) => {
    const { timeline } = workspace;
    const [first, last] = [engine.resolve(workspace, from), engine.resolve(workspace, to)];
    const { states, damaged } = statesBetween(timeline, first, last, size);
    return { states: states.map(laterResults(engine, workspace)), damaged, steps: new Steps(timeline, last) };
  });
}

function envOf(engine: Engine, { env }: StateRunOptions): Readonly<Record<string, string>> {
  return env ?? { PATH: engine.context().places.searchPath ?? '' };
}

/** The copies of one call, one for each run at the same time. */
class Seats {
  readonly #seats = new Map<number, CopySeat>();

  constructor(
    private readonly engine: Engine,
    private readonly purpose: CopyPurpose,
    private readonly options: StateRunOptions,
  ) {}

  at(number: number): CopySeat {
    const seat = this.#seats.get(number) ?? new CopySeat(this.#source());
    this.#seats.set(number, seat);
    return seat;
  }

  /** Drops all copies at the end, also of a failure. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      for (const seat of this.#seats.values()) await seat.close();
    }
  }

  notes(): Pick<StateRunNotes, 'notes' | 'unknown'> {
    const seats = [...this.#seats.values()];
    return {
      notes: [...new Set(seats.flatMap(({ notes }) => [...notes]))],
      unknown: [...new Set(seats.flatMap(({ unknown }) => [...unknown]))],
    };
  }

  #source(): SeatSource {
    const { engine, purpose } = this;
    const { clean = false, rungs, signal } = this.options;
    const options: CallOptions = signal === undefined ? {} : { signal };
    return {
      ports: engine.ports,
      pace: engine.pace(options),
      isClean: clean,
      inWorkspace: (work) => engine.read(work),
      makeCopy: (at) =>
        makeWorkspaceCopy(engine, {
          ...options,
          purpose,
          at: at.id,
          isLong: true,
          ...(rungs === undefined ? {} : { rungs }),
        }),
    };
  }
}
