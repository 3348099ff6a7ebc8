/** Files and grades belong to changes, so the history says which checkpoints have them. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { callVerb, type Input } from '../api/call.ts';

import { useWorkspace } from '../data/workspace.ts';
import { type Matching, numberOf } from './rows.ts';
import type { TimelineSearch } from './search.ts';

export interface Found {
  /** Null: these filters are not set, or the answer is not there yet. */
  readonly matching: Matching;
  readonly isLoading: boolean;
  /** More changes than were searched. */
  readonly isCut: boolean;
  readonly error: unknown;
}

const PAGE = 5_000;
export const MOST_SEARCHED = 20_000;

export function useMatching({ file, grade, session }: TimelineSearch): Found {
  const { id } = useWorkspace();
  const isEnabled = file !== undefined || grade !== undefined;
  const { data, error } = useQuery({
    queryKey: [id, 'live', 'history', 'matching', { file, grade, session }],
    queryFn: async ({ signal }) => {
      const input = { limit: PAGE, ...(file !== undefined && { file }), ...(session !== undefined && { session }) };
      return search(id, input, grade, signal);
    },
    enabled: isEnabled,
    staleTime: Number.POSITIVE_INFINITY,
    // While a path is typed, the last answer stays.
    placeholderData: keepPreviousData,
  });
  return {
    matching: isEnabled ? (data?.numbers ?? null) : null,
    isLoading: isEnabled && data === undefined && error === null,
    isCut: isEnabled && data?.isCut === true,
    error: isEnabled ? error : null,
  };
}

async function search(
  workspace: string,
  input: Input<'history'>,
  grade: TimelineSearch['grade'],
  signal: AbortSignal,
): Promise<{ readonly numbers: readonly number[]; readonly isCut: boolean }> {
  const numbers = new Set<number>();
  let before: string | undefined;
  for (let searched = 0; searched < MOST_SEARCHED; searched += PAGE) {
    const page = { ...input, ...(before !== undefined && { before }) };
    const { changes, more } = (await callVerb(workspace, 'history', page, signal)).output;
    for (const change of changes)
      if (grade === undefined || change.grade === grade) numbers.add(numberOf(change.checkpoint));
    before = changes.at(-1)?.id;
    if (!more || before === undefined) return { numbers: ascending(numbers), isCut: false };
  }
  return { numbers: ascending(numbers), isCut: true };
}

function ascending(numbers: ReadonlySet<number>): readonly number[] {
  return [...numbers].sort((one, other) => one - other);
}
