/** A small chart of one figure over time: lines of our own, without a library. */
import type { SeriesRow, TrendFigure, TrendLine } from './trend-figures.ts';

const WIDTH = 240;
const HEIGHT = 56;
/** So that the thickest line stays inside. */
const EDGE = 3;

export interface TrendChartProps {
  readonly figure: TrendFigure;
  /** The oldest first; at least one. */
  readonly rows: readonly SeriesRow[];
}

export function TrendChart({ figure, rows }: TrendChartProps) {
  const { title, lines, textOf } = figure;
  const values = lines.map(({ valueIn }) => rows.map(valueIn));
  const most = Math.max(0, ...values.flat().map((value) => value ?? 0));
  const summary = lines.map((line) => `${line.name}: ${totalText(figure, line, rows)}`).join(', ');
  return (
    <figure className="trend">
      <figcaption>{title}</figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}. ${summary}. Highest: ${textOf(most)}.`}
      >
        <line className="base" x1="0" x2={WIDTH} y1={HEIGHT - EDGE} y2={HEIGHT - EDGE} />
        {lines.map(({ name, tone }, at) => (
          <g key={name} className={`tone-${tone} ${at === 0 ? '' : 'is-second'}`}>
            {runsOf(values[at] ?? [], most).map((points) => (
              <Run key={points[0]?.join()} points={points} />
            ))}
          </g>
        ))}
        {rows.map((row, at) => (
          <rect
            key={row.from}
            className="spot"
            x={(at * WIDTH) / rows.length}
            width={WIDTH / rows.length}
            height={HEIGHT}
          >
            <title>{`${row.from}: ${lines.map((line) => spotText(figure, line, row)).join(', ')}`}</title>
          </rect>
        ))}
      </svg>
      <p className="trend-ends">
        <span>{rows[0]?.from.slice(5)}</span>
        <span>highest {textOf(most)}</span>
        <span>{rows.at(-1)?.from.slice(5)}</span>
      </p>
      <ul className="trend-names">
        {lines.map((line, at) => (
          <li key={line.name}>
            <span className={`stroke tone-${line.tone} ${at === 0 ? '' : 'is-second'}`} aria-hidden="true" />
            {line.name} <b>{totalText(figure, line, rows)}</b>
          </li>
        ))}
      </ul>
    </figure>
  );
}

export function valueText({ textOf }: TrendFigure, { valueIn }: TrendLine, row: SeriesRow): string {
  const value = valueIn(row);
  return value === null ? '–' : textOf(value);
}

type Point = readonly [x: number, y: number];

/** A single value between gaps is a dot, which a line would not show. */
function Run({ points }: { readonly points: readonly Point[] }) {
  const [first] = points;
  if (points.length === 1 && first !== undefined) return <path className="dot" d={`M${first.join(' ')}h0`} />;
  return <polyline points={points.map((point) => point.join(',')).join(' ')} />;
}

/** The parts of a line between gaps. */
function runsOf(values: readonly (number | null)[], most: number): readonly (readonly Point[])[] {
  const runs: Point[][] = [];
  let isOpen = false;
  for (const [at, value] of values.entries()) {
    if (value === null) {
      isOpen = false;
      continue;
    }
    const x = ((at + 0.5) * WIDTH) / values.length;
    const y = HEIGHT - EDGE - (most === 0 ? 0 : (value / most) * (HEIGHT - 2 * EDGE));
    const point: Point = [Math.round(x * 10) / 10, Math.round(y * 10) / 10];
    if (isOpen) runs.at(-1)?.push(point);
    else runs.push([point]);
    isOpen = true;
  }
  return runs;
}

function spotText(figure: TrendFigure, line: TrendLine, row: SeriesRow): string {
  return `${line.name} ${valueText(figure, line, row)}`;
}

function totalText({ sums, textOf }: TrendFigure, { valueIn }: TrendLine, rows: readonly SeriesRow[]): string {
  const known = rows.map(valueIn).filter((value) => value !== null);
  if (sums) return textOf(known.reduce((sum, value) => sum + value, 0));
  const last = known.at(-1);
  return last === undefined ? '–' : `newest ${textOf(last)}`;
}
