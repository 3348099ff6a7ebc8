import { Link } from '@tanstack/react-router';
import { nameKey, shownName } from '../data/names.ts';
import { plural } from '../data/times.ts';
import { useVerb } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { Counts } from '../parts/counts.tsx';
import { Failure, Loading } from '../parts/message.tsx';
import { OperationTag } from '../parts/operation-tag.tsx';

export interface FoldedFilesProps {
  readonly checkpoint: string;
  /** The number of all its files. */
  readonly files: number;
}

const MOST = 100;

/** All files that one operation changed. */
export function FoldedFiles({ checkpoint, files }: FoldedFilesProps) {
  const { id: workspace } = useWorkspace();
  const { data, error } = useVerb('show', { checkpoint }, { isFixed: true });
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return <Loading what="the files" />;
  const changes = data.changes ?? [];
  return (
    <ul className="folded" aria-label={`Files that ${checkpoint} changed`}>
      {changes.slice(0, MOST).map(({ path, operation, added, removed }) => (
        <li key={nameKey(path)} className="file-row">
          <Link to="/w/$workspace/changes" params={{ workspace }} search={{ to: checkpoint, file: nameKey(path) }}>
            {shownName(path)}
          </Link>
          <OperationTag operation={operation} />
          <Counts added={added} removed={removed} />
        </li>
      ))}
      {files > Math.min(MOST, changes.length) && (
        <li className="file-row">
          <Link to="/w/$workspace/changes" params={{ workspace }} search={{ to: checkpoint }}>
            and {plural(files - Math.min(MOST, changes.length), 'more file')}
          </Link>
        </li>
      )}
    </ul>
  );
}
