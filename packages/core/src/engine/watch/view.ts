/** What a watch has seen of a workspace, and how two such views differ. */

import { createHash } from 'node:crypto';
import type { Fs } from '../../io/fs.ts';
import type { StoreLayout } from '../../store/layout.ts';
import { keepWatchView, readWatchView } from '../../store/state/watch-views.ts';
import type { Fact, Facts } from './fact.ts';
import { WATCHED_STATES, type WatchedState } from './states.ts';

export interface StateView {
  /** Changes whenever the state does. */
  readonly stamp: string;
  readonly facts: Facts;
}

/** The first and the last number of checkpoints without a gap. */
type Range = readonly [first: number, last: number];

export interface View {
  /**
   * All of them, not only the highest: a checkpoint can appear late, with a lower number than one that was there before.
   */
  readonly checkpoints: readonly Range[];
  /** Those that were looked at. */
  readonly states: Readonly<Partial<Record<WatchedState, StateView>>>;
}

/** One difference of two views. All of its events have the same place in a watch. */
export type Difference =
  | { readonly of: 'checkpoint'; readonly number: number }
  | {
      readonly of: 'fact';
      readonly state: WatchedState;
      readonly key: string;
      readonly before: Fact | null;
      readonly after: Fact | null;
    }
  | { readonly of: 'state'; readonly state: WatchedState };

/** @param numbers in ascending order */
export function rangesOf(numbers: Iterable<number>): readonly Range[] {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

export function newestIn({ checkpoints }: Pick<View, 'checkpoints'>): number {
  return checkpoints.at(-1)?.[1] ?? 0;
}

/** The same for the same two views, in whatever process. */
export function differencesOf(before: View, after: View): readonly Difference[] {
  const found: Difference[] = [];
  for (const number of numbersWithout(after.checkpoints, before.checkpoints)) found.push({ of: 'checkpoint', number });
  for (const state of WATCHED_STATES) {
    const [was, is] = [before.states[state], after.states[state]];
    if (is === undefined || is === was) continue;
    // Of a state that was not looked at before, it is only known that it may have changed.
    if (was !== undefined) {
      const keys = [...new Set([...Object.keys(was.facts), ...Object.keys(is.facts)])].sort();
      for (const key of keys) {
        const [old, now] = [was.facts[key] ?? null, is.facts[key] ?? null];
        if (!sameFact(old, now)) found.push({ of: 'fact', state, key, before: old, after: now });
      }
    }
    if (was?.stamp !== is.stamp) found.push({ of: 'state', state });
  }
  return found;
}

export function sameFacts(one: Facts, other: Facts): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** @returns the name by which another process finds the view */
export function keepView(fs: Fs, layout: StoreLayout, view: View): string {
  const name = nameOf(view);
  keepWatchView(fs, layout, name, view);
  return name;
}

/** @returns null if it was removed, or is damaged */
export function keptView(fs: Fs, layout: StoreLayout, name: string): View | null {
  // Its name proves that it is as it was written.
  return readWatchView(fs, layout, name, (json) => (nameOf(json as View) === name ? (json as View) : null));
}

const NAME_DIGITS = 16;

function nameOf(view: View): string {
  return createHash('sha256').update(JSON.stringify(view)).digest('hex').slice(0, NAME_DIGITS);
}

function sameFact(one: Fact | null, other: Fact | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function* numbersWithout(ranges: readonly Range[], without: readonly Range[]): Generator<number> {
  let at = 0;
  for (const [first, last] of ranges) {
    for (let number = first; number <= last; number++) {
      while (at < without.length && (without[at]?.[1] ?? 0) < number) at += 1;
      const skipped = without[at];
      if (skipped !== undefined && skipped[0] <= number) number = skipped[1];
      else yield number;
    }
  }
}
