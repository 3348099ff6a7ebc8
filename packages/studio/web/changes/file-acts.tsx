import { Link } from '@tanstack/react-router';
import type { Actor, Change, Grade } from '../data/authors.ts';
import { grouped } from '../data/grouped.ts';
import { nameKey } from '../data/names.ts';
import { useWorkspace } from '../data/workspace.ts';
import type { DiffFile } from '../diff/diff-file.ts';
import { pathOfFile } from '../diff/diff-file.ts';
import { AuthorName } from '../parts/author-mark.tsx';
import { GradeMark } from '../parts/grade-mark.tsx';
import { fileRequest } from '../take-back/requests.ts';
import { TakeBackButton } from '../take-back/take-back-button.tsx';
import { TakenBackMark } from './taken-back-mark.tsx';

export interface FileActsProps {
  readonly file: DiffFile;
  /** The recorded changes of the file in what is shown. */
  readonly changes: readonly Change[];
}

/** The authors of a file's changes, its steps if there are several, and taking all of it back. */
export function FileActs({ file, changes }: FileActsProps) {
  const { id: workspace } = useWorkspace();
  const [newest] = changes;
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
      {standing.length === 0 && newest?.takenBack != null && <TakenBackMark path={newest.path} by={newest.takenBack} />}
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

interface FileAuthor {
  readonly actor: Actor;
  /** How many changes have which grade, the least sure ones first. */
  readonly grades: readonly (readonly [grade: Grade, count: number])[];
}

/** An author who is not equally sure everywhere has each grade with its number of changes. */
function Authors({ changes }: { readonly changes: readonly Change[] }) {
  return fileAuthors(changes)
    .slice(0, MOST_AUTHORS)
    .map(({ actor, grades }) => (
      <span key={actorKey(actor)} className="file-author">
        <AuthorName actor={actor} />
        {grades.map(([grade, count]) => (
          <GradeMark key={grade} grade={grade} count={grades.length > 1 ? count : undefined} />
        ))}
      </span>
    ));
}

function fileAuthors(changes: readonly Change[]): readonly FileAuthor[] {
  const found = changes.flatMap(({ authors, grade }) => authors.map(({ actor }) => ({ actor, grade })));
  return [...grouped(found, ({ actor }) => actorKey(actor)).values()].flatMap((its) => {
    const [first] = its;
    if (first === undefined) return [];
    const counts = WEAKEST_FIRST.map((grade) => [grade, its.filter((one) => one.grade === grade).length] as const);
    return [{ actor: first.actor, grades: counts.filter(([, count]) => count > 0) }];
  });
}

const WEAKEST_FIRST: readonly Grade[] = ['open', 'likely', 'sure'];

function actorKey({ kind, name, id }: Actor): string {
  return `${kind} ${name} ${id}`;
}
