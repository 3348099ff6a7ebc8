/** Asks for an analysis of the code, and says honestly what is known of it. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callVerb, type Input } from '../api/call.ts';
import { useWorkspace } from '../data/workspace.ts';
import type { Report } from './findings.ts';

export interface ReportState {
  /** Null: there is none yet. */
  readonly report: Report | null;
  /** It is about a state that is no longer shown. */
  readonly isStale: boolean;
  readonly isReading: boolean;
  readonly error: Error | null;
  /** Begins to read, or reads again. */
  readonly start: () => void;
  readonly stop: () => void;
}

export interface ReportRequest {
  readonly input: Input<'findings'>;
  /** Differs whenever one of both states does. */
  readonly of: string;
  /** Whether it begins without being asked to. */
  readonly startsByItself: boolean;
  readonly isEnabled?: boolean;
}

export function useReport({ input, of, startsByItself, isEnabled = true }: ReportRequest): ReportState {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const [isWanted, setWanted] = useState(startsByItself);
  const queryKey = [id, 'fixed', 'findings', input, of];
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery<Report>({
    queryKey,
    queryFn: async ({ signal }) => (await callVerb(id, 'findings', input, signal)).output,
    enabled: isWanted && isEnabled,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  return {
    report: data ?? null,
    isStale: isPlaceholderData,
    isReading: isFetching,
    error: isFetching ? null : error,
    start: () => {
      if (isWanted) void refetch();
      else setWanted(true);
    },
    stop: () => {
      setWanted(false);
      void client.cancelQueries({ queryKey });
    },
  };
}
