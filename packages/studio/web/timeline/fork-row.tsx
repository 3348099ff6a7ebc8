import { Link } from '@tanstack/react-router';
import { shownText } from '../data/names.ts';
import { clockText, fullText } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { Counts } from '../parts/counts.tsx';
import type { Fork } from './rows.ts';

const STATES: Readonly<Record<Fork['state'], string>> = {
  unchanged: 'nothing changed in it yet',
  changed: 'not merged',
  merged: 'merged',
};

/** Where a fork left the workspace. */
export function ForkRow({ fork }: { readonly fork: Fork }) {
  const { id: workspace } = useWorkspace();
  const { name, checkpoint, created, state, totals } = fork;
  return (
    <Link
      className="checkpoint-row fork-row"
      data-row
      to="/w/$workspace/changes"
      params={{ workspace }}
      search={{ to: checkpoint }}
    >
      <time dateTime={created} title={fullText(created)}>
        {clockText(created)}
      </time>
      <span className="words">
        Fork <strong>{shownText(name)}</strong> left here
      </span>
      <span className={`tag fork-${state}`}>{STATES[state]}</span>
      {totals.files > 0 && <Counts added={totals.added} removed={totals.removed} />}
      <span className="checkpoint-id">{checkpoint}</span>
    </Link>
  );
}
