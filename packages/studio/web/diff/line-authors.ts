/** The authors of the lines of the files that are in sight. */
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { callVerb, type Output } from '../api/call.ts';
import { nameFromKey } from '../data/names.ts';
import { useWorkspace } from '../data/workspace.ts';

export type AuthorRange = Output<'blame'>['ranges'][number];
export type LineAuthors = (line: number) => AuthorRange | null;

export interface AuthorsOptions {
  /** `nameKey` of each file that exists at that state. */
  readonly keys: readonly string[];
  /** A checkpoint; null: the files as they are now. */
  readonly at: string | null;
  readonly isEnabled: boolean;
}

export function useLineAuthors({ keys, at, isEnabled }: AuthorsOptions): ReadonlyMap<string, LineAuthors> {
  const { id } = useWorkspace();
  const results = useQueries({
    queries: (isEnabled ? keys : []).map((key) => ({
      queryKey: [id, at === null ? 'live' : 'fixed', 'blame', { file: key, at }],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const input = { file: nameFromKey(key), ...(at === null ? {} : { at }) };
        return { key, ranges: (await callVerb(id, 'blame', input, signal)).output.ranges };
      },
      // Binary and very long files have no lines with authors.
      retry: false,
      staleTime: Number.POSITIVE_INFINITY,
    })),
  });
  const loaded = results.flatMap(({ data }) => (data === undefined ? [] : [data]));
  const version = loaded.map(({ key, ranges }) => `${key}:${ranges.length}`).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the results are new objects each time; the version says when they differ
  return useMemo(() => new Map(loaded.map(({ key, ranges }) => [key, lookUp(ranges)])), [version]);
}

const lookUps = new WeakMap<readonly AuthorRange[], LineAuthors>();

/** The same answer always has the same function, so that lines whose authors are known are not drawn again. */
function lookUp(ranges: readonly AuthorRange[]): LineAuthors {
  const kept = lookUps.get(ranges);
  if (kept !== undefined) return kept;
  const found: LineAuthors = (line) => {
    let [low, high] = [0, ranges.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const range = ranges[middle] as AuthorRange;
      if (line < range.first) high = middle - 1;
      else if (line > range.last) low = middle + 1;
      else return range;
    }
    return null;
  };
  lookUps.set(ranges, found);
  return found;
}
