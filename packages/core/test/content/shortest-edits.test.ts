import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { certainMatches, shortestMatches } from '../../src/content/shortest-edits.ts';

const plenty = () => ({ steps: 1_000_000 });

const sequence = (variety: number) =>
  fc.array(fc.nat({ max: variety - 1 }), { maxLength: 12 }).map((lines) => Int32Array.from(lines));
const pairs = fc.integer({ min: 1, max: 5 }).chain((variety) => fc.tuple(sequence(variety), sequence(variety)));

/** The textbook table algorithm: the length of the longest common subsequence, and the pairs that are in every one. */
function byTable(before: Int32Array, after: Int32Array): { readonly length: number; readonly certain: number[] } {
  const table = () => Array.from({ length: before.length + 2 }, () => new Array<number>(after.length + 2).fill(0));
  const at = (of: number[][], i: number, j: number) => (of[i] as number[])[j] as number;
  const front = table();
  const back = table();
  for (let i = 1; i <= before.length; i++)
    for (let j = 1; j <= after.length; j++)
      (front[i] as number[])[j] =
        before[i - 1] === after[j - 1]
          ? at(front, i - 1, j - 1) + 1
          : Math.max(at(front, i - 1, j), at(front, i, j - 1));
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      (back[i] as number[])[j] =
        before[i] === after[j] ? at(back, i + 1, j + 1) + 1 : Math.max(at(back, i + 1, j), at(back, i, j + 1));
  const length = at(front, before.length, after.length);
  const byRank: [number, number][][] = Array.from({ length }, () => []);
  for (let i = 0; i < before.length; i++)
    for (let j = 0; j < after.length; j++)
      if (before[i] === after[j] && at(front, i, j) + 1 + at(back, i + 1, j + 1) === length)
        byRank[at(front, i, j)]?.push([i, j]);
  const certain = new Array<number>(before.length).fill(-1);
  for (const [first, ...others] of byRank) if (first !== undefined && others.length === 0) certain[first[0]] = first[1];
  return { length, certain };
}

describe('shortest edits', () => {
  test('keep equal lines only, in order, and as many as can be kept', () => {
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        const matches = shortestMatches(before, after, plenty());
        const kept = [...(matches ?? [])].flatMap((match, i) => (match < 0 ? [] : [[i, match] as const]));
        for (const [i, match] of kept) expect(before[i]).toBe(after[match]);
        const order = kept.map(([, match]) => match);
        expect(order).toEqual([...new Set(order)].sort((a, b) => a - b));
        expect(kept.length).toBe(byTable(before, after).length);
      }),
      { numRuns: 3000 },
    );
  });

  test('certain are exactly the lines that every shortest diff keeps as the same line', () => {
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        expect([...(certainMatches(before, after, plenty()) ?? [])]).toEqual(byTable(before, after).certain);
      }),
      { numRuns: 3000 },
    );
  });

  test('one of equal lines removed: the shown diff takes the last, for a merge none of them is certain', () => {
    const before = Int32Array.of(7, 1, 1, 1, 8);
    const after = Int32Array.of(7, 1, 1, 8);
    expect([...(shortestMatches(before, after, plenty()) ?? [])]).toEqual([0, 1, 2, -1, 3]);
    expect([...(certainMatches(before, after, plenty()) ?? [])]).toEqual([0, -1, -1, -1, 3]);
  });

  test('gives up beyond the budget', () => {
    const before = Int32Array.from({ length: 2000 }, (_, i) => (i * 7919) % 13);
    const after = Int32Array.from({ length: 2000 }, (_, i) => (i * 6007) % 17);
    const budget = { steps: 50_000 };
    expect(shortestMatches(before, after, budget)).toBeNull();
    // It exceeds the limit by at most one row.
    expect(budget.steps).toBeGreaterThan(-10_000);
    expect(shortestMatches(before, after, { steps: 50_000_000 })).not.toBeNull();
  });

  test('gives up on more scattered edits than the table may hold, whatever the budget', () => {
    let seed = 1;
    const coin = () => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return seed >>> 31;
    };
    const before = Int32Array.from({ length: 40_000 }, coin);
    const after = Int32Array.from({ length: 40_000 }, coin);
    expect(certainMatches(before, after, { steps: Number.POSITIVE_INFINITY })).toBeNull();
  });

  test('many equal lines added at one end cost as many steps as there are lines, not their square', () => {
    const before = new Int32Array(10);
    const after = new Int32Array(100_000);
    expect(shortestMatches(before, after, { steps: 10_000_000 })?.length).toBe(10);
  });
});
