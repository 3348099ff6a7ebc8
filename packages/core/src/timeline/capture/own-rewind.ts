/**
 * Detects an agent's own rewind, which fires no hook: files change between its calls, as if from outside. The sign
 * is that the workspace is exactly as it was at an earlier checkpoint of the session. A user may have done that
 * too, so both are named.
 */

import type { Actor, Author } from '../../model/checkpoint.ts';
import type { Snapshot } from '../../model/entries.ts';
import type { SessionId } from '../../model/ids.ts';
import { unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { isSameWithoutTimes } from '../../store/snapshot/skipped-times.ts';
import type { Timeline } from '../record/timeline.ts';
import type { Attribution } from './attribution.ts';

/** Number of checkpoints to search: one or two turns of a busy agent. */
const MAX_CHECKPOINTS = 100;

/**
 * Returns whether the workspace was in this state before, at a checkpoint of the session.
 * @param objects those of the store and of the current state
 */
export function isReturnTo(timeline: Timeline, objects: ObjectReader, now: Snapshot, session: SessionId): boolean {
  const refs = timeline.list().slice(-MAX_CHECKPOINTS);
  return timeline
    .readAll(refs)
    .checkpoints.some(
      ({ snapshot, session: own }) =>
        own === session && unlessDamaged(undefined, () => isSameWithoutTimes(objects, snapshot, now)) === true,
    );
}

/** Names the agent as a possible author of changes from outside, because it may have rewound. */
export function withPossibleRewind(attribution: Attribution, actor: Actor, session: SessionId): Attribution {
  const rewind: Author = { actor, session, call: null, tool: 'rewind' };
  return (path) => {
    const found = attribution(path);
    const isOutside = found.authors.length === 1 && found.authors[0]?.actor.kind === 'outside';
    return isOutside ? { authors: [rewind, ...found.authors], grade: 'open', evidence: 'rewind' } : found;
  };
}
