import { type Actor, actorLetters, actorName, hueOf } from '../data/authors.ts';
import { shownText } from '../data/names.ts';

/** The mark of an author: a circle for a person, a square for an agent, a dashed square for anything else. */
export function AuthorMark({ actor }: { readonly actor: Actor }) {
  const hue = hueOf(actor);
  const shape = hue === 'person' || hue === 'outside' ? hue : '';
  return (
    <span className={`mark hue-${hue} ${shape}`} aria-hidden="true">
      {shownText(actorLetters(actor))}
    </span>
  );
}

/** The mark of the first of several possible authors, and the names of all for readers of the screen. */
export function AuthorMarks({ actors }: { readonly actors: readonly Actor[] }) {
  const [first] = actors;
  if (first === undefined) return null;
  const names = actors.map((actor) => shownText(actorName(actor))).join(' or ');
  return (
    <>
      <span title={names}>
        <AuthorMark actor={first} />
      </span>
      <span className="hidden">{names}</span>
    </>
  );
}

export function AuthorName({ actor }: { readonly actor: Actor }) {
  return (
    <span className="author">
      <AuthorMark actor={actor} />
      <span className="name">{shownText(actorName(actor))}</span>
    </span>
  );
}
