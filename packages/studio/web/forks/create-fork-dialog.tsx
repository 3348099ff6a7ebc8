import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import { callVerb } from '../api/call.ts';
import { shownText } from '../data/names.ts';
import { plural } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/message.tsx';
import { useToast } from '../parts/toasts.tsx';
import { refreshForks } from './fork-queries.ts';

export interface CreateForkDialogProps {
  /** A checkpoint, an approved plan, or `now`. */
  readonly from: string;
  readonly onClose: () => void;
}

const MOST = 20;

export function CreateForkDialog({ from, onClose }: CreateForkDialogProps) {
  const { id: workspace } = useWorkspace();
  const client = useQueryClient();
  const toast = useToast();
  const form = useId();
  const [name, setName] = useState('');
  const [branch, setBranch] = useState('');
  const [count, setCount] = useState(1);
  const [failed, setFailed] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const create = async (): Promise<void> => {
    setBusy(true);
    setFailed(null);
    try {
      const { output } = await callVerb(workspace, 'forkCreate', {
        name: name.trim(),
        ...(from === 'now' ? {} : { from }),
        ...(count === 1 ? {} : { count }),
        ...(branch.trim() === '' ? {} : { branch: branch.trim() }),
      });
      onClose();
      toast({
        text: `Created ${plural(output.forks.length, 'fork')}: ${output.forks.map((one) => shownText(one.name)).join(', ')}.`,
      });
      await refreshForks(client, workspace);
    } catch (error) {
      setFailed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={from === 'now' ? 'Fork the files as they are now' : `Fork from ${shownText(from)}`}
      onClose={onClose}
      foot={
        <>
          <span className="hint">Nothing in the workspace changes.</span>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form={form} className="button main" disabled={isBusy || name.trim() === ''}>
            Create
          </button>
        </>
      }
    >
      <form
        id={form}
        className="fork-form"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <label>
          Name
          <input ref={first} className="field" value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <label>
          How many
          <input
            className="field"
            type="number"
            min={1}
            max={MOST}
            value={count}
            onChange={(event) => setCount(Math.min(MOST, Math.max(1, Number(event.target.value) || 1)))}
          />
        </label>
        <label>
          Branch
          <input
            className="field"
            placeholder="none: a repository of its own"
            value={branch}
            onChange={(event) => setBranch(event.target.value)}
          />
        </label>
      </form>
      {failed !== null && <Failure error={failed} />}
    </Dialog>
  );
}
