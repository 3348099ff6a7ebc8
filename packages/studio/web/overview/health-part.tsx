/** Whether what agents do is reported: their hooks, and the daemon that answers these. */
import type { HealthAnswer } from '../api/call.ts';
import { useHealth } from '../data/health.ts';
import { shownText } from '../data/names.ts';
import { agoText, plural } from '../data/times.ts';
import { Failure, Loading } from '../parts/message.tsx';
import { useNow } from '../parts/use-now.ts';

type Agent = HealthAnswer['agents'][number];

export function HealthPart() {
  const { data, error, refetch } = useHealth();
  return (
    <section aria-label="Hooks and daemon">
      <h2>Hooks and daemon</h2>
      {error !== null && <Failure error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Loading what="the hooks" />}
      {data !== undefined && (
        <dl>
          {data.agents.length === 0 && (
            <>
              <dt>Hooks</dt>
              <dd>
                No agent has hooks here, so nothing tells who changed what. Run <code>savepoint install</code>.
              </dd>
            </>
          )}
          {data.agents.map((agent) => (
            <AgentHealth key={agent.agent} agent={agent} />
          ))}
          <dt>Daemon</dt>
          <dd>{daemonText(data.daemon)}</dd>
        </dl>
      )}
    </section>
  );
}

function AgentHealth({ agent }: { readonly agent: Agent }) {
  const now = useNow();
  const { title, installed, missed, lastEventHere, lastFailure, uncovered } = agent;
  const problems = installed.flatMap(({ problem, problems: more }) => [
    ...(problem === null ? [] : [problem]),
    ...more,
  ]);
  const works = problems.length === 0 && !missed && lastFailure === null && uncovered.length === 0;
  const last = lastEventHere === null ? 'no event from here yet' : `last event ${agoText(lastEventHere.time, now)}`;
  return (
    <>
      <dt>{shownText(title)}</dt>
      <dd>
        {works && <span className="good">Hooks work</span>}
        {missed && <span className="bad">Its hooks are not installed here any more: run savepoint install</span>}
        <span className="tag"> {installed.length === 0 ? '' : last}</span>
        {problems.map((problem) => (
          <p key={problem} className="bad">
            {shownText(problem)}
          </p>
        ))}
        {lastFailure !== null && (
          <p className="bad">
            The last event failed {agoText(lastFailure.time, now)}: {shownText(lastFailure.message)}
          </p>
        )}
        {uncovered.length > 0 && (
          <p className="bad">
            It wrote {plural(uncovered.length, 'path')} that no checkpoint contains, such as{' '}
            <code>{shownText(uncovered[0]?.path ?? '')}</code>: {shownText(uncovered[0]?.why ?? '')}
          </p>
        )}
      </dd>
    </>
  );
}

function daemonText({ state, events, medianMs }: HealthAnswer['daemon']): string {
  if (state === 'leaving') return 'It is shutting down. The next hook starts a new one.';
  if (state === 'none') return 'Not running. Hooks work without it, and the next one starts it.';
  const times = medianMs === null ? '' : `, ${Math.round(medianMs)} ms each (median)`;
  return `Running${events === null ? '' : `, ${plural(events, 'event')} answered${times}`}`;
}
