/** What is known of a fork, as short texts that the list and the page of one fork share. */
import { COMPARISONS } from '../data/comparisons.ts';
import { shownText } from '../data/names.ts';
import { agoText, fullText } from '../data/times.ts';
import { useNow } from '../parts/use-now.ts';
import type { ForkRow } from './fork-queries.ts';

export const STATES: Readonly<Record<ForkRow['state'], string>> = {
  changed: 'not merged',
  merged: 'merged',
  unchanged: 'no changes',
};

const MINUTE = 60_000;

export function ForkState({ state }: Pick<ForkRow, 'state'>) {
  return <span className={`tag fork-${state}`}>{STATES[state]}</span>;
}

export function ForkChecks({ checks }: { readonly checks: ForkRow['checks'] }) {
  const now = useNow(MINUTE);
  if (checks === null) return <span className="tag">not checked</span>;
  return (
    <span className="fork-checks">
      {checks.results.map(({ name, comparison, why, new: count }) => (
        <span key={name} className={`check ${comparison}`} title={why === null ? undefined : shownText(why)}>
          {shownText(name)}{' '}
          <span className="tag">
            {COMPARISONS[comparison]}
            {count > 0 && ` (${count})`}
          </span>
        </span>
      ))}
      {checks.results.length === 0 && <span className="tag">no checks found</span>}
      <span className={`tag ${checks.isCurrent ? '' : 'warning'}`} title={fullText(checks.time)}>
        {checks.isCurrent ? agoText(checks.time, now) : 'changed since they ran'}
      </span>
    </span>
  );
}

type Run = ForkRow['runs'][number];

export function RunState({ run }: { readonly run: Run }) {
  const text = run.state === 'running' ? 'runs' : run.state === 'killed' ? 'was killed' : `ended with ${run.exit}`;
  const tone = run.state === 'running' ? 'current' : run.exit === 0 ? 'pass' : 'fail';
  return (
    <span className="fork-run">
      {run.state === 'running' && <span className="pulse" aria-hidden="true" />}
      <code>{shownText(run.command.join(' '))}</code> <span className={`tag ${tone}`}>{text}</span>
    </span>
  );
}
