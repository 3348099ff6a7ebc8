/**
 * A point in a watch, to continue from: `cp_12`, or `cp_12:` and the hash of the stamp of each state in the order of
 * {@link WATCHED_STATES}. A point of another version, with other states, continues with all of them as changed.
 */

import { createHash } from 'node:crypto';
import { WATCHED_STATES, type WatchedState } from './states.ts';

/** Text of a point; opaque to callers. */
export type WatchPoint = string;

export type Stamps = Readonly<Record<WatchedState, string>>;

export interface ReadPoint {
  /** The number of the last reported checkpoint. */
  readonly checkpoint: number;
  /** Null: the point does not say. */
  readonly stamps: Stamps | null;
}

const HASH_DIGITS = 8;
const POINT = /^cp_(0|[1-9]\d{0,8})(?::([0-9a-f]{0,400}))?$/;

export function hashOfStamp(stamp: string): string {
  return createHash('sha256').update(stamp).digest('hex').slice(0, HASH_DIGITS);
}

export function pointText(checkpoint: number, stamps: Stamps): WatchPoint {
  return `cp_${checkpoint}:${WATCHED_STATES.map((state) => stamps[state]).join('')}`;
}

/** @returns null if it is not a point */
export function readPoint(text: WatchPoint): ReadPoint | null {
  const [, number, hashes] = POINT.exec(text) ?? [];
  if (number === undefined) return null;
  const stamps = WATCHED_STATES.map((state, at) => [
    state,
    hashes?.slice(at * HASH_DIGITS, (at + 1) * HASH_DIGITS) ?? '',
  ]);
  return { checkpoint: Number(number), stamps: hashes === undefined ? null : (Object.fromEntries(stamps) as Stamps) };
}
