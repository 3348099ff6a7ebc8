import type { LaneCell } from './lanes.ts';

/** The width of a column and the places of the dots are those in styles/timeline.css. */
const COLUMN_PX = 12;

export function gutterWidth(columns: number): number {
  return columns === 0 ? 0 : columns * COLUMN_PX + 12;
}

/** The lanes beside one row. Everything that they say is also in words: the session in the turn, the fork in its row. */
export function LaneGutter({ cells }: { readonly cells: readonly LaneCell[] }) {
  return (
    <span className="lanes" aria-hidden="true">
      {cells.map(({ key, column, hue, isOwn, goesUp, goesDown }) => (
        <span
          key={key}
          className={`lane ${hue === 'fork' ? 'fork' : `hue-${hue}`} ${goesUp ? 'up' : ''} ${goesDown ? 'down' : ''} ${isOwn ? 'own' : ''}`}
          style={{ left: column * COLUMN_PX }}
        />
      ))}
    </span>
  );
}
