import { Link } from '@tanstack/react-router';
import type { Change } from '../data/authors.ts';
import { nameKey } from '../data/names.ts';
import { useWorkspace } from '../data/workspace.ts';
import type { DiffFile } from '../diff/diff-file.ts';
import { pathOfFile } from '../diff/diff-file.ts';
import { AuthorName } from '../parts/author-mark.tsx';
import { GradeMark } from '../parts/grade-mark.tsx';
import { fileRequest } from '../take-back/requests.ts';
import { TakeBackButton } from '../take-back/take-back-button.tsx';

export interface FileActsProps {
  readonly file: DiffFile;
  /** The recorded changes of the file in what is shown. */
  readonly changes: readonly Change[];
}

/** The authors of a file's changes, its steps if there are several, and taking all of it back. */
export function FileActs({ file, changes }: FileActsProps) {
  const { id: workspace } = useWorkspace();
  const standing = changes.filter(({ takenBack }) => takenBack === null);
  return (
    <>
      <Authors changes={changes} />
      {changes.length > 1 && (
        <span className="steps">
          {changes.toReversed().map((change) => (
            <Link
              key={change.id}
              className={change.takenBack === null ? '' : 'is-taken-back'}
              title={`Only the change of ${change.checkpoint}`}
              to="/w/$workspace/changes"
              params={{ workspace }}
              search={{ change: change.id, file: nameKey(change.path) }}
            >
              {change.checkpoint}
            </Link>
          ))}
        </span>
      )}
      {changes.length > 0 && standing.length === 0 && <span className="tag taken-back">taken back</span>}
      {standing.length > 0 && (
        <TakeBackButton
          request={fileRequest(
            pathOfFile(file),
            standing.map(({ id }) => id),
          )}
          label="Take back file"
          isQuiet
        />
      )}
    </>
  );
}

const MOST_AUTHORS = 3;

function Authors({ changes }: { readonly changes: readonly Change[] }) {
  const found = new Map(
    changes.flatMap(({ authors, grade }) =>
      authors.map(({ actor }) => [`${actor.kind} ${actor.name} ${actor.id}`, { actor, grade }] as const),
    ),
  );
  const shown = [...found].slice(0, MOST_AUTHORS);
  return shown.map(([key, { actor, grade }]) => (
    <span key={key} className="file-author">
      <AuthorName actor={actor} />
      <GradeMark grade={grade} />
    </span>
  ));
}
