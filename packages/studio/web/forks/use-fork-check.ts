import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { asWireError, callWithChecks, type Output } from '../api/call.ts';
import { type PrintedLines, usePrintedLines } from '../checks/printed-lines.ts';
import { shownText } from '../data/names.ts';
import { plural } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { useToast } from '../parts/toasts.tsx';
import { refreshForks } from './fork-queries.ts';

export interface ForkCheck {
  readonly isBusy: boolean;
  /** What the checks have printed so far. */
  readonly lines: PrintedLines;
  readonly run: () => void;
}

/** Runs the trusted checks in a fork. Their results are kept with it. */
export function useForkCheck(name: string): ForkCheck {
  const { id: workspace } = useWorkspace();
  const client = useQueryClient();
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const lines = usePrintedLines();
  const run = useCallback(() => {
    lines.clear();
    setBusy(true);
    void callWithChecks(workspace, 'forkCheck', { name }, lines.add)
      .then(
        ({ output }) => toast({ text: `${shownText(name)}: ${resultText(output)}` }),
        (error: unknown) => {
          const { message, hint } = asWireError(error);
          toast({ text: `${message} ${hint}`, isFailure: true });
        },
      )
      .then(() => refreshForks(client, workspace))
      .finally(() => setBusy(false));
  }, [workspace, name, client, toast, lines]);
  return { isBusy, lines, run };
}

function resultText({ checks, notRun }: Output<'forkCheck'>): string {
  if (checks.length === 0) {
    return notRun.length === 0
      ? 'this project has no checks that Savepoint knows.'
      : `no check ran. Not run: ${notRun.map((one) => shownText(one)).join(', ')}.`;
  }
  const failing = checks.filter(({ comparison }) => comparison === 'worse' || comparison === 'unknown');
  return failing.length === 0
    ? `${plural(checks.length, 'check')} without new failures.`
    : `new failures or no answer in ${failing.map((one) => shownText(one.name)).join(', ')}.`;
}
