import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { asWireError } from '../api/call.ts';
import { type ConflictsRequest, useResolveConflicts } from '../conflicts/request.ts';
import { refresh } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { useToast } from '../parts/toasts.tsx';
import { undo } from './perform.ts';

/** Undoes the operation that made a checkpoint, and tells how that went. */
export function useUndo(): (checkpoint: string) => void {
  const { id: workspace } = useWorkspace();
  const client = useQueryClient();
  const toast = useToast();
  const resolve = useResolveConflicts();
  return useCallback(
    (checkpoint) => {
      undo(workspace, checkpoint).then(
        async (result) => {
          if (result === 'undone') toast({ text: 'Undone.' });
          else if (result === 'not-the-last') toast({ text: NOT_THE_LAST, isFailure: true });
          else
            toast({
              text: CONFLICT,
              isFailure: true,
              action: { label: 'Resolve the conflicts', run: () => resolve(UNDO) },
            });
          await refresh(client, workspace);
        },
        (error: unknown) => toast({ text: asWireError(error).message, isFailure: true }),
      );
    },
    [workspace, client, toast, resolve],
  );
}

const NOT_THE_LAST = 'Something else was done since. Undo that first, or take this back on the timeline.';
const CONFLICT = 'Files changed since in the same lines, so nothing was undone.';
const UNDO: ConflictsRequest = { call: { verb: 'undo', input: {} } };
