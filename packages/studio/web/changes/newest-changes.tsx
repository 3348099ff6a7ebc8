import { Link } from '@tanstack/react-router';
import { actorName } from '../data/authors.ts';
import { shownText } from '../data/names.ts';
import { agoText, fullText, plural } from '../data/times.ts';
import { useVerb } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { AuthorMarks } from '../parts/author-mark.tsx';
import { Counts } from '../parts/counts.tsx';
import { useNow } from '../parts/use-now.ts';
import { type Row, rowsOf } from '../timeline/rows.ts';

const LOOKED_AT = 30;
const MOST = 8;
const MINUTE = 60_000;

/** Where to go if the folder has no changes to show: what was done last. */
export function NewestChanges() {
  const { id: workspace } = useWorkspace();
  const { data } = useVerb('list', { view: 'turns', limit: LOOKED_AT });
  const now = useNow(MINUTE);
  if (data === undefined) return null;
  const rows = rowsOf({ pages: [data], forks: [], search: {}, matching: null, now });
  const newest = rows.flatMap(linkOf).slice(0, MOST);
  return (
    <>
      {newest.length > 0 && (
        <section className="newest-changes" aria-label="Newest changes">
          <h3>Newest changes</h3>
          <ul>
            {newest.map(({ key, search, time, actors, words, files, added, removed }) => (
              <li key={key}>
                <Link to="/w/$workspace/changes" params={{ workspace }} search={search}>
                  <time dateTime={time} title={fullText(time)}>
                    {agoText(time, now)}
                  </time>
                  <AuthorMarks actors={actors} />
                  <span className="words" title={actors.map((actor) => shownText(actorName(actor))).join(' or ')}>
                    {words}
                  </span>
                  <span className="files">{plural(files, 'file')}</span>
                  <Counts added={added} removed={removed} />
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
      <p>
        <Link className="button" to="/w/$workspace/timeline" params={{ workspace }}>
          Choose on the timeline
        </Link>
      </p>
    </>
  );
}

function linkOf(row: Row) {
  if (row.kind === 'turn') {
    const { before, after, session, prompt, actor, ended, files, added, removed, changes } = row.turn;
    if (changes === 0 || before === null || after === null) return [];
    const words = prompt === null ? 'Work without a recorded prompt' : shownText(prompt);
    const search = { from: before, to: after, session };
    return [{ key: row.key, search, time: ended, actors: [actor], words, files, added, removed }];
  }
  if (row.kind !== 'checkpoint' || row.checkpoint.previous === null || row.checkpoint.totals.files === 0) return [];
  const { id, time, by, description, totals } = row.checkpoint;
  return [{ key: id, search: { to: id }, time, actors: by, words: shownText(description), ...totals }];
}
