/** The recorded changes in a range of the timeline, by file: what is taken back is named by their ids. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { callVerb } from '../api/call.ts';
import type { Change } from '../data/authors.ts';
import { grouped } from '../data/grouped.ts';
import { nameKey } from '../data/names.ts';
import { useWorkspace } from '../data/workspace.ts';
import { numberOf } from '../timeline/rows.ts';

export interface RecordedRange {
  /** Checkpoints after this one … */
  readonly after: number;
  /** … up to this one. */
  readonly upTo: number;
  readonly session?: string | undefined;
}

export type RecordedByFile = ReadonlyMap<string, readonly Change[]>;

const PAGE = 1_000;
/** A range with more is shown, but only its newest changes can be taken back by file. */
const MOST_PAGES = 5;

/** @param range null: nothing is recorded yet, because the changes are in no checkpoint */
export function useRecordedChanges(range: RecordedRange | null): RecordedByFile {
  const { id } = useWorkspace();
  const { data } = useQuery({
    // A later rollback changes what is in effect.
    queryKey: [id, 'live', 'history', range],
    queryFn: async ({ signal }) => (range === null ? [] : load(id, range, signal)),
    enabled: range !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return useMemo(() => grouped(data ?? [], ({ path }) => nameKey(path)), [data]);
}

async function load(workspace: string, { after, upTo, session }: RecordedRange, signal: AbortSignal) {
  const found: Change[] = [];
  let before = `cp_${upTo + 1}.1`;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const input = { before, limit: PAGE, ...(session === undefined ? {} : { session }) };
    const { changes, more } = (await callVerb(workspace, 'history', input, signal)).output;
    const within = changes.filter(({ checkpoint }) => numberOf(checkpoint) > after);
    found.push(...within);
    const last = changes.at(-1);
    if (!more || last === undefined || within.length < changes.length) break;
    before = last.id;
  }
  return found;
}
