/** Figures over time: one row for each day or week, the oldest first. */

import type { Checkpoint, RecordedChange } from '../../model/checkpoint.ts';

export interface SeriesChoice {
  readonly by: 'day' | 'week';
  /** How many rows, up to now. Default: 30 days, or 12 weeks. */
  readonly most?: number;
  /** Where a day begins: minutes east of UTC. Default 0. */
  readonly utcOffset?: number;
}

/** Durations are medians, in milliseconds; null if there is nothing to count. */
export interface SeriesRow {
  /** Its first day: `2026-01-31`. */
  readonly from: string;
  readonly turns: number;
  readonly checkpoints: number;
  /** Changes by agents' tools and by edits, as in all statistics, and their lines. */
  readonly changes: number;
  readonly added: number;
  readonly removed: number;
  /** The calls and edits that made these changes, and those of which something was reverted, whenever that was. */
  readonly steps: number;
  readonly takenBack: number;
  readonly rollBackRate: number | null;
  readonly restores: number;
  readonly rollbacks: number;
  readonly undos: number;
  readonly plansProposed: number;
  readonly plansApproved: number;
  readonly plansApplied: number;
  /** From the proposal to the first approval, of plans that were approved then. */
  readonly timeToApproval: number | null;
  /** From the approval to the application, of what was applied then. */
  readonly timeToApply: number | null;
  /** Of the checks whose outcomes are kept with checkpoints. */
  readonly checksPassed: number;
  readonly checksFailed: number;
  /** How often the guard took work back. */
  readonly guardTookBack: number;
}

type Count = {
  [Key in keyof SeriesRow]: SeriesRow[Key] extends number ? Key : never;
}[keyof SeriesRow];

const DAY_MS = 86_400_000;
/** Of the day 0, a Thursday: weeks begin on Mondays. */
const DAYS_SINCE_MONDAY = 3;
const DEFAULT_ROWS = { day: 30, week: 12 } as const;
const COUNTED_TRIGGERS: Readonly<Record<string, Count>> = {
  prompt: 'turns',
  restore: 'restores',
  rollback: 'rollbacks',
  undo: 'undos',
};

export class Series {
  readonly #by: SeriesChoice['by'];
  readonly #offsetMs: number;
  readonly #first: number;
  readonly #rows: Row[];

  /** @param now milliseconds since 1970 */
  constructor({ by, most = DEFAULT_ROWS[by], utcOffset = 0 }: SeriesChoice, now: number) {
    this.#by = by;
    this.#offsetMs = utcOffset * 60_000;
    this.#first = this.#placeOf(now) - most + 1;
    this.#rows = Array.from({ length: most }, () => new Row());
  }

  addCheckpoint({ time, trigger }: Checkpoint): void {
    this.add(time, 'checkpoints');
    const count = COUNTED_TRIGGERS[trigger];
    if (count !== undefined) this.add(time, count);
  }

  /** @param step identifies the call or edit */
  addChange(
    time: number,
    { added, removed }: Pick<RecordedChange, 'added' | 'removed'>,
    step: string,
    isReverted: boolean,
  ): void {
    const row = this.#rowAt(time);
    if (row === undefined) return;
    row.add('changes', 1);
    row.add('added', added ?? 0);
    row.add('removed', removed ?? 0);
    row.steps.set(step, isReverted || (row.steps.get(step) ?? false));
  }

  /** @param time of what is counted, in milliseconds since 1970 */
  add(time: number, count: Count): void {
    this.#rowAt(time)?.add(count, 1);
  }

  addDuration(time: number, kind: 'timeToApproval' | 'timeToApply', ms: number): void {
    this.#rowAt(time)?.[kind].push(ms);
  }

  rows(): readonly SeriesRow[] {
    return this.#rows.map((row, index) => row.result(this.#dayOf(this.#first + index)));
  }

  #rowAt(time: number): Row | undefined {
    return this.#rows[this.#placeOf(time) - this.#first];
  }

  #placeOf(time: number): number {
    const day = Math.floor((time + this.#offsetMs) / DAY_MS);
    return this.#by === 'day' ? day : Math.floor((day + DAYS_SINCE_MONDAY) / 7);
  }

  #dayOf(place: number): string {
    const day = this.#by === 'day' ? place : place * 7 - DAYS_SINCE_MONDAY;
    return new Date(day * DAY_MS).toISOString().slice(0, 10);
  }
}

class Row {
  readonly steps = new Map<string, boolean>();
  readonly timeToApproval: number[] = [];
  readonly timeToApply: number[] = [];
  readonly #counts = new Map<Count, number>();

  add(count: Count, by: number): void {
    this.#counts.set(count, this.#of(count) + by);
  }

  result(from: string): SeriesRow {
    const steps = this.steps.size;
    const takenBack = [...this.steps.values()].filter((isReverted) => isReverted).length;
    return {
      from,
      turns: this.#of('turns'),
      checkpoints: this.#of('checkpoints'),
      changes: this.#of('changes'),
      added: this.#of('added'),
      removed: this.#of('removed'),
      steps,
      takenBack,
      rollBackRate: steps === 0 ? null : takenBack / steps,
      restores: this.#of('restores'),
      rollbacks: this.#of('rollbacks'),
      undos: this.#of('undos'),
      plansProposed: this.#of('plansProposed'),
      plansApproved: this.#of('plansApproved'),
      plansApplied: this.#of('plansApplied'),
      timeToApproval: medianOf(this.timeToApproval),
      timeToApply: medianOf(this.timeToApply),
      checksPassed: this.#of('checksPassed'),
      checksFailed: this.#of('checksFailed'),
      guardTookBack: this.#of('guardTookBack'),
    };
  }

  #of(count: Count): number {
    return this.#counts.get(count) ?? 0;
  }
}

function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length / 2) - 1] ?? null;
}
