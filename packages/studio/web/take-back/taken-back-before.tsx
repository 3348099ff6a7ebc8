import { actorName } from '../data/authors.ts';
import { type JsonName, shownText } from '../data/names.ts';
import { clockText } from '../data/times.ts';
import { useVerb } from '../data/verb-query.ts';

/** Of a file in conflict: the last thing that happened to it was that something was taken back, probably a part of this. */
export function TakenBackBefore({ path }: { readonly path: JsonName }) {
  const { data } = useVerb('history', { file: path, limit: 1 });
  const last = data?.changes[0];
  const [author] = last?.authors ?? [];
  if (last === undefined || author === undefined || !OPERATIONS.has(last.trigger)) return null;
  return (
    <p className="taken-back-before">
      {author.actor.kind === 'user' ? 'You' : shownText(actorName(author.actor))} took back lines of this file before (
      {last.checkpoint}, {clockText(last.time)}). If they are a part of this, “Bring back the earlier lines” takes back
      the rest, too.
    </p>
  );
}

const OPERATIONS: ReadonlySet<string> = new Set(['rollback', 'restore', 'undo']);
