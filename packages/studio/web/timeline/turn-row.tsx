import { Link } from '@tanstack/react-router';
import { actorName } from '../data/authors.ts';
import { shownText } from '../data/names.ts';
import { clockText, durationText, fullText, plural } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { AuthorMark } from '../parts/author-mark.tsx';
import { CheckMarks } from '../parts/check-marks.tsx';
import { Counts } from '../parts/counts.tsx';
import { Icon } from '../parts/icon.tsx';
import { PLAN_STATUS } from '../plans/plan-status.tsx';
import { usePlansOfTurn } from '../plans/turn-of-plan.ts';
import { turnRequest } from '../take-back/requests.ts';
import { TakeBackButton } from '../take-back/take-back-button.tsx';
import type { Turn } from './rows.ts';
import { StateTag } from './state-tag.tsx';
import { TurnCalls } from './turn-calls.tsx';

export interface TurnRowProps {
  readonly turn: Turn;
  readonly isCurrent: boolean;
  readonly hasSameFiles: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** Enough to tell sessions apart. */
const SESSION_LETTERS = 8;

/** A turn: its words first, then who, what and how much. */
export function TurnRow({ turn, isCurrent, hasSameFiles, isOpen, onToggle }: TurnRowProps) {
  const { id: workspace, isBundle } = useWorkspace();
  const { before, after, session } = turn;
  const words = turn.prompt === null ? 'Work without a recorded prompt' : shownText(turn.prompt);
  return (
    <article className={`turn-row ${stateOf(turn)} ${isCurrent ? 'is-current' : ''}`}>
      <time dateTime={turn.ended} title={fullText(turn.ended)}>
        {clockText(turn.ended)}
      </time>
      <AuthorMark actor={turn.actor} />
      <div className="what">
        <button type="button" className="words" data-row aria-expanded={isOpen} onClick={onToggle}>
          {words}
        </button>
        <p className="facts">
          <span>{shownText(actorName(turn.actor))}</span>
          <span>{plural(turn.calls, 'call')}</span>
          <span>{plural(turn.files, 'file')}</span>
          <span>{durationText(Date.parse(turn.ended) - Date.parse(turn.began))}</span>
          <CheckMarks checks={turn.checks} />
          <TakenBack turn={turn} />
          <PlansOfTurn turn={turn} />
          <StateTag isCurrent={isCurrent} hasSameFiles={hasSameFiles} />
          {isOpen && (
            <Link
              className="session"
              title={`Only the session ${shownText(session)}`}
              to="/w/$workspace/timeline"
              params={{ workspace }}
              search={{ session }}
            >
              session {shownText(session.slice(0, SESSION_LETTERS))}
            </Link>
          )}
        </p>
      </div>
      <div className="acts">
        {turn.changes > 0 && before !== null && after !== null && (
          <Link
            className="button small"
            to="/w/$workspace/changes"
            params={{ workspace }}
            search={{ from: before, to: after, session }}
          >
            Changes
          </Link>
        )}
        {turn.changes > turn.takenBack && <TakeBackButton request={turnRequest(turn)} label="Take back" />}
        {before !== null && !isBundle && (
          <Link
            className="button small quiet"
            title="Look at what going back to before this turn would do"
            to="/w/$workspace/restore"
            params={{ workspace }}
            search={{ to: before, session }}
          >
            Restore …
          </Link>
        )}
        <button
          type="button"
          className="button quiet small"
          aria-label={isOpen ? 'Hide the calls' : 'Show the calls'}
          onClick={onToggle}
        >
          <Icon name={isOpen ? 'closed' : 'open'} />
        </button>
      </div>
      <Counts added={turn.added} removed={turn.removed} />
      {isOpen && <TurnCalls turn={turn} />}
    </article>
  );
}

function PlansOfTurn({ turn }: { readonly turn: Turn }) {
  const { id: workspace } = useWorkspace();
  return usePlansOfTurn(turn).map(({ id, status }) => (
    <Link key={id} className="tag" to="/w/$workspace/plans/$plan" params={{ workspace, plan: id }}>
      made {id}, {PLAN_STATUS[status]}
    </Link>
  ));
}

function stateOf({ changes, takenBack }: Turn): string {
  if (changes === 0) return 'is-empty';
  if (takenBack === 0) return 'is-in-effect';
  return takenBack >= changes ? 'is-taken-back' : 'is-partly';
}

function TakenBack({ turn: { changes, takenBack } }: { readonly turn: Turn }) {
  return (
    <>
      {changes > 0 && takenBack >= changes && <span className="tag taken-back">taken back</span>}
      {takenBack > 0 && takenBack < changes && (
        <span className="tag partly">
          {takenBack} of {changes} changes taken back
        </span>
      )}
    </>
  );
}
