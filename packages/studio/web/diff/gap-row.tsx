import type { ReactNode } from 'react';
import { plural } from '../data/times.ts';

export interface GapRowProps {
  /** Lines that are hidden here; null: it is not known how many. */
  readonly count: number | null;
  readonly canOpen: boolean;
  /** Whether the keys are about the hunk below. */
  readonly isCurrent: boolean;
  readonly onOpen: (lines: number) => void;
  readonly acts: ReactNode;
}

const STEP = 20;

/** Between two hunks: how many lines are hidden, and what can be done with the hunk below. */
export function GapRow({ count, canOpen, isCurrent, onOpen, acts }: GapRowProps) {
  return (
    <div className={`gap-row ${isCurrent ? 'is-current' : ''}`}>
      <span className="hidden-lines">
        {count === null ? 'More lines may follow' : count === 0 ? '' : `${plural(count, 'line')} hidden`}
      </span>
      {canOpen && count !== 0 && (
        <>
          {(count === null || count > STEP) && (
            <button type="button" onClick={() => onOpen(STEP)}>
              Show {STEP}
            </button>
          )}
          <button type="button" onClick={() => onOpen(Number.MAX_SAFE_INTEGER)}>
            Show all
          </button>
        </>
      )}
      <span className="space" />
      {acts}
    </div>
  );
}
