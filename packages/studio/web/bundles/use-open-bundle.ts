import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { openBundle } from '../api/bundle.ts';
import { asWireError } from '../api/call.ts';
import { shownText } from '../data/names.ts';
import { useToast } from '../parts/toasts.tsx';

export interface OpeningBundle {
  readonly name: string;
  /** What has been sent, from 0 to 1. */
  readonly sent: number;
}

/** Sends a bundle to the server, and shows its timeline. */
export function useOpenBundle(): { readonly opening: OpeningBundle | null; readonly open: (file: File) => void } {
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const [opening, setOpening] = useState<OpeningBundle | null>(null);
  const open = useCallback(
    (file: File) => {
      setOpening({ name: file.name, sent: 0 });
      openBundle(file, (sent) => setOpening({ name: file.name, sent }))
        .then(
          async (workspace) => {
            await client.invalidateQueries({ queryKey: ['workspaces'] });
            await navigate({ to: '/w/$workspace/timeline', params: { workspace } });
          },
          (error: unknown) => {
            const { message, hint } = asWireError(error);
            toast({ text: `${shownText(file.name)}: ${message} ${hint}`, isFailure: true });
          },
        )
        .finally(() => setOpening(null));
    },
    [client, navigate, toast],
  );
  return { opening, open };
}
