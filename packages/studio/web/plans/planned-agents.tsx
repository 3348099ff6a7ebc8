import { useHealth } from '../data/health.ts';
import { shownText } from '../data/names.ts';

/** Which agents plan mode holds back, and what it cannot hold back. */
export function PlannedAgents() {
  const { data } = useHealth();
  if (data === undefined) return null;
  const agents = data.agents.filter(({ installed }) => installed.length > 0);
  return (
    <ul className="planned-agents">
      {agents.map(({ agent, title, planLimit }) => (
        <li key={agent} className={planLimit === null ? '' : 'warning'}>
          <strong>{shownText(title)}</strong>{' '}
          {planLimit === null ? 'proposes its edits of files.' : shownText(planLimit)}
        </li>
      ))}
      {agents.length === 0 ? (
        <li className="warning">
          No agent has hooks here, so only the tools of Savepoint are held back: edits and shell commands run as always.
          Run <code>savepoint install</code>.
        </li>
      ) : (
        <li>
          Shell commands, and tools that may write anywhere, are refused. For an agent that needs them:{' '}
          <code>savepoint run --isolated --plan -- AGENT</code>.
        </li>
      )}
    </ul>
  );
}
