import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { asWireError } from '../api/call.ts';
import { refresh } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { useToast } from '../parts/toasts.tsx';
import { undo } from './perform.ts';

/** Undoes the operation that made a checkpoint, and tells how that went. */
export function useUndo(): (checkpoint: string) => void {
  const { id: workspace } = useWorkspace();
  const client = useQueryClient();
  const toast = useToast();
  return useCallback(
    (checkpoint) => {
      undo(workspace, checkpoint).then(
        async (why) => {
          toast(why === null ? { text: 'Undone.' } : { text: why, isFailure: true });
          await refresh(client, workspace);
        },
        (error: unknown) => toast({ text: asWireError(error).message, isFailure: true }),
      );
    },
    [workspace, client, toast],
  );
}
