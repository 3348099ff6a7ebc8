import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Change } from '../data/authors.ts';
import { grouped } from '../data/grouped.ts';
import { nameKey, shownName, shownText } from '../data/names.ts';
import { clockText } from '../data/times.ts';
import { useVerb } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { Counts } from '../parts/counts.tsx';
import { GradeMark } from '../parts/grade-mark.tsx';
import { Failure, Loading } from '../parts/message.tsx';
import { isIn, numberOf, type Turn } from './rows.ts';

const MOST = 2_000;

interface CallOfTurn {
  readonly checkpoint: string;
  readonly time: string;
  readonly tool: string;
  readonly changes: readonly Change[];
}

/** The calls of a turn with the files that each changed, oldest first. */
export function TurnCalls({ turn }: { readonly turn: Turn }) {
  const { data, error, refetch } = useVerb('history', {
    session: turn.session,
    since: turn.began,
    until: turn.ended,
    limit: MOST,
  });
  const calls = useMemo(() => callsOf(data?.changes ?? [], turn), [data, turn]);
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the calls" />;
  if (calls.length === 0) return <p className="calls-none">No call of this turn changed a file.</p>;
  return (
    <ol className="calls">
      {calls.map((call) => (
        <CallRow key={call.checkpoint} call={call} />
      ))}
    </ol>
  );
}

function CallRow({ call: { checkpoint, time, tool, changes } }: { readonly call: CallOfTurn }) {
  const { id: workspace } = useWorkspace();
  return (
    <li>
      <time dateTime={time}>{clockText(time)}</time>
      <span className="tool" title={shownText(tool)}>
        {shownText(tool)}
      </span>
      <ul>
        {changes.map((change) => (
          <li key={change.id} className={change.takenBack === null ? '' : 'is-taken-back'}>
            <Link
              to="/w/$workspace/changes"
              params={{ workspace }}
              search={{ change: change.id, file: nameKey(change.path) }}
            >
              {change.from !== null && `${shownName(change.from)} → `}
              {shownName(change.path)}
            </Link>
            <GradeMark grade={change.grade} />
            <Counts added={change.added} removed={change.removed} />
            {change.takenBack !== null && <span className="tag taken-back">taken back by {change.takenBack}</span>}
          </li>
        ))}
      </ul>
      <Link className="checkpoint-id" to="/w/$workspace/changes" params={{ workspace }} search={{ to: checkpoint }}>
        {checkpoint}
      </Link>
    </li>
  );
}

function callsOf(changes: readonly Change[], turn: Turn): readonly CallOfTurn[] {
  const its = changes.filter(({ checkpoint }) => isIn(turn, numberOf(checkpoint)));
  return [...grouped(its, ({ checkpoint }) => checkpoint)]
    .map(([checkpoint, made]) => ({
      checkpoint,
      time: made[0]?.time ?? '',
      tool: made[0]?.authors.find(({ tool }) => tool !== null)?.tool ?? made[0]?.trigger ?? '',
      changes: made,
    }))
    .toSorted((one, other) => numberOf(one.checkpoint) - numberOf(other.checkpoint));
}
