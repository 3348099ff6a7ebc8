/** The plans: changes that are proposed and not applied yet, and those that were decided. */
import { Link } from '@tanstack/react-router';
import type { Output } from '../api/call.ts';
import { shownText } from '../data/names.ts';
import { agoText, plural } from '../data/times.ts';
import { useVerb } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { AuthorMark } from '../parts/author-mark.tsx';
import { Counts } from '../parts/counts.tsx';
import { Empty, Failure, Loading, Warnings } from '../parts/message.tsx';
import { useNow } from '../parts/use-now.ts';
import { PlanMode } from './plan-mode.tsx';
import { PlanPeople } from './plan-people.tsx';
import { PlanStatus } from './plan-status.tsx';

type PlanBrief = Output<'planList'>['plans'][number];

const MINUTE = 60_000;

export function Plans() {
  const { data, error, refetch } = useVerb('planList', { all: true });
  if (error !== null && data === undefined) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the plans" />;
  const plans = data.plans.toReversed();
  return (
    <>
      <div className="view-head">
        <h1>Plans</h1>
      </div>
      <PlanMode />
      <Warnings warnings={data.warnings} />
      {plans.length === 0 ? (
        <Empty title="There are no plans">
          <p>
            An agent proposes changes with the tool <code>plan_new</code>, and a command with <code>savepoint try</code>
            . You review them here before any file changes.
          </p>
        </Empty>
      ) : (
        <ul className="view-body">
          {plans.map((plan) => (
            <PlanRow key={plan.id} plan={plan} />
          ))}
        </ul>
      )}
    </>
  );
}

function PlanRow({ plan }: { readonly plan: PlanBrief }) {
  const { id: workspace } = useWorkspace();
  const now = useNow(MINUTE);
  const { id, intent, by, authors, created, selected, revision, rejected } = plan;
  return (
    <li>
      <Link className="plan-row" data-row to="/w/$workspace/plans/$plan" params={{ workspace, plan: id }}>
        <AuthorMark actor={authors[0] ?? by} />
        <span className="words">
          {shownText(intent)}
          <span className="facts">
            <PlanPeople plan={plan} />
            <span>{agoText(created, now)}</span>
            {revision > 1 && <span>revision {revision}</span>}
            {rejected > 0 && <span>{plural(rejected, 'change')} rejected in part or whole</span>}
          </span>
        </span>
        <PlanStatus plan={plan} />
        <span className="files">{plural(selected.files, 'file')}</span>
        <Counts added={selected.added} removed={selected.removed} />
      </Link>
    </li>
  );
}
