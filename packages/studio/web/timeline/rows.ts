/** The rows of the timeline: days, turns, and checkpoints that belong to no turn; newest first. */
import type { Output } from '../api/call.ts';
import { actorName } from '../data/authors.ts';
import { dayText } from '../data/times.ts';
import type { TimelineSearch } from './search.ts';

export type Page = Output<'list'>;
export type Turn = Page['turns'][number];
export type Checkpoint = Page['checkpoints'][number];

export type Row =
  | { readonly kind: 'day'; readonly key: string; readonly text: string }
  | { readonly kind: 'turn'; readonly key: string; readonly place: number; readonly turn: Turn }
  | {
      readonly kind: 'checkpoint';
      readonly key: string;
      readonly place: number;
      readonly checkpoint: Checkpoint;
      readonly checks: Page['checks'][number] | null;
      readonly isPinned: boolean;
      readonly isCurrent: boolean;
    }
  | {
      readonly kind: 'damaged';
      readonly key: string;
      readonly place: number;
      readonly id: string;
      readonly why: string;
    };

/** What the filters for files and grades let through: the checkpoints with such a change. */
export type Matching = ReadonlySet<number> | null;

export function rowsOf(
  pages: readonly Page[],
  search: TimelineSearch,
  matching: Matching,
  now: number,
): readonly Row[] {
  const rows = pages.flatMap(rowsOfPage).filter((row) => isShown(row, search, matching));
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

/** Whether a checkpoint is one of a turn: after its state before, up to its state after. */
export function isIn({ before, after, place }: Turn, checkpoint: number): boolean {
  const last = numberOf(after ?? place);
  return checkpoint <= last && checkpoint > (before === null ? last - 1 : numberOf(before));
}

function rowsOfPage({ checkpoints, turns, damaged, pinned, checks, current }: Page): readonly Row[] {
  const rows: readonly Exclude<Row, { kind: 'day' }>[] = [
    ...turns.map((turn) => ({ kind: 'turn' as const, key: turnKey(turn), place: numberOf(turn.place), turn })),
    ...checkpoints.map((checkpoint) => ({
      kind: 'checkpoint' as const,
      key: checkpoint.id,
      place: checkpoint.number,
      checks: checks.find(({ id }) => id === checkpoint.id) ?? null,
      checkpoint,
      isPinned: pinned.includes(checkpoint.id),
      isCurrent: current === checkpoint.id,
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

function timeOf(row: Row): string | null {
  if (row.kind === 'turn') return row.turn.ended;
  return row.kind === 'checkpoint' ? row.checkpoint.time : null;
}

function isShown(row: Row, { agent, session, text }: TimelineSearch, matching: Matching): boolean {
  if (row.kind === 'day' || row.kind === 'damaged') return true;
  const about = row.kind === 'turn' ? row.turn : row.checkpoint;
  if (agent !== undefined && actorName(about.actor) !== agent) return false;
  if (session !== undefined && about.session !== session) return false;
  if (matching !== null) {
    const isMatch =
      row.kind === 'turn' ? [...matching].some((number) => isIn(row.turn, number)) : matching.has(row.place);
    if (!isMatch) return false;
  }
  const said = row.kind === 'turn' ? (row.turn.prompt ?? '') : row.checkpoint.description;
  const words = (text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const searched = `${said} ${actorName(about.actor)} ${row.key}`.toLowerCase();
  return words.every((word) => searched.includes(word));
}
