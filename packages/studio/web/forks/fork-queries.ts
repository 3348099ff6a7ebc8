/**
 * What the verbs about forks answer. Nothing tells of work inside a fork, and a look at all of them takes longer than an
 * event does: so they are asked again at intervals, which are longer where the answers take longer.
 */
import {
  keepPreviousData,
  type QueryClient,
  type UseQueryResult,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { callVerb, type Input, type Output } from '../api/call.ts';
import { useVerb } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';

export type ForkRow = Output<'forkList'>['forks'][number];
export type Compared = Output<'forkCompare'>;
export type ForkChange = Output<'forkDiff'>['changes'][number];

type ForkVerb = 'forkList' | 'forkCompare' | 'forkDiff' | 'forkShow';

interface Timed<Name extends ForkVerb> {
  readonly output: Output<Name>;
  readonly tookMs: number;
}

const AGAIN_MS = 4_000;
/** A look that takes a second is taken every ten. */
const PAUSE = 10;

export function useForkVerb<Name extends ForkVerb>(
  verb: Name,
  input: Input<Name>,
  isEnabled = true,
): UseQueryResult<Output<Name>> {
  const { id } = useWorkspace();
  return useQuery({ ...queryOf(id, verb, input), enabled: isEnabled }) as UseQueryResult<Output<Name>>;
}

/** The changed files of each fork, by its name; forks that are still being looked at are missing. */
export function useForkFiles(names: readonly string[]): ReadonlyMap<string, readonly ForkChange[]> {
  const { id } = useWorkspace();
  const found = useQueries({ queries: names.map((name) => queryOf(id, 'forkDiff', { name })) });
  return new Map(
    names.flatMap((name, index) => {
      const data = found[index]?.data as Output<'forkDiff'> | undefined;
      return data === undefined ? [] : [[name, data.changes] as const];
    }),
  );
}

/** Looks again after each new checkpoint of the workspace, such as that of a merge or of its undo. */
export function useFreshForks(): void {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const { data } = useVerb('list', { view: 'all', limit: 1 });
  const newest = data?.checkpoints[0]?.id;
  const known = useRef(newest);
  useEffect(() => {
    const isNew = known.current !== undefined && newest !== known.current;
    known.current = newest;
    if (isNew) void refreshForks(client, id);
  }, [newest, client, id]);
}

export function refreshForks(client: QueryClient, workspace: string): Promise<void> {
  return client.invalidateQueries({ queryKey: [workspace, 'forks'] });
}

function queryOf<Name extends ForkVerb>(id: string, verb: Name, input: Input<Name>) {
  return {
    queryKey: [id, 'forks', verb, input],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<Timed<Name>> => {
      const began = performance.now();
      const { output } = await callVerb(id, verb, input, signal);
      return { output, tookMs: performance.now() - began };
    },
    select: ({ output }: Timed<Name>) => output,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }: { readonly state: { readonly data?: Timed<Name> | undefined } }) =>
      Math.max(AGAIN_MS, PAUSE * (state.data?.tookMs ?? 0)),
  };
}
