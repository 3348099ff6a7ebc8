import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { closeBundle } from '../api/bundle.ts';
import { asWireError } from '../api/call.ts';
import { useWorkspace } from '../data/workspace.ts';
import { useToast } from '../parts/toasts.tsx';

/** Says what a bundle is, and what it does not contain. */
export function BundleNotice() {
  const { id, path } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const close = async (): Promise<void> => {
    try {
      await closeBundle(id);
      await client.invalidateQueries({ queryKey: ['workspaces'] });
      await navigate({ to: '/' });
    } catch (error) {
      toast({ text: asWireError(error).message, isFailure: true });
    }
  };
  return (
    <div className="bundle-notice">
      <p>
        The bundle <strong>{path}</strong>, opened for review: nothing of it can change your files. It has prompts and
        private files only if its author included them.
      </p>
      <button type="button" className="button small" onClick={() => void close()}>
        Close the bundle
      </button>
    </div>
  );
}
