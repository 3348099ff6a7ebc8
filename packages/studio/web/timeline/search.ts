/** The filters of the timeline, as its address has them. */
import type { Grade } from '../data/authors.ts';
import { searchTexts } from '../data/search-texts.ts';

export interface TimelineSearch {
  readonly agent?: string;
  readonly session?: string;
  /** A path: only work on it or below it. */
  readonly file?: string;
  readonly grade?: Grade;
  /** Only turns with something in effect, or with something taken back. */
  readonly effect?: 'in' | 'back';
  readonly time?: Period;
  readonly text?: string;
  /** The turn that is open. */
  readonly open?: string;
}

/** Up to now. */
export type Period = keyof typeof HOURS;

const HOURS = { hour: 1, day: 24, week: 7 * 24, month: 30 * 24 } as const;
const HOUR_MS = 3_600_000;
const PERIODS = Object.keys(HOURS) as readonly Period[];
const GRADES: readonly Grade[] = ['sure', 'likely', 'open'];
const EFFECTS = ['in', 'back'] as const;
const TEXTS = ['agent', 'session', 'file', 'text', 'open'] as const;
const FILTERS = ['agent', 'session', 'file', 'grade', 'effect', 'time', 'text'] as const;

export type FilterName = (typeof FILTERS)[number];

export function timelineSearch(given: Readonly<Record<string, unknown>>): TimelineSearch {
  const grade = GRADES.find((one) => one === given['grade']);
  const effect = EFFECTS.find((one) => one === given['effect']);
  const time = PERIODS.find((one) => one === given['time']);
  return {
    ...searchTexts(given, TEXTS),
    ...(grade === undefined ? {} : { grade }),
    ...(effect === undefined ? {} : { effect }),
    ...(time === undefined ? {} : { time }),
  };
}

/** The filters that are set, without those in `except`. */
export function filtersIn(search: TimelineSearch, except: readonly FilterName[] = []): readonly FilterName[] {
  return FILTERS.filter((name) => search[name] !== undefined && !except.includes(name));
}

export function isFiltered(search: TimelineSearch): boolean {
  return filtersIn(search).length > 0;
}

/** @returns milliseconds since 1970, of which nothing before is shown */
export function sinceOf({ time }: TimelineSearch, now: number): number {
  return time === undefined ? 0 : now - HOURS[time] * HOUR_MS;
}
