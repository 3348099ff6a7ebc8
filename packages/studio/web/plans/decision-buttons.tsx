import type { Decision } from './decisions.ts';

export interface DecisionButtonsProps {
  /** What is decided about, for readers of the screen. */
  readonly what: string;
  readonly decision: Decision;
  readonly isEnabled: boolean;
  readonly onDecide: (accepted: boolean) => void;
}

/** Of a plan that can no longer be decided about. */
export function DecisionTag({ decision }: Pick<DecisionButtonsProps, 'decision'>) {
  return decision === 'open' ? null : <span className="tag">{decision === 'in-part' ? 'in part' : decision}</span>;
}

export function DecisionButtons({ what, decision, isEnabled, onDecide }: DecisionButtonsProps) {
  return (
    <fieldset className={`choice decision ${decision}`} disabled={!isEnabled}>
      <legend className="hidden">Decide about {what}</legend>
      {decision === 'in-part' && <span className="tag">in part</span>}
      <button type="button" aria-pressed={decision === 'accepted'} onClick={() => onDecide(true)}>
        Accept
      </button>
      <button type="button" aria-pressed={decision === 'rejected'} onClick={() => onDecide(false)}>
        Reject
      </button>
    </fieldset>
  );
}
