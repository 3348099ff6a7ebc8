import type { Clock } from '@savepoint/core/ports';

/** A clock that only moves when the test moves it. A sleep moves it, too. */
export interface FixedClock extends Clock {
  /** Moves both times forward by `ms`. */
  advance(ms: number): void;
  /** Sets only the wall clock, forward or backward, as a user or a time server does. */
  setWallClock(ms: number): void;
}

/** @param start milliseconds since 1970 */
export function fixedClock(start = 1_700_000_000_000): FixedClock {
  let wall = start;
  let forward = 0;
  const advance = (ms: number): void => {
    wall += ms;
    forward += ms;
  };
  return {
    now: () => wall,
    monotonic: () => forward,
    sleep: async (ms) => advance(ms),
    turn: async () => {},
    advance,
    setWallClock: (ms) => {
      wall = ms;
    },
  };
}
