/** What the verbs answer, kept and shared by all parts of the page. */
import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { callVerb, type Input, type Output, type VerbName } from '../api/call.ts';
import { hasOlderPages, refreshNewest } from './newest-page.ts';
import { useWorkspace } from './workspace.ts';

export interface VerbQueryOptions {
  readonly isEnabled?: boolean;
  /** The answer is about states that never change, so events do not make it stale. */
  readonly isFixed?: boolean;
  /** Shows the last answer until the next one is there. */
  readonly keepsLast?: boolean;
  /** Asks again after this long, for what no event tells of. */
  readonly againMs?: number;
}

export function useVerb<Name extends VerbName>(
  verb: Name,
  input: Input<Name>,
  { isEnabled = true, isFixed = false, keepsLast = false, againMs }: VerbQueryOptions = {},
): UseQueryResult<Output<Name>> {
  const { id } = useWorkspace();
  return useQuery({
    queryKey: [id, isFixed ? 'fixed' : 'live', verb, input],
    queryFn: async ({ signal }) => (await callVerb(id, verb, input, signal)).output,
    enabled: isEnabled,
    staleTime: Number.POSITIVE_INFINITY,
    ...(againMs === undefined ? {} : { refetchInterval: againMs }),
    ...(keepsLast ? { placeholderData: keepPreviousData } : {}),
  }) as UseQueryResult<Output<Name>>;
}

export type Pages<T> = UseInfiniteQueryResult<InfiniteData<T>>;

/** A verb that answers a page and the `before` of the next one. */
export function useVerbPages<Name extends 'list' | 'turns'>(verb: Name, input: Input<Name>): Pages<Output<Name>> {
  const { id } = useWorkspace();
  return useInfiniteQuery({
    queryKey: [id, 'live', verb, input, 'pages'],
    queryFn: async ({ pageParam, signal }) => {
      const page = { ...input, ...(pageParam === null ? {} : { before: pageParam }) } as Input<Name>;
      return (await callVerb(id, verb, page, signal)).output;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next,
    staleTime: Number.POSITIVE_INFINITY,
  }) as unknown as Pages<Output<Name>>;
}

/** Asks again for everything that may have changed. @param onlyNewWork nothing happened that changes older work */
export async function refresh(client: QueryClient, workspace: string, onlyNewWork = false): Promise<void> {
  const queryKey = [workspace, 'live'];
  if (!onlyNewWork) return client.invalidateQueries({ queryKey });
  const long = client.getQueryCache().findAll({ queryKey, type: 'active', predicate: hasOlderPages });
  await Promise.all([
    client.invalidateQueries({ queryKey, predicate: (query) => !long.includes(query) }),
    ...long.map((query) => refreshNewest(client, workspace, query)),
  ]);
}
