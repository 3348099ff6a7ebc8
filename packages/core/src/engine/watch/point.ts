/**
 * A point in a watch, to continue from:
 * - `cp_12`: after that checkpoint; of all else it is only known that it may have changed
 * - `cp_12:VIEW`: everything up to that view was reported; `cp_12` is its newest checkpoint
 * - `cp_12:VIEW-VIEW.3`: of the differences of the two views, the first three were reported
 *
 * A point of an earlier version continues like `cp_12`.
 */

/** Text of a point; opaque to callers. */
export type WatchPoint = string;

export interface ReadPoint {
  /** The number of the newest reported checkpoint. */
  readonly checkpoint: number;
  /** The names of views; null: the point does not say. */
  readonly views: PointViews | null;
}

export interface PointViews {
  readonly before: string;
  /** Null: everything of `before` was reported, and nothing after. */
  readonly after: string | null;
  /** How many differences of the two were reported. */
  readonly reported: number;
}

const POINT = /^cp_(0|[1-9]\d{0,8})(?::([0-9a-f]{16})(?:-([0-9a-f]{16})\.(\d{1,9}))?|:[0-9a-f]{0,400})?$/;

export function pointText(checkpoint: number, { before, after, reported }: PointViews): WatchPoint {
  return `cp_${checkpoint}:${before}${after === null ? '' : `-${after}.${reported}`}`;
}

/** @returns null if it is not a point */
export function readPoint(text: WatchPoint): ReadPoint | null {
  const [, number, before, after = null, reported = '0'] = POINT.exec(text) ?? [];
  if (number === undefined) return null;
  const views = before === undefined ? null : { before, after, reported: Number(reported) };
  return { checkpoint: Number(number), views };
}
