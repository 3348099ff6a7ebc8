/** The rows of the timeline: days, turns, checkpoints that belong to no turn, and where forks left; newest first. */
import type { Output } from '../api/call.ts';
import { actorName } from '../data/authors.ts';
import { dayText } from '../data/times.ts';
import { isFiltered, sinceOf, type TimelineSearch } from './search.ts';

export type Page = Output<'list'>;
export type Turn = Page['turns'][number];
export type Checkpoint = Page['checkpoints'][number];
export type Fork = Output<'forkList'>['forks'][number];

export type Row =
  | { readonly kind: 'day'; readonly key: string; readonly text: string }
  | {
      readonly kind: 'turn';
      readonly key: string;
      readonly place: number;
      readonly turn: Turn;
      readonly isCurrent: boolean;
      /** Another row is the current one, and this one ended with the same files. */
      readonly hasSameFiles: boolean;
    }
  | {
      readonly kind: 'checkpoint';
      readonly key: string;
      readonly place: number;
      readonly checkpoint: Checkpoint;
      readonly checks: Page['checks'][number] | null;
      readonly isPinned: boolean;
      readonly isCurrent: boolean;
      readonly hasSameFiles: boolean;
    }
  | { readonly kind: 'fork'; readonly key: string; readonly place: number; readonly fork: Fork }
  | {
      readonly kind: 'damaged';
      readonly key: string;
      readonly place: number;
      readonly id: string;
      readonly why: string;
    };

/** What the filters for files and grades let through: the checkpoints with such a change, oldest first. */
export type Matching = readonly number[] | null;

export interface RowsOptions {
  readonly pages: readonly Page[];
  /** Shown where they left, unless there are filters. */
  readonly forks: readonly Fork[];
  readonly search: TimelineSearch;
  readonly matching: Matching;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export function rowsOf({ pages, forks, search, matching, now }: RowsOptions): readonly Row[] {
  const listed = pages.flatMap((page) => rowsOfPage(page, pages[0] ?? page));
  const rows = isFiltered(search)
    ? listed.filter((row) => isShown(row, { search, matching, since: sinceOf(search, now) }))
    : withForks(listed, forks);
  let last = '';
  return rows.flatMap((row) => {
    const time = timeOf(row);
    const text = time === null ? last : dayText(time, now);
    const day: readonly Row[] = text === last ? [] : [{ kind: 'day', key: `day ${text}`, text }];
    last = text;
    return [...day, row];
  });
}

export function numberOf(id: string): number {
  return Number(id.slice('cp_'.length));
}

export function turnKey({ session, place, before }: Turn): string {
  return `${session}:${place}:${before ?? ''}`;
}

/** Whether a checkpoint is one of a turn. */
export function isIn(turn: Turn, checkpoint: number): boolean {
  const [first, last] = rangeOf(turn);
  return checkpoint >= first && checkpoint <= last;
}

/** The checkpoints of a turn: after its state before, up to its state after. */
function rangeOf({ before, after, place }: Turn): readonly [first: number, last: number] {
  const last = numberOf(after ?? place);
  return [before === null ? last : numberOf(before) + 1, last];
}

type PlacedRow = Exclude<Row, { kind: 'day' }>;

/** Only the newest page is loaded again when there is new work, so it says which row is the current one. */
function rowsOfPage(
  { checkpoints, turns, damaged, pinned, checks }: Page,
  { current, sameFiles }: Page,
): readonly PlacedRow[] {
  const isCurrentTurn = (turn: Turn): boolean => turn.isCurrent && turn.place === current;
  const rows: readonly PlacedRow[] = [
    ...turns.map((turn) => ({
      kind: 'turn' as const,
      key: turnKey(turn),
      place: numberOf(turn.place),
      turn,
      isCurrent: isCurrentTurn(turn),
      hasSameFiles: turn.after !== null && !isCurrentTurn(turn) && sameFiles.includes(turn.after),
    })),
    ...checkpoints.map((checkpoint) => ({
      kind: 'checkpoint' as const,
      key: checkpoint.id,
      place: checkpoint.number,
      checks: checks.find(({ id }) => id === checkpoint.id) ?? null,
      checkpoint,
      isPinned: pinned.includes(checkpoint.id),
      // The turn that begins with it has the same place.
      isCurrent: current === checkpoint.id && !turns.some(isCurrentTurn),
      hasSameFiles: sameFiles.includes(checkpoint.id),
    })),
    ...damaged.map(({ id, problem }) => ({
      kind: 'damaged' as const,
      key: id,
      place: numberOf(id),
      id,
      why: problem.message,
    })),
  ];
  return rows.toSorted((one, other) => other.place - one.place);
}

/** Each fork is above the row with the state that it left from. Those that left before the loaded rows are not shown. */
function withForks(rows: readonly PlacedRow[], forks: readonly Fork[]): readonly PlacedRow[] {
  const waiting = forks.toSorted((one, other) => numberOf(other.checkpoint) - numberOf(one.checkpoint));
  return rows.flatMap((row) => {
    const left: PlacedRow[] = [];
    for (let fork = waiting[0]; fork !== undefined && numberOf(fork.checkpoint) >= row.place; fork = waiting[0]) {
      left.push({ kind: 'fork', key: `fork ${fork.id}`, place: row.place, fork });
      waiting.shift();
    }
    return [...left, row];
  });
}

function timeOf(row: Row): string | null {
  if (row.kind === 'turn') return row.turn.ended;
  if (row.kind === 'fork') return row.fork.created;
  return row.kind === 'checkpoint' ? row.checkpoint.time : null;
}

interface Wanted {
  readonly search: TimelineSearch;
  readonly matching: Matching;
  /** Milliseconds since 1970. */
  readonly since: number;
}

function isShown(row: PlacedRow, { search, matching, since }: Wanted): boolean {
  if (row.kind === 'damaged' || row.kind === 'fork') return true;
  const { agent, session, text, effect } = search;
  const about = row.kind === 'turn' ? row.turn : row.checkpoint;
  const names = (row.kind === 'turn' ? [row.turn.actor] : row.checkpoint.by).map(actorName);
  if (agent !== undefined && !names.includes(agent)) return false;
  if (session !== undefined && about.session !== session) return false;
  if (Date.parse(timeOf(row) ?? '') < since) return false;
  if (effect !== undefined && !(row.kind === 'turn' && hasEffect(row.turn, effect))) return false;
  if (matching !== null) {
    const [first, last] = row.kind === 'turn' ? rangeOf(row.turn) : [row.place, row.place];
    if (!hasNumber(matching, first, last)) return false;
  }
  const said = row.kind === 'turn' ? (row.turn.prompt ?? '') : row.checkpoint.description;
  const words = (text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const searched = `${said} ${names.join(' ')} ${row.key}`.toLowerCase();
  return words.every((word) => searched.includes(word));
}

function hasEffect({ changes, takenBack }: Turn, effect: NonNullable<TimelineSearch['effect']>): boolean {
  return effect === 'back' ? takenBack > 0 : changes > takenBack;
}

/** @param numbers ascending */
function hasNumber(numbers: readonly number[], first: number, last: number): boolean {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] as number) < first) low = middle + 1;
    else high = middle;
  }
  return (numbers[low] ?? Number.POSITIVE_INFINITY) <= last;
}
