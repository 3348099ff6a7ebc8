/** Drops a fork. What would be lost is said first, and what is not merged is dropped on a terminal only. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { asWireError, callVerb } from '../api/call.ts';
import { nameKey, shownLines, shownName, shownText } from '../data/names.ts';
import { plural } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure, Loading } from '../parts/message.tsx';
import { useToast } from '../parts/toasts.tsx';
import { type ForkRow, refreshForks, useForkVerb } from './fork-queries.ts';
import { useBringBack } from './use-bring-back.ts';

export interface DropForkDialogProps {
  readonly fork: ForkRow;
  readonly onClose: () => void;
}

const MOST = 12;

export function DropForkDialog({ fork: { name, state, runs }, onClose }: DropForkDialogProps) {
  const { id: workspace } = useWorkspace();
  const client = useQueryClient();
  const toast = useToast();
  const bringBack = useBringBack();
  const [refused, setRefused] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const { data } = useForkVerb('forkDiff', { name }, state === 'changed');
  const running = runs.filter((run) => run.state === 'running');
  const drop = async (): Promise<void> => {
    setBusy(true);
    try {
      const { output } = await callVerb(workspace, 'forkDrop', { name });
      onClose();
      const text = [`Dropped ${shownText(name)}.`, ...output.notes.map((note) => shownText(note))].join(' ');
      toast({ text, action: { label: 'Bring back', run: () => bringBack(`dropped:${name}`, name) } });
      await refreshForks(client, workspace);
    } catch (error) {
      setRefused(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={`Drop ${shownText(name)}`}
      onClose={onClose}
      foot={
        <>
          <span className="hint">Its last state is kept. A dropped fork can be brought back.</span>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            className="button main"
            disabled={isBusy || refused !== null}
            onClick={() => void drop()}
          >
            Drop
          </button>
        </>
      }
    >
      <div className="preview">
        {running.length > 0 && (
          <section className="warning">
            <h3>A command runs in it</h3>
            <ul>
              {running.map((run) => (
                <li key={run.number}>
                  <code>{shownText(run.command.join(' '))}</code>
                </li>
              ))}
            </ul>
          </section>
        )}
        {state === 'changed' && (
          <section className="warning">
            <h3>Not merged</h3>
            {data === undefined ? (
              <Loading what="what is not merged" />
            ) : (
              <ul>
                {data.changes.slice(0, MOST).map(({ path }) => (
                  <li key={nameKey(path)}>
                    <code>{shownName(path)}</code>
                  </li>
                ))}
                {data.changes.length > MOST && <li>and {plural(data.changes.length - MOST, 'more file')}</li>}
              </ul>
            )}
          </section>
        )}
        {state !== 'changed' && running.length === 0 && <p>Everything in it is merged or unchanged.</p>}
        {refused !== null && <Refusal error={refused} />}
      </div>
    </Dialog>
  );
}

/** Why it was not dropped: with what is to be typed on a terminal. */
function Refusal({ error }: { readonly error: unknown }) {
  const { code, message, hint } = asWireError(error);
  if (code !== 'NEEDS_CONFIRMATION') return <Failure error={error} />;
  return (
    <section className="danger" role="alert">
      <h3>{shownLines(message)}</h3>
      <p>{shownLines(hint)}</p>
      <p>The page does not force it, because some of it may be gone for good.</p>
    </section>
  );
}
