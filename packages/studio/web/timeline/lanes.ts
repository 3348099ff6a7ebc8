/** Sessions and forks as lanes beside the rows of the timeline, so that what ran at the same time is seen. */
import type { Output } from '../api/call.ts';
import { type Hue, hueOf } from '../data/authors.ts';
import { type Fork, numberOf, type Row } from './rows.ts';

export type Sessions = Output<'sessions'>['sessions'];

/** What a row shows of one lane. */
export interface LaneCell {
  readonly key: string;
  /** From 0, at the left. */
  readonly column: number;
  readonly hue: Hue | 'fork';
  /** Whether the row is one of this lane, and not only passed by it. */
  readonly isOwn: boolean;
  readonly goesUp: boolean;
  readonly goesDown: boolean;
}

export interface Lanes {
  readonly columns: number;
  /** By the key of the row. */
  readonly cells: ReadonlyMap<string, readonly LaneCell[]>;
}

interface Lane {
  readonly key: string;
  readonly hue: LaneCell['hue'];
  /** The numbers of its first and its last checkpoint. */
  readonly first: number;
  readonly last: number;
  /** A fork of which something is not merged yet, so that it goes on up to now. */
  readonly goesOn: boolean;
}

const MOST_COLUMNS = 6;

export interface LaneOptions {
  readonly rows: readonly Row[];
  readonly sessions: Sessions;
  readonly forks: readonly Fork[];
  /** Whether older rows are not loaded yet. */
  readonly isCut: boolean;
}

export function lanesOf({ rows, sessions, forks, isCut }: LaneOptions): Lanes {
  const own = ownRows(rows);
  const oldest = rows.reduce(
    (least, row) => ('place' in row ? Math.min(least, row.place) : least),
    Number.POSITIVE_INFINITY,
  );
  const cells = new Map<string, LaneCell[]>();
  let columns = 0;
  for (const [lane, column] of placed([...sessions.flatMap(laneOfSession), ...forks.map(laneOfFork)])) {
    const its = own.get(lane.key) ?? [];
    const bottom = its.at(-1);
    if (bottom === undefined) continue;
    const top = lane.goesOn ? 0 : (its[0] ?? bottom);
    const end = isCut && lane.first < oldest ? rows.length - 1 : bottom;
    columns = Math.max(columns, column + 1);
    const mine = new Set(its);
    for (let at = top; at <= end; at += 1) {
      const row = rows[at] as Row;
      const cell = {
        key: lane.key,
        column,
        hue: lane.hue,
        isOwn: mine.has(at),
        goesUp: at > top || lane.goesOn,
        goesDown: at < end || end > bottom,
      };
      const list = cells.get(row.key);
      if (list === undefined) cells.set(row.key, [cell]);
      else list.push(cell);
    }
  }
  return { columns, cells };
}

/** The places of the rows that belong to each lane, newest first. */
function ownRows(rows: readonly Row[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const [at, row] of rows.entries()) {
    for (const key of lanesOfRow(row)) {
      const list = found.get(key);
      if (list === undefined) found.set(key, [at]);
      else list.push(at);
    }
  }
  return found;
}

function lanesOfRow(row: Row): readonly string[] {
  switch (row.kind) {
    case 'turn':
      return [sessionKey(row.turn.session)];
    case 'fork':
      return [forkKey(row.fork.name)];
    case 'checkpoint': {
      const { session, description, trigger } = row.checkpoint;
      const merged = trigger === 'merge' ? /^Merged fork (.+)$/.exec(description)?.[1] : undefined;
      return [...(session === null ? [] : [sessionKey(session)]), ...(merged === undefined ? [] : [forkKey(merged)])];
    }
    default:
      return [];
  }
}

/** Lanes of the same time have different columns. Older ones choose first, so that a new one moves none of them. */
function* placed(lanes: readonly Lane[]): Generator<readonly [lane: Lane, column: number]> {
  const ends: number[] = [];
  for (const lane of lanes.toSorted((one, other) => one.first - other.first)) {
    const free = ends.findIndex((end) => end < lane.first);
    const column = free >= 0 ? free : Math.min(ends.length, MOST_COLUMNS - 1);
    ends[column] = Math.max(ends[column] ?? 0, lane.last);
    yield [lane, column];
  }
}

function laneOfSession({ id, actor, checkpoints }: Sessions[number]): readonly Lane[] {
  const [last, first] = [checkpoints[0], checkpoints.at(-1)];
  if (last === undefined || first === undefined) return [];
  return [{ key: sessionKey(id), hue: hueOf(actor), first: numberOf(first), last: numberOf(last), goesOn: false }];
}

/** Its own checkpoints are not on this timeline: it leaves, and comes back if all of it was merged. */
function laneOfFork({ name, checkpoint, state }: Fork): Lane {
  const goesOn = state !== 'merged';
  return { key: forkKey(name), hue: 'fork', first: numberOf(checkpoint), last: Number.POSITIVE_INFINITY, goesOn };
}

function sessionKey(id: string): string {
  return `session ${id}`;
}

function forkKey(name: string): string {
  return `fork ${name}`;
}
