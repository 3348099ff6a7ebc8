import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { actorName, type Change } from '../data/authors.ts';
import { nameKey, shownName, shownText } from '../data/names.ts';
import { clockText, fullText, plural } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { AuthorMark } from '../parts/author-mark.tsx';
import { Counts } from '../parts/counts.tsx';
import { GradeMark } from '../parts/grade-mark.tsx';
import { Icon } from '../parts/icon.tsx';
import { OperationTag } from '../parts/operation-tag.tsx';
import { FoldedFiles } from './folded-files.tsx';

/** The newest changes of files, newest first. An operation is one entry, whatever it changed. */
export function Feed({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <ol className="feed">
      {changes.map((change) => (
        <FeedEntry key={change.id} change={change} />
      ))}
    </ol>
  );
}

function FeedEntry({ change }: { readonly change: Change }) {
  const { id: workspace } = useWorkspace();
  const [isOpen, setOpen] = useState(false);
  const { checkpoint, folded } = change;
  return (
    <li className={change.takenBack === null ? '' : 'is-taken-back'}>
      <time dateTime={change.time} title={fullText(change.time)}>
        {clockText(change.time)}
      </time>
      <Authors change={change} />
      {folded === 0 ? (
        <Link
          to="/w/$workspace/changes"
          params={{ workspace }}
          search={{ change: change.id, file: nameKey(change.path) }}
        >
          {shownName(change.path)}
        </Link>
      ) : (
        <>
          <Link to="/w/$workspace/changes" params={{ workspace }} search={{ to: checkpoint }}>
            {change.trigger} of {plural(folded + 1, 'file')}
          </Link>
          <button
            type="button"
            className="button small quiet"
            aria-expanded={isOpen}
            aria-label={isOpen ? 'Hide the files' : `Show the ${folded + 1} files`}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'closed' : 'open'} />
          </button>
        </>
      )}
      {folded === 0 && <OperationTag operation={change.operation} />}
      {change.takenBack !== null && <span className="tag taken-back">taken back</span>}
      {folded === 0 && <Counts added={change.added} removed={change.removed} />}
      {isOpen && <FoldedFiles checkpoint={checkpoint} files={folded + 1} />}
    </li>
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
