import { Link } from '@tanstack/react-router';
import { actorName, type Change } from '../data/authors.ts';
import { nameKey, shownName, shownText } from '../data/names.ts';
import { clockText, fullText } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { AuthorMark } from '../parts/author-mark.tsx';
import { Counts } from '../parts/counts.tsx';
import { GradeMark } from '../parts/grade-mark.tsx';
import { OperationTag } from '../parts/operation-tag.tsx';

/** The newest changes of files, newest first. */
export function Feed({ changes }: { readonly changes: readonly Change[] }) {
  const { id: workspace } = useWorkspace();
  return (
    <ol className="feed">
      {changes.map((change) => (
        <li key={change.id} className={change.takenBack === null ? '' : 'is-taken-back'}>
          <time dateTime={change.time} title={fullText(change.time)}>
            {clockText(change.time)}
          </time>
          <Authors change={change} />
          <Link
            to="/w/$workspace/changes"
            params={{ workspace }}
            search={{ change: change.id, file: nameKey(change.path) }}
          >
            {shownName(change.path)}
          </Link>
          <OperationTag operation={change.operation} />
          {change.takenBack !== null && <span className="tag taken-back">taken back</span>}
          <Counts added={change.added} removed={change.removed} />
        </li>
      ))}
    </ol>
  );
}

function Authors({ change: { authors, grade, trigger } }: { readonly change: Change }) {
  const [first] = authors;
  if (first === undefined) return <span className="tag">{trigger}</span>;
  return (
    <span className="author">
      <AuthorMark actor={first.actor} />
      <span className="name">
        {shownText(actorName(first.actor))}
        {authors.length > 1 && ` or ${authors.length - 1} more`}
      </span>
      <GradeMark grade={grade} />
    </span>
  );
}
