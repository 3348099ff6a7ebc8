/** What the view of conflicts is opened with, from any other view. */
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { shownName, shownText } from '../data/names.ts';
import { plural } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import type { Decisions, TakeBackCall } from '../take-back/requests.ts';
import { addressIn, type ConflictsAddress, fragmentOf } from './address.ts';

export interface ConflictsRequest {
  readonly call: TakeBackCall;
  /** What was decided before, except about conflicts. */
  readonly more?: Decisions;
  readonly isDoneWithView?: boolean;
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Only if another view opened it: there is a view to go back to, and decisions that no address contains. */
    conflicts?: { readonly more: Decisions };
  }
}

export function useResolveConflicts(): (request: ConflictsRequest) => void {
  const { id: workspace } = useWorkspace();
  const navigate = useNavigate();
  return useCallback(
    ({ call, more = {}, isDoneWithView = false }) =>
      void navigate({
        to: '/w/$workspace/conflicts',
        params: { workspace },
        hash: fragmentOf({ call, more, isDoneWithView, file: null, picks: {} }),
        state: { conflicts: { more } },
      }),
    [navigate, workspace],
  );
}

export interface OpenedConflicts extends ConflictsAddress {
  readonly more: Decisions;
  /** Whether another view opened it. */
  readonly hasViewBefore: boolean;
}

/** @returns null: the address names no operation */
export function useOpenedConflicts(): OpenedConflicts | null {
  const hash = useRouterState({ select: ({ location }) => location.hash });
  const state = useRouterState({ select: ({ location }) => location.state.conflicts });
  return useMemo(() => {
    const address = addressIn(hash);
    if (address === null) return null;
    return { ...address, more: { ...address.more, ...state?.more }, hasViewBefore: state !== undefined };
  }, [hash, state]);
}

/** What is done in the end, and the word on its button. It follows from the call, so that no address can say something else. */
export function wordsOf({ verb, input }: TakeBackCall): { readonly title: string; readonly act: string } {
  switch (verb) {
    case 'rollback':
      return { title: rollbackTitle(input), act: 'Take back' };
    case 'restore':
      return { title: `Restore ${shownText(input.checkpoint ?? 'the last checkpoint')}`, act: 'Restore' };
    case 'planRollback':
      return { title: `Roll back the plan ${shownText(input.id ?? '')}`, act: 'Roll back' };
    case 'planApply':
      return { title: `Apply the plan ${shownText(input.id ?? '')}`, act: 'Apply' };
    case 'undo':
      return { title: 'Undo the last operation', act: 'Undo' };
    case 'redo':
      return { title: 'Redo what was undone last', act: 'Redo' };
    case 'forkMerge':
      return { title: `Merge the fork ${shownText(input.name ?? '')}`, act: 'Merge' };
  }
}

type RollbackInput = Extract<TakeBackCall, { readonly verb: 'rollback' }>['input'];

function rollbackTitle({ agent, changes, hunks, lines }: RollbackInput): string {
  if (agent !== undefined) return `Take back everything that ${shownText(agent)} changed`;
  if (changes !== undefined) return `Take back ${plural(changes.length, 'change')}`;
  if (hunks !== undefined) return `Take back ${plural(hunks.length, 'part')}`;
  const [first] = lines ?? [];
  return first === undefined ? 'Take back changes' : `Take back lines of ${shownName(first.path)}`;
}
