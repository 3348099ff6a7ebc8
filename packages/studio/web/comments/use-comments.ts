/** The comments of what is shown, and what a person does with them. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { asWireError, callVerb } from '../api/call.ts';
import { refresh, useVerb } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { type DiffFile, pathOfFile } from '../diff/diff-file.ts';
import { useToast } from '../parts/toasts.tsx';
import { numberOf } from '../timeline/rows.ts';
import { type Comment, type ThreadsByFile, threadsByFile } from './threads.ts';

/** The lines that a new comment is about. */
export interface CommentedLines {
  readonly side: Comment['side'];
  readonly first: number;
  readonly last: number;
}

export interface DiffComments {
  readonly threads: ThreadsByFile;
  readonly canChange: boolean;
  readonly isBusy: boolean;
  /** @returns whether it is kept */
  readonly add: (file: DiffFile, lines: CommentedLines, text: string) => Promise<boolean>;
  readonly resolve: (comment: Comment) => void;
  readonly remove: (comment: Comment) => void;
}

/** The states of the diff; of a plan, both are those of the plan. */
export interface CommentedStates {
  readonly plan?: string;
  readonly from?: string | undefined;
  /** Absent: the folder as it is now. */
  readonly at?: string | undefined;
}

export function useComments({ plan, from, at }: CommentedStates): DiffComments {
  const { id: workspace, server } = useWorkspace();
  const client = useQueryClient();
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const state = useMemo(
    () =>
      plan !== undefined ? { plan } : { ...(from === undefined ? {} : { from }), ...(at === undefined ? {} : { at }) },
    [plan, from, at],
  );
  const { data } = useVerb('commentList', { ...state, all: true }, { keepsLast: true });
  const threads = useMemo(
    () => threadsByFile((data?.comments ?? []).filter((one) => plan !== undefined || isOf(at, one))),
    [data, plan, at],
  );
  const run = useCallback(
    async (act: () => Promise<unknown>): Promise<boolean> => {
      setBusy(true);
      try {
        await act();
        return true;
      } catch (error) {
        const { message, hint } = asWireError(error);
        toast({ text: `${message} ${hint}`, isFailure: true });
        return false;
      } finally {
        await refresh(client, workspace);
        setBusy(false);
      }
    },
    [client, workspace, toast],
  );
  return useMemo(
    () => ({
      threads,
      canChange: !server.isReadOnly,
      isBusy,
      add: (file, lines, text) =>
        run(() => callVerb(workspace, 'commentAdd', { path: pathOfFile(file), ...lines, text, ...state })),
      resolve: ({ id, status }) =>
        void run(() => callVerb(workspace, 'commentResolve', { id, reopen: status === 'resolved' })),
      remove: ({ id }) => void run(() => callVerb(workspace, 'commentDelete', { id })),
    }),
    [threads, server, isBusy, run, workspace, state],
  );
}

/** Lines that came after a checkpoint are not outdated in it: nothing is said about them there. */
function isOf(at: string | undefined, { plan, place, checkpoint }: Comment): boolean {
  return plan === null && (place !== null || at === undefined || numberOf(checkpoint) <= numberOf(at));
}
