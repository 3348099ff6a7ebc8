import { Link } from '@tanstack/react-router';
import type { Output } from '../api/call.ts';
import { actorName } from '../data/authors.ts';
import { shownText } from '../data/names.ts';
import { type OpenCall, useOpenCalls } from '../data/open-calls.ts';
import { agoText, durationText, plural } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { AuthorMark } from '../parts/author-mark.tsx';
import { CheckMarks } from '../parts/check-marks.tsx';
import { Counts } from '../parts/counts.tsx';
import { useNow } from '../parts/use-now.ts';
import { isPlanning, usePlanMode } from '../plans/plan-mode.tsx';

type Session = Output<'sessions'>['sessions'][number];
type Turn = Output<'turns'>['turns'][number];

export interface AgentsProps {
  readonly sessions: readonly Session[];
  /** Newest first. */
  readonly turns: readonly Turn[];
}

/** Older sessions are on the timeline. */
const MOST = 6;

export function Agents({ sessions, turns }: AgentsProps) {
  const { id } = useWorkspace();
  const calls = useOpenCalls(id);
  const shown = sessions
    .filter(({ actor }) => actor.kind === 'agent')
    .toSorted((one, other) => Date.parse(other.last) - Date.parse(one.last))
    .slice(0, MOST);
  return (
    <section aria-label="Agents">
      <h2>Agents</h2>
      {shown.length === 0 && (
        <p className="quiet-text">
          No agent has worked here yet. <code>savepoint install</code> adds the hooks that report what agents do.
        </p>
      )}
      <ul>
        {shown.map((session) => (
          <AgentRow
            key={session.id}
            session={session}
            turn={turns.find((turn) => turn.session === session.id) ?? null}
            calls={calls.filter((call) => call.session === session.id)}
          />
        ))}
      </ul>
    </section>
  );
}

interface AgentRowProps {
  readonly session: Session;
  /** Its newest one; null if it is not among the turns that are shown. */
  readonly turn: Turn | null;
  readonly calls: readonly OpenCall[];
}

function AgentRow({ session, turn, calls }: AgentRowProps) {
  const { id: workspace } = useWorkspace();
  const now = useNow();
  const { actor, last } = session;
  const mode = usePlanMode();
  // Under the words of a prompt, what followed it; under the title of a session, all of the session.
  const { changes, added, removed } = turn ?? session;
  return (
    <li className={`agent-row ${calls.length > 0 ? 'is-running' : ''}`}>
      <AuthorMark actor={actor} />
      <div>
        <Link to="/w/$workspace/timeline" params={{ workspace }} search={{ session: session.id }}>
          {shownText(turn?.prompt ?? session.title ?? 'A session without a recorded prompt')}
        </Link>
        <p className="facts">
          <span>{shownText(actorName(actor))}</span>
          <span>{plural(changes, 'change')}</span>
          <Counts added={added} removed={removed} />
          <CheckMarks checks={turn?.checks ?? null} />
          {isPlanning(mode, session.id) && (
            <Link className="tag current" to="/w/$workspace/plans" params={{ workspace }}>
              plan mode
            </Link>
          )}
          {calls.length === 0 && <span>last active {agoText(last, now)}</span>}
        </p>
        {calls.map(({ call, tool, summary, began }) => (
          <p key={call} className="running">
            <span className="pulse" aria-hidden="true" />
            {shownText(tool)} <code>{shownText(summary)}</code>
            <span className="took">{durationText(Math.max(0, now - Date.parse(began)))}</span>
          </p>
        ))}
      </div>
    </li>
  );
}
