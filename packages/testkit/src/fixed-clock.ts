import type { Clock } from '@savepoint/core/ports';

/** A clock that stands still until the test moves it; who sleeps moves it. */
export interface FixedClock extends Clock {
  /** Moves both times forward by `ms`. */
  advance(ms: number): void;
  /** Sets the wall clock alone, back or forth, as a person or a time server does. */
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
