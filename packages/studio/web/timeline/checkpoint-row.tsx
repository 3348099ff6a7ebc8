import { Link } from '@tanstack/react-router';
import { actorName } from '../data/authors.ts';
import { shownText } from '../data/names.ts';
import { clockText, fullText } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { AuthorMark } from '../parts/author-mark.tsx';
import { CheckMarks, type CheckSummary } from '../parts/check-marks.tsx';
import { Counts } from '../parts/counts.tsx';
import type { Checkpoint } from './rows.ts';

export interface CheckpointRowProps {
  readonly checkpoint: Checkpoint;
  readonly checks: Pick<CheckSummary, 'checks'> | null;
  readonly isPinned: boolean;
  readonly isCurrent: boolean;
}

/** A checkpoint between turns: taken by hand, by an operation, or with somebody's own edits. */
export function CheckpointRow({ checkpoint, checks, isPinned, isCurrent }: CheckpointRowProps) {
  const { id: workspace } = useWorkspace();
  const { id, time, actor, description, totals, testResult, partial } = checkpoint;
  return (
    <Link className="checkpoint-row" data-row to="/w/$workspace/changes" params={{ workspace }} search={{ to: id }}>
      <time dateTime={time} title={fullText(time)}>
        {clockText(time)}
      </time>
      <AuthorMark actor={actor} />
      <span className="hidden">{shownText(actorName(actor))}</span>
      <span className="words">{shownText(description)}</span>
      {testResult !== null && (
        <span className={`tag ${testResult}`}>tests {testResult === 'pass' ? 'pass' : 'fail'}</span>
      )}
      <CheckMarks checks={checks} />
      {isPinned && <span className="tag">pinned</span>}
      {isCurrent && <span className="tag current">newest</span>}
      {partial.length > 0 && <span className="tag warning">partial</span>}
      {totals.files > 0 && <Counts added={totals.added} removed={totals.removed} />}
      <span className="checkpoint-id">{id}</span>
    </Link>
  );
}
