/** What the view of conflicts is opened with, from any other view. */
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useWorkspace } from '../data/workspace.ts';
import type { Decisions, TakeBackCall } from '../take-back/requests.ts';

export interface ConflictsRequest {
  /** What is done in the end, such as `Take back the turn of claude`. */
  readonly title: string;
  /** The word on its button. */
  readonly act: string;
  readonly call: TakeBackCall;
  /** What was decided before, except about conflicts. */
  readonly more?: Decisions;
  /** Whether the view that opened it has nothing more to show once it is done: then Restore asks where to go next. */
  readonly isDoneWithView?: boolean;
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    conflicts?: ConflictsRequest;
  }
}

/** Opens the view. The request is in the entry of the history, so that loading the page again shows the same. */
export function useResolveConflicts(): (request: ConflictsRequest) => void {
  const { id: workspace } = useWorkspace();
  const navigate = useNavigate();
  return useCallback(
    (request) => void navigate({ to: '/w/$workspace/conflicts', params: { workspace }, state: { conflicts: request } }),
    [navigate, workspace],
  );
}

/** @returns null: the view was opened by its address alone */
export function useConflictsRequest(): ConflictsRequest | null {
  return useRouterState({ select: ({ location }) => location.state.conflicts ?? null });
}
