/** Whether agents only propose their edits, and the switch for it. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { asWireError, callVerb, type Input, type Output } from '../api/call.ts';
import { actorName } from '../data/authors.ts';
import { shownText } from '../data/names.ts';
import { agoText, fullText } from '../data/times.ts';
import { refresh, useVerb } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { AuthorMark } from '../parts/author-mark.tsx';
import { useToast } from '../parts/toasts.tsx';
import { useNow } from '../parts/use-now.ts';
import { PlannedAgents } from './planned-agents.tsx';

type Mode = Output<'planMode'>;
type Session = Output<'sessions'>['sessions'][number];

const MINUTE = 60_000;
/** Sessions that one may still work in. */
const OFFERED = 12;

export function usePlanMode(): Mode | undefined {
  return useVerb('planMode', {}, { keepsLast: true }).data;
}

export function isPlanning(mode: Mode | undefined, session: string): boolean {
  return mode !== undefined && (mode.since !== null || mode.sessions.some((one) => one.session === session));
}

export function PlanMode() {
  const { server } = useWorkspace();
  const mode = usePlanMode();
  const { data } = useVerb('sessions', {});
  const { isBusy, set } = useSwitch();
  if (mode === undefined) return null;
  const agents = (data?.sessions ?? []).filter(({ actor }) => actor.kind === 'agent');
  const isOn = mode.since !== null || mode.sessions.length > 0;
  const canChange = !server.isReadOnly;
  return (
    <section className="plan-mode" aria-label="Plan mode">
      <div className="row">
        <h2>Plan mode</h2>
        <ModeState mode={mode} />
        <span className="space" />
        {canChange && (
          <>
            {mode.since === null && <ForSession mode={mode} sessions={agents} isBusy={isBusy} set={set} />}
            <button
              type="button"
              className="button"
              disabled={isBusy}
              onClick={() => set({ set: isOn ? 'off' : 'on' })}
            >
              {isOn ? 'Turn off' : 'Turn on for all'}
            </button>
          </>
        )}
      </div>
      <p className="hint">
        {isOn
          ? 'Edits of agents are not made. They are recorded here as a plan, which you review, approve and apply.'
          : 'Agents edit files themselves. With plan mode, they only propose their edits, as a plan to review here.'}
      </p>
      {mode.since === null &&
        mode.sessions.map(({ session, since }) => (
          <PlannedSession
            key={session}
            session={agents.find(({ id }) => id === session) ?? null}
            id={session}
            since={since}
            off={canChange && !isBusy ? () => set({ set: 'off', session }) : null}
          />
        ))}
      {isOn && <PlannedAgents />}
    </section>
  );
}

function ModeState({ mode: { since, sessions } }: { readonly mode: Mode }) {
  const now = useNow(MINUTE);
  if (since !== null) {
    return (
      <span className="tag current" title={fullText(since)}>
        on for all sessions, turned on {agoText(since, now)}
      </span>
    );
  }
  if (sessions.length === 0) return <span className="tag">off</span>;
  return (
    <span className="tag current">on for {sessions.length === 1 ? 'one session' : `${sessions.length} sessions`}</span>
  );
}

interface ForSessionProps {
  readonly mode: Mode;
  readonly sessions: readonly Session[];
  readonly isBusy: boolean;
  readonly set: (input: Input<'planMode'>) => void;
}

/** Turns it on for one session, the newest first. */
function ForSession({ mode, sessions, isBusy, set }: ForSessionProps) {
  const offered = sessions
    .filter(({ id }) => !isPlanning(mode, id))
    .toSorted((one, other) => Date.parse(other.last) - Date.parse(one.last))
    .slice(0, OFFERED);
  if (offered.length === 0) return null;
  return (
    <select
      className="field"
      aria-label="Turn plan mode on for one session"
      disabled={isBusy}
      value=""
      onChange={({ target }) => set({ set: 'on', session: target.value })}
    >
      <option value="">Turn on for one session …</option>
      {offered.map(({ id, actor, title }) => (
        <option key={id} value={id}>
          {shownText(actorName(actor))}: {shownText(title ?? 'a session without a recorded prompt')}
        </option>
      ))}
    </select>
  );
}

interface PlannedSessionProps {
  readonly id: string;
  /** Null: nothing of it is on the timeline. */
  readonly session: Session | null;
  readonly since: string;
  /** Null: it cannot be turned off here. */
  readonly off: (() => void) | null;
}

function PlannedSession({ id, session, since, off }: PlannedSessionProps) {
  const now = useNow(MINUTE);
  return (
    <p className="row planned-session">
      {session !== null && <AuthorMark actor={session.actor} />}
      <span>{session === null ? `session ${shownText(id)}` : shownText(session.title ?? id)}</span>
      <span className="tag" title={fullText(since)}>
        since {agoText(since, now)}
      </span>
      <span className="space" />
      {off !== null && (
        <button type="button" className="button small" onClick={off}>
          Turn off
        </button>
      )}
    </p>
  );
}

function useSwitch() {
  const { id: workspace } = useWorkspace();
  const client = useQueryClient();
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const set = (input: Input<'planMode'>): void => {
    setBusy(true);
    void callVerb(workspace, 'planMode', input)
      .catch((error: unknown) => {
        const { message, hint } = asWireError(error);
        toast({ text: `${message} ${hint}`, isFailure: true });
      })
      .then(() => refresh(client, workspace))
      .finally(() => setBusy(false));
  };
  return { isBusy, set };
}
