/** Does exactly what a preview showed, and tells how that went. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { asWireError, callVerb, type Input, type Output } from '../api/call.ts';
import { asSentence } from '../data/names.ts';
import { refresh } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { useToast } from '../parts/toasts.tsx';
import { useUndo } from '../take-back/use-undo.ts';

export type Done = Output<'restore'>;

export interface RestoreAct {
  readonly isBusy: boolean;
  /** What was done last; null: nothing yet. */
  readonly done: Done | null;
  readonly run: (input: Input<'restore'>, fingerprint: string) => void;
}

export function useRestore(): RestoreAct {
  const { id: workspace } = useWorkspace();
  const client = useQueryClient();
  const toast = useToast();
  const undo = useUndo();
  const [isBusy, setBusy] = useState(false);
  const [done, setDone] = useState<Done | null>(null);
  const run = useCallback(
    (input: Input<'restore'>, fingerprint: string) => {
      setBusy(true);
      void callVerb(workspace, 'restore', { ...input, expected: fingerprint })
        .then(
          ({ output }) => {
            setDone(output);
            const checkpoint = output.checkpoint?.id;
            const what = output.conversation?.only === true ? 'The conversation went back' : output.description;
            if (checkpoint === undefined) toast({ text: asSentence(what) });
            else toast({ text: asSentence(what), action: { label: 'Undo', run: () => undo(checkpoint) } });
          },
          (error: unknown) => {
            const { message, hint } = asWireError(error);
            toast({ text: `${message} ${hint}`, isFailure: true });
          },
        )
        .then(() => refresh(client, workspace))
        .finally(() => setBusy(false));
    },
    [client, toast, undo, workspace],
  );
  return { isBusy, done, run };
}
