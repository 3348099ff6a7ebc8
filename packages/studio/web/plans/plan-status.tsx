import type { Output } from '../api/call.ts';

type Plan = Pick<Output<'planList'>['plans'][number], 'status' | 'checked' | 'left'>;

/** In words. */
export const PLAN_STATUS: Readonly<Record<Plan['status'], string>> = {
  pending: 'to review',
  approved: 'approved',
  applied: 'applied',
  'rolled-back': 'rolled back',
  cancelled: 'cancelled',
};

const CHECKED: Readonly<Record<NonNullable<Plan['checked']>, string>> = {
  passed: 'checks passed',
  failed: 'checks failed',
  stale: 'checks are out of date',
};

export function PlanStatus({ plan: { status, checked, left } }: { readonly plan: Plan }) {
  const isStale = checked === 'stale';
  const words = checked === null ? '' : isStale && status === 'applied' ? 'not checked as applied' : CHECKED[checked];
  return (
    <span className="plan-status">
      {checked !== null && <span className={`tag checked-${checked}`}>{words}</span>}
      {left.length > 0 && <span className="tag status-pending">applied in part</span>}
      <span className={`tag status-${status}`}>{PLAN_STATUS[status]}</span>
    </span>
  );
}
