/** Which figures the trends show, from the rows of `stats`. */
import type { Output } from '../api/call.ts';
import { durationText } from '../data/times.ts';

export type SeriesRow = NonNullable<Output<'stats'>['series']>[number];

/** One line of a chart. The second one of a chart is dashed, so that colour is not needed to tell them apart. */
export interface TrendLine {
  readonly name: string;
  /** Null: there is nothing to count. */
  readonly valueIn: (row: SeriesRow) => number | null;
  readonly tone: 'accent' | 'good' | 'bad' | 'quiet';
}

export interface TrendFigure {
  readonly title: string;
  readonly lines: readonly TrendLine[];
  readonly textOf: (value: number) => string;
  /** What of a line is shown beside its name: all of it, or the value of the newest row that has one. */
  readonly sums: boolean;
}

const count = (value: number): string => Math.round(value).toLocaleString('en');
const share = (value: number): string => `${Math.round(value * 100)} %`;

export const FIGURES: readonly TrendFigure[] = [
  {
    title: 'Turns and checkpoints',
    lines: [
      { name: 'turns', valueIn: ({ turns }) => turns, tone: 'accent' },
      { name: 'checkpoints', valueIn: ({ checkpoints }) => checkpoints, tone: 'quiet' },
    ],
    textOf: count,
    sums: true,
  },
  {
    title: 'Changed lines',
    lines: [
      { name: 'added', valueIn: ({ added }) => added, tone: 'good' },
      { name: 'removed', valueIn: ({ removed }) => removed, tone: 'bad' },
    ],
    textOf: count,
    sums: true,
  },
  {
    title: 'Share of calls and edits taken back',
    lines: [{ name: 'taken back', valueIn: ({ rollBackRate }) => rollBackRate, tone: 'accent' }],
    textOf: share,
    sums: false,
  },
  {
    title: 'Restores, rollbacks and undos',
    lines: [
      { name: 'restores', valueIn: ({ restores }) => restores, tone: 'accent' },
      { name: 'rollbacks and undos', valueIn: ({ rollbacks, undos }) => rollbacks + undos, tone: 'quiet' },
    ],
    textOf: count,
    sums: true,
  },
  {
    title: 'Plans',
    lines: [
      { name: 'approved', valueIn: ({ plansApproved }) => plansApproved, tone: 'accent' },
      { name: 'proposed', valueIn: ({ plansProposed }) => plansProposed, tone: 'quiet' },
    ],
    textOf: count,
    sums: true,
  },
  {
    title: 'Time that plans take (median)',
    lines: [
      { name: 'from proposal to approval', valueIn: ({ timeToApproval }) => timeToApproval, tone: 'accent' },
      { name: 'from approval to applied', valueIn: ({ timeToApply }) => timeToApply, tone: 'quiet' },
    ],
    textOf: durationText,
    sums: false,
  },
  {
    title: 'Checks',
    lines: [
      { name: 'passed', valueIn: ({ checksPassed }) => checksPassed, tone: 'good' },
      { name: 'failed', valueIn: ({ checksFailed }) => checksFailed, tone: 'bad' },
    ],
    textOf: count,
    sums: true,
  },
  {
    title: 'Taken back by the guard',
    lines: [{ name: 'times', valueIn: ({ guardTookBack }) => guardTookBack, tone: 'accent' }],
    textOf: count,
    sums: true,
  },
];

export function hasAny({ lines }: TrendFigure, rows: readonly SeriesRow[]): boolean {
  return lines.some(({ valueIn }) => rows.some((row) => (valueIn(row) ?? 0) > 0));
}
