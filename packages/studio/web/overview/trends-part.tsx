/** Figures over time, by day or by week, as small charts and as a table. */
import { useState } from 'react';
import { useVerb } from '../data/verb-query.ts';
import { Failure, Loading } from '../parts/message.tsx';
import { TrendChart, valueText } from './trend-chart.tsx';
import { FIGURES, hasAny, type SeriesRow } from './trend-figures.ts';

const CHOICES = [
  ['day', '30 days'],
  ['week', '12 weeks'],
] as const;

export function TrendsPart() {
  const [by, setBy] = useState<'day' | 'week'>('day');
  const utcOffset = -new Date().getTimezoneOffset();
  const { data, error, refetch } = useVerb('stats', { by, utcOffset }, { keepsLast: true });
  const rows = data?.series ?? null;
  return (
    <section aria-label="Over time" className="trends">
      <h2>
        Over time
        <span className="choice">
          {CHOICES.map(([value, label]) => (
            <button key={value} type="button" aria-pressed={by === value} onClick={() => setBy(value)}>
              {label}
            </button>
          ))}
        </span>
      </h2>
      {error !== null && <Failure error={error} retry={() => void refetch()} />}
      {rows === null && error === null && <Loading what="the figures" />}
      {rows !== null && <Charts rows={rows} />}
    </section>
  );
}

function Charts({ rows }: { readonly rows: readonly SeriesRow[] }) {
  const shown = FIGURES.filter((figure) => hasAny(figure, rows));
  if (shown.length === 0) return <p>Nothing was recorded in this time. The lines begin with the first checkpoint.</p>;
  const silent = FIGURES.filter((figure) => !shown.includes(figure)).map(({ title }) => title.toLowerCase());
  return (
    <>
      <div className="trend-grid">
        {shown.map((figure) => (
          <TrendChart key={figure.title} figure={figure} rows={rows} />
        ))}
      </div>
      {silent.length > 0 && <p className="tag">Nothing yet: {silent.join(', ')}.</p>}
      <details>
        <summary>Show as a table</summary>
        <Table rows={rows} />
      </details>
    </>
  );
}

/** The newest first. */
function Table({ rows }: { readonly rows: readonly SeriesRow[] }) {
  const columns = FIGURES.flatMap((figure) => figure.lines.map((line) => ({ figure, line })));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className="trend-table" tabIndex={0} aria-label="Figures over time as a table">
      <table>
        <thead>
          <tr>
            <th scope="col">from</th>
            {columns.map(({ figure, line }) => (
              <th key={`${figure.title} ${line.name}`} scope="col">
                {figure.lines.length === 1 ? figure.title : `${figure.title}: ${line.name}`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.toReversed().map((row) => (
            <tr key={row.from}>
              <th scope="row">{row.from}</th>
              {columns.map(({ figure, line }) => (
                <td key={`${figure.title} ${line.name}`}>{valueText(figure, line, row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
