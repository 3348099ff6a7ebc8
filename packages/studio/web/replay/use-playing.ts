import { useEffect, useState } from 'react';

export const SPEEDS = [0.5, 1, 2, 4] as const;
export type Speed = (typeof SPEEDS)[number];

const STEP_MS = 3_000;

export interface Playing {
  readonly isPlaying: boolean;
  readonly speed: Speed;
  readonly setPlaying: (change: (isPlaying: boolean) => boolean) => void;
  readonly setSpeed: (change: (speed: Speed) => Speed) => void;
}

/**
 * Goes on by itself, from step to step.
 * @param isShown whether the current step is loaded: it stays for its time from then on
 * @param isLast it stops there
 */
export function usePlaying(current: number, isShown: boolean, isLast: boolean, next: () => void): Playing {
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<Speed>(1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another step waits again
  useEffect(() => {
    if (!isPlaying || !isShown) return;
    const timer = setTimeout(() => (isLast ? setPlaying(false) : next()), STEP_MS / speed);
    return () => clearTimeout(timer);
  }, [isPlaying, speed, isShown, isLast, current]);
  return { isPlaying, speed, setPlaying, setSpeed };
}

export function nextSpeed(speed: Speed, by: 1 | -1): Speed {
  const at = SPEEDS.indexOf(speed) + by;
  return SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at))] ?? 1;
}
