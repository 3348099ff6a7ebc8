import type { ReactNode } from 'react';
import { actorName } from '../data/authors.ts';
import { shownText } from '../data/names.ts';
import { plural } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { AuthorMark } from '../parts/author-mark.tsx';
import { Counts } from '../parts/counts.tsx';
import { useTakeBack } from '../take-back/take-back.tsx';
import { isOpen, type ShownPlan } from './decisions.ts';
import { PlanStatus } from './plan-status.tsx';
import type { PlanActs } from './use-plan-acts.ts';

export interface PlanHeadProps {
  readonly plan: ShownPlan;
  readonly acts: PlanActs;
  /** How its diff is shown. */
  readonly layout: ReactNode;
}

/** What the plan is for, and what can be done with all of it. */
export function PlanHead({ plan, acts, layout }: PlanHeadProps) {
  const { server } = useWorkspace();
  const { intent, by, selected, totals, rejected, revision, source, source_name } = plan;
  return (
    <div className="view-head changes-head">
      <div className="title">
        <AuthorMark actor={by} />
        <h1 title={shownText(intent)}>{shownText(intent)}</h1>
        <p>
          {shownText(actorName(by))} · {source}
          {source_name !== null && ` ${shownText(source_name)}`}
          {revision > 1 && ` · revision ${revision}`}
          {rejected > 0 && ` · ${plural(selected.files, 'file')} of ${totals.files} left`}
        </p>
      </div>
      <Counts added={selected.added} removed={selected.removed} />
      <PlanStatus plan={plan} />
      <span className="space" />
      {layout}
      {!server.isReadOnly && <Buttons plan={plan} acts={acts} />}
    </div>
  );
}

function Buttons({ plan, acts }: { readonly plan: ShownPlan; readonly acts: PlanActs }) {
  const open = useTakeBack();
  const { id, status, checked } = plan;
  // Checks of anything else do not count, so they need no reason.
  const mustSayWhy = checked === 'failed';
  if (status === 'applied') {
    // Its files were already as it says.
    if (plan.applied.length === 0) return null;
    return (
      <button
        type="button"
        className="button"
        onClick={() => open({ title: 'Roll back the plan', selection: { kind: 'plan', id }, act: 'Roll back' })}
      >
        Roll back
      </button>
    );
  }
  if (!isOpen(plan) && status !== 'rolled-back') return null;
  return (
    <>
      {isOpen(plan) && (
        <>
          <button type="button" className="button quiet" disabled={acts.isBusy} onClick={acts.cancel}>
            Cancel plan
          </button>
          <button type="button" className="button" disabled={acts.isBusy} onClick={acts.check}>
            Check
          </button>
        </>
      )}
      {(status === 'pending' || status === 'rolled-back') && (
        <button type="button" className="button main" disabled={acts.isBusy} onClick={acts.approve}>
          {status === 'pending' ? 'Approve' : 'Approve again'}
        </button>
      )}
      {status === 'approved' && (
        <button
          type="button"
          className="button main"
          onClick={() =>
            open({
              title: 'Apply the plan',
              selection: { kind: 'apply', id, hasPhases: plan.phases.length > 0 },
              act: 'Apply',
              asksWhy: mustSayWhy,
            })
          }
        >
          Apply
        </button>
      )}
    </>
  );
}
