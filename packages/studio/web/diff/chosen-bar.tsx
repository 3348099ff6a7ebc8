import { plural } from '../data/times.ts';
import type { ChosenLines } from './chosen-lines.ts';

export interface ChosenBarProps {
  readonly chosen: ChosenLines;
  /** Null: comments cannot be made here. */
  readonly onComment: (() => void) | null;
  /** Null: nothing of it can be taken back. */
  readonly onTakeBack: (() => void) | null;
  readonly onClear: () => void;
}

/** What can be done with the chosen lines, at the bottom of the diff. */
export function ChosenBar({ chosen, onComment, onTakeBack, onClear }: ChosenBarProps) {
  return (
    <div className="chosen-bar" role="toolbar" aria-label="Chosen lines">
      <span>{plural(chosen.count, 'line')} chosen</span>
      {onComment !== null && (
        <button type="button" className="button small" onClick={onComment}>
          Comment <kbd>c</kbd>
        </button>
      )}
      {onTakeBack !== null && (
        <button type="button" className="button small" onClick={onTakeBack}>
          Take back <kbd>b</kbd>
        </button>
      )}
      <button type="button" className="button small quiet" onClick={onClear}>
        Clear <kbd>Esc</kbd>
      </button>
    </div>
  );
}
