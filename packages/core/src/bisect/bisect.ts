/** Runs a bisect: tests states in copies until the change is found because of which the last state is bad. */

import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { CommandRun } from './copy-seat.ts';
import {
  boundsOf,
  type Contradiction,
  contradictionIn,
  type Known,
  nextStates,
  repairedStates,
  untested,
  type Verdict,
} from './search.ts';

/** A state that was tested. */
export interface TestedState {
  readonly checkpoint: Checkpoint;
  readonly verdict: Verdict;
  /** Null if the state could not be made; `problem` says why. */
  readonly run: CommandRun | null;
  readonly problem: string | null;
}

/** Reported after each run. */
export interface BisectStep extends TestedState {
  /** Number of states that may still be the first bad one and are not tested. */
  readonly left: number;
}

export interface BisectSearch {
  readonly states: readonly Checkpoint[];
  /** How many states to test at the same time. */
  readonly jobs: number;
  readonly trustsEnds: boolean;
  /** A command that cannot be started, or that a signal ends, skips the state. Otherwise it ends the search. */
  readonly keepsGoing: boolean;
  /** Whether the test results of checkpoints count. */
  readonly usesResults: boolean;
  readonly signal: AbortSignal | null;
  /** @param seat different for runs at the same time */
  run(state: Checkpoint, seat: number, signal: AbortSignal): Promise<CommandRun>;
  onStep(step: BisectStep): void;
}

export interface BisectEnd {
  /**
   * `found`: `bad` is the first bad state, and the state before it is good. `range`: it is after `good` and not after
   * `bad`; the states in between cannot be tested. `stopped`: the command cannot be run; see the last run. The others:
   * the ends are not as they were said to be.
   */
  readonly outcome: 'found' | 'range' | 'stopped' | Contradiction;
  /** The newest good state that is known, and the first bad one after it. */
  readonly good: Checkpoint;
  readonly bad: Checkpoint;
  /** In the order in which the runs ended. */
  readonly tested: readonly TestedState[];
  /** The states between `good` and `bad` that cannot be tested. */
  readonly skipped: readonly Checkpoint[];
  /** Bad states that are older than a good one: this fault was repaired, and is not the one that was searched. */
  readonly repaired: readonly Checkpoint[];
  /** States whose verdict is the test result of their checkpoint. */
  readonly fromResults: readonly Checkpoint[];
}

export async function runBisect(search: BisectSearch): Promise<BisectEnd> {
  const { states } = search;
  const known = knownAtFirst(search);
  const tested: TestedState[] = [];
  let stopped = false;
  const contradiction = (): Contradiction | null => contradictionIn(states.length, known);
  while (!stopped && contradiction() === null) {
    const next = nextStates(states.length, known, search.jobs, search.trustsEnds);
    if (next.length === 0) break;
    stopped = await testTogether(search, next, known, tested);
  }
  const bounds = boundsOf(states.length, known);
  const at = (state: number): Checkpoint => states[state]!;
  const between = states.slice(bounds.good + 1, bounds.bad);
  const repaired = repairedStates(known, bounds).map(at);
  return {
    outcome: stopped ? 'stopped' : (contradiction() ?? (between.length === 0 ? 'found' : 'range')),
    good: at(bounds.good),
    bad: at(bounds.bad),
    tested,
    skipped: between,
    repaired,
    fromResults: [...known].flatMap(([state, { source }]) => (source === 'result' ? [at(state)] : [])),
  };
}

function knownAtFirst({ states, usesResults }: BisectSearch): Map<number, Known> {
  const known = new Map<number, Known>();
  for (const [state, { testResult }] of states.entries()) {
    if (testResult !== null && usesResults) {
      known.set(state, { verdict: testResult === 'pass' ? 'good' : 'bad', source: 'result' });
    }
  }
  known.set(0, { verdict: 'good', source: 'said' });
  known.set(states.length - 1, { verdict: 'bad', source: 'said' });
  return known;
}

/**
 * Tests states at the same time. A run is cancelled once another one makes its result useless.
 * @returns whether the search must stop
 */
async function testTogether(
  search: BisectSearch,
  next: readonly number[],
  known: Map<number, Known>,
  tested: TestedState[],
): Promise<boolean> {
  const { states, signal } = search;
  const running = new Map(next.map((state) => [state, new AbortController()]));
  const abortAll = (): void => {
    for (const controller of running.values()) controller.abort();
  };
  signal?.addEventListener('abort', abortAll);
  const isAborted = (): boolean => signal?.aborted === true;
  let stopped = false;
  const test = async (state: number, seat: number): Promise<void> => {
    const controller = running.get(state)!;
    try {
      if (isAborted()) throw cancelled();
      const one = await testState(search, states[state]!, seat, controller.signal);
      running.delete(state);
      if (one === 'cancelled') {
        if (isAborted()) throw cancelled();
        return;
      }
      const { stops, ...result } = one;
      tested.push(result);
      stopped ||= stops;
      if (!stops) known.set(state, { verdict: result.verdict, source: 'run' });
      const bounds = boundsOf(states.length, known);
      search.onStep({ ...result, left: untested(known, bounds).length });
      if (stops) abortAll();
      for (const [other, run] of running) if (other < bounds.good || other > bounds.bad) run.abort();
    } catch (error) {
      running.delete(state);
      abortAll();
      throw error;
    }
  };
  try {
    // All runs must have ended before the copies are dropped.
    const ends = await Promise.allSettled(next.map(test));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  } finally {
    signal?.removeEventListener('abort', abortAll);
  }
  return stopped;
}

async function testState(
  { run, keepsGoing }: BisectSearch,
  checkpoint: Checkpoint,
  seat: number,
  signal: AbortSignal,
): Promise<(TestedState & { readonly stops: boolean }) | 'cancelled'> {
  try {
    const result = await run(checkpoint, seat, signal);
    const { status, problem } = result;
    const isUnusable = status === 126 || status === 127 || status > 127;
    const verdict = status === 0 ? 'good' : status === 125 || isUnusable ? 'skip' : 'bad';
    return { checkpoint, verdict, run: result, problem, stops: isUnusable && !keepsGoing };
  } catch (error) {
    if (!(error instanceof SavepointError)) throw error;
    if (error.code === 'CANCELLED' && signal.aborted) return 'cancelled';
    // One state that cannot be made does not end the search.
    if (error.code !== 'STORE_DAMAGED') throw error;
    return { checkpoint, verdict: 'skip', run: null, problem: error.message, stops: false };
  }
}

function cancelled(): SavepointError {
  return new SavepointError('CANCELLED', 'The bisect was cancelled.');
}
