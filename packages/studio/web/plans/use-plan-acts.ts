/** What a person does with a plan. Each of these names the plan as it was shown, so a stale page changes nothing unseen. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { type Answered, asWireError, callVerb, callWithChecks } from '../api/call.ts';
import { type PrintedLines, usePrintedLines } from '../checks/printed-lines.ts';
import { refresh } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { type Toast, useToast } from '../parts/toasts.tsx';
import type { ShownPlan, Target } from './decisions.ts';

export interface PlanActs {
  readonly isBusy: boolean;
  readonly decide: (targets: readonly Target[], accepted: boolean) => void;
  readonly approve: () => void;
  /** Returns whether the words are recorded. */
  readonly revise: (words: string) => Promise<boolean>;
  readonly check: () => void;
  /** What its checks print while they run; null: they do not run. */
  readonly running: PrintedLines | null;
  readonly cancel: () => void;
}

export function usePlanActs(plan: ShownPlan | undefined): PlanActs {
  const { id: workspace } = useWorkspace();
  const client = useQueryClient();
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const run = useCallback(
    <Answer>(act: () => Promise<Answer>, done: string | null | ((answer: Answer) => Toast)) => {
      setBusy(true);
      return act()
        .then(
          (answer) => {
            if (done !== null) toast(typeof done === 'string' ? { text: done } : done(answer));
            return true;
          },
          (error: unknown) => {
            const { message, hint } = asWireError(error);
            toast({ text: `${message} ${hint}`, isFailure: true });
            return false;
          },
        )
        .then(async (isDone) => {
          await refresh(client, workspace);
          return isDone;
        })
        .finally(() => setBusy(false));
    },
    [client, workspace, toast],
  );
  const lines = usePrintedLines();
  const [isChecking, setChecking] = useState(false);
  return useMemo(() => {
    const { id = '', fingerprint = '', revision = 1 } = plan ?? {};
    return {
      isBusy,
      decide: (targets, accepted) =>
        run(() => {
          const decisions = targets.map(({ path, hunk }) => ({ path, accepted, ...(hunk === null ? {} : { hunk }) }));
          return callVerb(workspace, 'planReview', { id, decisions });
        }, null),
      approve: () => run(() => callVerb(workspace, 'planReview', { id, approve: fingerprint }), 'Approved.'),
      revise: (words) =>
        run(
          () => callVerb(workspace, 'planRevise', { id, words, revision }),
          'The author of the plan gets your words.',
        ),
      check: () =>
        run(() => {
          lines.clear();
          setChecking(true);
          return callWithChecks(workspace, 'planCheck', { id }, lines.add).finally(() => setChecking(false));
        }, checkedToast),
      running: isChecking ? lines : null,
      cancel: () => run(() => callVerb(workspace, 'planCancel', { id }), 'Cancelled. No file was changed.'),
    };
  }, [plan, isBusy, run, workspace, isChecking, lines]);
}

/** Checks that are not trusted do not run, and only a person in a terminal can trust them. */
function checkedToast({ output: { untrusted, notes } }: Answered<'planCheck'>): Toast {
  return untrusted.length === 0 ? { text: 'The checks have run.' } : { text: notes.join(' '), isFailure: true };
}
