/** Authors for a model: who, in which session, with which tool. */
import type { VERBS } from '../../verbs/table.ts';
import type { OutputOf } from '../../verbs/verb.ts';

type RangeJson = OutputOf<typeof VERBS.blame>['ranges'][number];
type ActorJson = RangeJson['authors'][number]['actor'];

/** Enough to tell sessions apart. A tool that takes a session also takes the beginning of its id. */
const SESSION_LETTERS = 8;

/** `claude, session 3f2a91bc, Edit`; all possible authors, if there are several. Not escaped. */
export function authorsOf(authors: RangeJson['authors']): string {
  const names = authors.map(({ actor, session, tool }) =>
    [
      actor.id === null ? actor.name : `${actor.name}/${actor.id}`,
      ...(session === null ? [] : [`session ${session.slice(0, SESSION_LETTERS)}`]),
      ...(tool === null ? [] : [tool]),
    ].join(', '),
  );
  return [...new Set(names)].join(' or ');
}

/** The actor of a checkpoint: `agent claude, session 3f2a91bc`. Not escaped. */
export function actorOf({ kind, name }: ActorJson, session: string | null): string {
  const who = kind === 'user' ? 'the user' : `${kind} ${name}`;
  return session === null ? who : `${who}, session ${session.slice(0, SESSION_LETTERS)}`;
}
