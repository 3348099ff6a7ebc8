/**
 * An agent's own rewind fires no hook: files change between its calls, as if somebody else had changed them. What gives it
 * away is that the workspace is exactly as it was at an earlier checkpoint of the session. A person may have done that as
 * well, so both are named.
 */

import type { Actor, Author } from '../../model/checkpoint.ts';
import type { Snapshot } from '../../model/entries.ts';
import type { SessionId } from '../../model/ids.ts';
import type { Timeline } from '../record/timeline.ts';
import type { Attribution } from './attribution.ts';

/** How far back is looked, in checkpoints: a turn or two of an agent at work. */
const MAX_CHECKPOINTS = 100;

/** Whether the workspace was in this state before, at a checkpoint of the session. */
export function isReturnTo(timeline: Timeline, now: Snapshot, session: SessionId): boolean {
  const refs = timeline.list().slice(-MAX_CHECKPOINTS);
  return timeline
    .readAll(refs)
    .checkpoints.some(
      ({ snapshot, session: own }) => own === session && snapshot.files === now.files && snapshot.side === now.side,
    );
}

/** What came from outside may be the rewind of this agent. */
export function withPossibleRewind(attribution: Attribution, actor: Actor, session: SessionId): Attribution {
  const rewind: Author = { actor, session, call: null, tool: 'rewind' };
  return (path) => {
    const found = attribution(path);
    const isOutside = found.authors.length === 1 && found.authors[0]?.actor.kind === 'outside';
    return isOutside ? { authors: [rewind, ...found.authors], sure: false } : found;
  };
}
