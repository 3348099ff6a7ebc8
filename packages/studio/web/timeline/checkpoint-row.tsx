import { Link } from '@tanstack/react-router';
import { shownText } from '../data/names.ts';
import { clockText, fullText } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { AuthorMarks } from '../parts/author-mark.tsx';
import { CheckMarks, type CheckSummary } from '../parts/check-marks.tsx';
import { Counts } from '../parts/counts.tsx';
import type { Checkpoint } from './rows.ts';
import { StateTag } from './state-tag.tsx';

export interface CheckpointRowProps {
  readonly checkpoint: Checkpoint;
  readonly checks: Pick<CheckSummary, 'checks'> | null;
  readonly isPinned: boolean;
  readonly isCurrent: boolean;
  readonly hasSameFiles: boolean;
}

/** A checkpoint between turns: taken by hand, by an operation, or with somebody's own edits. */
export function CheckpointRow({ checkpoint, checks, isPinned, isCurrent, hasSameFiles }: CheckpointRowProps) {
  const { id: workspace } = useWorkspace();
  const { id, time, by, description, totals, testResult, partial } = checkpoint;
  return (
    <Link className="checkpoint-row" data-row to="/w/$workspace/changes" params={{ workspace }} search={{ to: id }}>
      <time dateTime={time} title={fullText(time)}>
        {clockText(time)}
      </time>
      <AuthorMarks actors={by} />
      <span className="words">{shownText(description)}</span>
      {testResult !== null && (
        <span className={`tag ${testResult}`}>tests {testResult === 'pass' ? 'pass' : 'fail'}</span>
      )}
      <CheckMarks checks={checks} />
      {isPinned && <span className="tag">pinned</span>}
      <StateTag isCurrent={isCurrent} hasSameFiles={hasSameFiles} />
      {partial.length > 0 && <span className="tag warning">partial</span>}
      {totals.files > 0 && <Counts added={totals.added} removed={totals.removed} />}
      <span className="checkpoint-id">{id}</span>
    </Link>
  );
}
