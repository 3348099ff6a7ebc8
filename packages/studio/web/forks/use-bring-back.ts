import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { asWireError, callVerb } from '../api/call.ts';
import { shownText } from '../data/names.ts';
import { useWorkspace } from '../data/workspace.ts';
import { useToast } from '../parts/toasts.tsx';
import { refreshForks } from './fork-queries.ts';

/** Brings a dropped fork back under its name. */
export function useBringBack(): (from: string, name: string) => void {
  const { id: workspace } = useWorkspace();
  const client = useQueryClient();
  const toast = useToast();
  return useCallback(
    (from, name) => {
      void callVerb(workspace, 'forkCreate', { name, from })
        .then(
          () => toast({ text: `${shownText(name)} is back.` }),
          (error: unknown) => {
            const { message, hint } = asWireError(error);
            toast({ text: `${message} ${hint}`, isFailure: true });
          },
        )
        .then(() => refreshForks(client, workspace));
    },
    [workspace, client, toast],
  );
}
