import { useEffect, useMemo, useRef } from 'react';
import { shownText } from '../data/names.ts';
import { clockText, fullText } from '../data/times.ts';
import { useVerbPages } from '../data/verb-query.ts';
import { AuthorMarks } from '../parts/author-mark.tsx';
import { Failure, Loading } from '../parts/message.tsx';
import { type Row, rowsOf } from '../timeline/rows.ts';

export interface PointsProps {
  readonly chosen: string | undefined;
  readonly onPoint: (point: { readonly to: string; readonly session: string | null }) => void;
}

const PAGE = 100;

/** The places to go back to: before each turn, and each checkpoint between them. */
export function Points({ chosen, onPoint }: PointsProps) {
  const pages = useVerbPages('list', { view: 'turns', limit: PAGE });
  const rows = useMemo(
    () => rowsOf({ pages: pages.data?.pages ?? [], forks: [], search: {}, matching: null, now: Date.now() }),
    [pages.data],
  );
  const current = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another point has another button
  useEffect(() => {
    void current.current?.scrollIntoView({ block: 'nearest' });
  }, [chosen, rows]);
  if (pages.error !== null) return <Failure error={pages.error} retry={() => void pages.refetch()} />;
  if (pages.data === undefined) return <Loading what="the timeline" />;
  return (
    <section className="points" aria-label="Go back to">
      <ol>
        {rows.map((row) => {
          const point = pointOf(row);
          if (point === null) return row.kind === 'day' ? <li key={row.key}>{row.text}</li> : null;
          const { to, session, time, by, words, place } = point;
          const isChosen = to === chosen;
          return (
            <li key={row.key}>
              <button
                type="button"
                ref={isChosen ? current : null}
                aria-current={isChosen ? 'true' : undefined}
                title={`${words}\n${fullText(time)}`}
                onClick={() => onPoint({ to, session })}
              >
                <time dateTime={time}>{clockText(time)}</time>
                <AuthorMarks actors={by} />
                <span className="words">{words}</span>
                <span className="checkpoint-id">{place}</span>
              </button>
            </li>
          );
        })}
      </ol>
      {pages.hasNextPage && (
        <button type="button" className="button small" onClick={() => void pages.fetchNextPage()}>
          Show older ones
        </button>
      )}
    </section>
  );
}

function pointOf(row: Row) {
  if (row.kind === 'checkpoint') {
    const { id, session, time, by, description } = row.checkpoint;
    return { to: id, session, time, by, words: shownText(description), place: id };
  }
  if (row.kind !== 'turn' || row.turn.before === null) return null;
  const { before, session, began, actor, prompt } = row.turn;
  const words = prompt === null ? 'Before work without a recorded prompt' : `Before “${shownText(prompt)}”`;
  return { to: before, session, time: began, by: [actor], words, place: before };
}
