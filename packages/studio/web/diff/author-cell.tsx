import { Link } from '@tanstack/react-router';
import { actorName, EVIDENCE, GRADES, hueOf } from '../data/authors.ts';
import { shownText } from '../data/names.ts';
import { clockText } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { AuthorMark } from '../parts/author-mark.tsx';
import type { AuthorRange } from './line-authors.ts';

/** The margin of a line: a bar in the author's colour (dashed: likely, dotted: open), and a mark where it begins. */
export function AuthorCell({ range, isFirst }: { readonly range: AuthorRange | null; readonly isFirst: boolean }) {
  const { id: workspace } = useWorkspace();
  const author = range?.authors[0];
  if (range === null || author === undefined || range.grade === null) return <span className="author-cell" />;
  const about = aboutText(range);
  const bar = `author-cell hue-${hueOf(author.actor)} ${range.grade}`;
  if (!isFirst || range.checkpoint === null) return <span className={bar} title={about} />;
  return (
    <Link
      className={bar}
      title={about}
      to="/w/$workspace/changes"
      params={{ workspace }}
      search={{ ...(range.change === null ? { to: range.checkpoint } : { change: range.change }) }}
    >
      <AuthorMark actor={author.actor} />
      <span className="hidden">{about}</span>
    </Link>
  );
}

function aboutText({ authors, grade, evidence, checkpoint, time, description }: AuthorRange): string {
  const names = [...new Set(authors.map(({ actor }) => shownText(actorName(actor))))].join(' or ');
  return [
    `${names} (${grade === null ? 'unknown' : GRADES[grade]})`,
    ...(evidence === null ? [] : [EVIDENCE[evidence]]),
    ...(checkpoint === null ? [] : [`${checkpoint}${time === null ? '' : `, ${clockText(time)}`}`]),
    ...(description === null ? [] : [shownText(description)]),
  ].join('\n');
}
