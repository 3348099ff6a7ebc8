import { describe, expect, it } from 'vitest';
import {
  boundsOf,
  contradictionIn,
  type Known,
  nextStates,
  repairedStates,
  type Verdict,
} from '../../src/bisect/search.ts';

interface Outcome {
  readonly good: number;
  readonly bad: number;
  readonly runs: number;
  readonly steps: number;
  readonly contradiction: ReturnType<typeof contradictionIn>;
  readonly repaired: readonly number[];
}

interface Game {
  readonly count: number;
  readonly most?: number;
  readonly trustsEnds?: boolean;
  readonly results?: ReadonlyMap<number, Verdict>;
  readonly verdictOf: (state: number) => Verdict;
}

function play({ count, most = 1, trustsEnds = false, results = new Map(), verdictOf }: Game): Outcome {
  const known = new Map<number, Known>([...results].map(([state, verdict]) => [state, { verdict, source: 'result' }]));
  known.set(0, { verdict: 'good', source: 'said' }).set(count - 1, { verdict: 'bad', source: 'said' });
  let [runs, steps] = [0, 0];
  for (;;) {
    const contradiction = contradictionIn(count, known);
    const bounds = boundsOf(count, known);
    const next = contradiction === null ? nextStates(count, known, most, trustsEnds) : [];
    if (next.length === 0) return { ...bounds, runs, steps, contradiction, repaired: repairedStates(known, bounds) };
    expect(next.length).toBeLessThanOrEqual(most);
    for (const state of next) {
      expect(known.get(state)?.source).not.toBe('run');
      known.set(state, { verdict: verdictOf(state), source: 'run' });
    }
    runs += next.length;
    steps++;
  }
}

describe('the search', () => {
  it('finds every first bad one of 1,000 states with at most 11 runs, and both its neighbours were run', () => {
    for (let first = 1; first < 1000; first++) {
      const ran = new Set<number>();
      const found = play({
        count: 1000,
        verdictOf: (state) => {
          ran.add(state);
          return state < first ? 'good' : 'bad';
        },
      });
      expect(found).toMatchObject({ good: first - 1, bad: first, contradiction: null });
      expect(found.runs).toBeLessThanOrEqual(11);
      expect(ran.has(first - 1) && ran.has(first)).toBe(true);
    }
  });

  it('needs fewer steps with two at a time, and one run less if the ends are trusted', () => {
    for (let first = 1; first < 1000; first += 7) {
      const verdictOf = (state: number): Verdict => (state < first ? 'good' : 'bad');
      expect(play({ count: 1000, most: 2, verdictOf }).steps).toBeLessThanOrEqual(8);
      expect(play({ count: 1000, trustsEnds: true, verdictOf }).runs).toBeLessThanOrEqual(10);
    }
  });

  it('notices with the second run that a command always fails or always succeeds', () => {
    expect(play({ count: 1000, verdictOf: () => 'bad' })).toMatchObject({ runs: 2, contradiction: 'good-end-is-bad' });
    expect(play({ count: 1000, verdictOf: () => 'good' })).toMatchObject({ runs: 2, contradiction: 'bad-end-is-good' });
    expect(play({ count: 1000, verdictOf: () => 'skip' })).toMatchObject({
      runs: 2,
      contradiction: 'good-end-is-skipped',
    });
  });

  it('tests both ends if nothing is between them', () => {
    expect(play({ count: 2, verdictOf: (state) => (state === 0 ? 'good' : 'bad') })).toMatchObject({
      good: 0,
      bad: 1,
      runs: 2,
    });
    expect(play({ count: 2, verdictOf: () => 'bad' })).toMatchObject({ contradiction: 'good-end-is-bad' });
  });

  it('ends with a range if only states that cannot be tested are left', () => {
    const skipped = (state: number): boolean => state >= 400 && state < 430;
    for (const first of [390, 410, 450]) {
      const found = play({
        count: 1000,
        verdictOf: (state) => (skipped(state) ? 'skip' : state < first ? 'good' : 'bad'),
      });
      if (first === 410) expect(found).toMatchObject({ good: 399, bad: 430 });
      else expect(found).toMatchObject({ good: first - 1, bad: first });
    }
  });

  it('does not walk through a block of states that cannot be tested one by one', () => {
    const verdictOf = (state: number): Verdict => (state > 300 && state < 700 ? 'skip' : state < 900 ? 'good' : 'bad');
    const found = play({ count: 1000, verdictOf });
    expect(found).toMatchObject({ good: 899, bad: 900 });
    expect(found.runs).toBeLessThan(20);
  });

  it('looks for the last change to bad, and names bad states before a good one', () => {
    const found = play({ count: 90, most: 2, verdictOf: (state) => (state === 30 || state >= 70 ? 'bad' : 'good') });
    expect(found).toMatchObject({ good: 69, bad: 70, repaired: [30] });
  });

  it('test results shorten the search, and a wrong one at the end of it is found out', () => {
    const verdictOf = (state: number): Verdict => (state < 510 ? 'good' : 'bad');
    const results = new Map<number, Verdict>([
      [500, 'good'],
      [516, 'bad'],
    ]);
    const short = play({ count: 1000, results, verdictOf });
    expect(short).toMatchObject({ good: 509, bad: 510 });
    expect(short.runs).toBeLessThanOrEqual(5);
    const wrong = new Map<number, Verdict>([[600, 'good']]);
    expect(play({ count: 1000, results: wrong, verdictOf })).toMatchObject({ good: 509, bad: 510 });
  });
});
