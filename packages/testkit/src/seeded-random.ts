import type { Random } from '@savepoint/core/ports';

/** Random numbers that are reproducible with the same seed. */
export interface SeededRandom extends Random {
  readonly seed: number;
  /** 0 ≤ x < 1. */
  next(): number;
  /** 0 ≤ n < below. */
  integer(below: number): number;
  pick<T>(from: readonly T[]): T;
  /** Returns `count` elements (or all of them) in random order, without repetition. */
  sample<T>(from: readonly T[], count: number): T[];
  bytes(length: number): Buffer;
}

/** @param seed any integer; print it when a test fails */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  // mulberry32: small, fast, and uniform enough for tests
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (below: number): number => Math.floor(next() * below);
  const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => integer(256)));
  return {
    seed,
    next,
    integer,
    bytes,
    hex: (length) => bytes(length).toString('hex'),
    pick<T>(from: readonly T[]): T {
      if (from.length === 0) throw new Error('nothing to pick from');
      return from[integer(from.length)]!;
    },
    sample<T>(from: readonly T[], count: number): T[] {
      const rest = [...from];
      for (let at = 0; at < Math.min(count, rest.length - 1); at++) {
        const other = at + integer(rest.length - at);
        [rest[at], rest[other]] = [rest[other]!, rest[at]!];
      }
      return rest.slice(0, count);
    },
  };
}
