/**
 * Decides which states a bisect tests next. States are numbered by their order; the first is said to be good, and the
 * last to be bad.
 *
 * The search looks for the change because of which the last state is bad: the first bad state after the newest good one.
 * An end is tested as soon as a run contradicts it, so that a command that always fails or always succeeds is noticed
 * with the second run, and the answer rests on runs alone. Between two ends, a search of 1,000 states needs at most 11
 * runs.
 */

/** `skip`: the command could not tell. */
export type Verdict = 'good' | 'bad' | 'skip';

export interface Known {
  readonly verdict: Verdict;
  /** `said`: by the caller. `result`: the test result of the checkpoint. `run`: the command was run. */
  readonly source: 'said' | 'result' | 'run';
}

/** What is known of the states, by their number. */
export type KnownStates = ReadonlyMap<number, Known>;

/** The search goes on between these states. */
export interface Bounds {
  readonly good: number;
  readonly bad: number;
}

export type Contradiction = 'good-end-is-bad' | 'bad-end-is-good' | 'good-end-is-skipped' | 'bad-end-is-skipped';

/** @param count number of states, at least 2 */
export function boundsOf(count: number, known: KnownStates): Bounds {
  const bad = count - 1;
  let good = 0;
  for (const [state, { verdict }] of known) if (verdict === 'good' && state < bad && state > good) good = state;
  let first = bad;
  for (const [state, { verdict }] of known) if (verdict === 'bad' && state > good && state < first) first = state;
  return { good, bad: first };
}

/** Returns why no answer can be found; null while there may be one. */
export function contradictionIn(count: number, known: KnownStates): Contradiction | null {
  const [good, bad] = [known.get(0), known.get(count - 1)];
  if (good?.verdict === 'bad') return 'good-end-is-bad';
  if (bad?.verdict === 'good') return 'bad-end-is-good';
  if (good?.verdict === 'skip') return 'good-end-is-skipped';
  if (bad?.verdict === 'skip') return 'bad-end-is-skipped';
  return null;
}

/** Returns the bad states that have a good one after them. */
export function repairedStates(known: KnownStates, { good }: Bounds): readonly number[] {
  return [...known]
    .flatMap(([state, { verdict }]) => (verdict === 'bad' && state < good ? [state] : []))
    .sort(byNumber);
}

/** Returns the states of which nothing is known and that may have the answer. */
export function untested(known: KnownStates, { good, bad }: Bounds): readonly number[] {
  const states: number[] = [];
  for (let state = good + 1; state < bad; state++) if (!known.has(state)) states.push(state);
  return states;
}

/**
 * Returns the states to test next, at the same time. Empty: the search has ended.
 * @param most how many at the same time
 * @param trustsEnds whether what was said, and test results, need no run
 */
export function nextStates(count: number, known: KnownStates, most: number, trustsEnds: boolean): readonly number[] {
  const bounds = boundsOf(count, known);
  const open = untested(known, bounds);
  const ends = trustsEnds ? [] : doubtfulEnds(known, bounds, open.length === 0);
  const free = most - ends.length;
  return [...ends.slice(0, most), ...(free > 0 ? spread(open, bounds, skippedIn(known, bounds), free) : [])];
}

function doubtfulEnds(known: KnownStates, { good, bad }: Bounds, isLast: boolean): readonly number[] {
  const runs = [...known.values()].filter(({ source }) => source === 'run');
  if (runs.length === 0 && !isLast) return [];
  const needs = (end: number, verdict: Verdict): boolean =>
    known.get(end)?.source !== 'run' && (isLast || !runs.some((run) => run.verdict === verdict));
  return [...(needs(good, 'good') ? [good] : []), ...(needs(bad, 'bad') ? [bad] : [])];
}

function skippedIn(known: KnownStates, { good, bad }: Bounds): number {
  return [...known].filter(([state, { verdict }]) => verdict === 'skip' && state > good && state < bad).length;
}

/**
 * Chooses states that divide the open ones evenly. States that cannot be tested often lie side by side: after the second
 * one, the search goes elsewhere.
 */
function spread(open: readonly number[], { good, bad }: Bounds, skipped: number, most: number): readonly number[] {
  if (open.length <= most) return open;
  const chosen = new Set<number>();
  for (let part = 1; part <= most; part++) {
    const fraction = skipped < 2 ? part / (most + 1) : bitReversal(skipped + part - 1);
    const left = open.filter((state) => !chosen.has(state));
    chosen.add(
      skipped < 2
        ? left[Math.min(left.length - 1, Math.floor(open.length * fraction))]!
        : nearest(left, good + (bad - good) * fraction),
    );
  }
  return [...chosen].sort(byNumber);
}

/** 1/2, 1/4, 3/4, 1/8, 5/8, … */
function bitReversal(index: number): number {
  let [fraction, digit] = [0, 0.5];
  for (let rest = index; rest > 0; rest = Math.floor(rest / 2)) {
    fraction += (rest % 2) * digit;
    digit /= 2;
  }
  return fraction;
}

function nearest(states: readonly number[], place: number): number {
  return states.reduce((best, state) => (Math.abs(state - place) < Math.abs(best - place) ? state : best));
}

function byNumber(a: number, b: number): number {
  return a - b;
}
