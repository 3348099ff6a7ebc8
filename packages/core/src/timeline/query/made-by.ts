/** Tells who did what a checkpoint records. That is not always the one who caused it to be taken. */

import { type Actor, type Authorship, type Checkpoint, isOperation, isReversion } from '../../model/checkpoint.ts';
import { unlistedAuthors, unlistedCount } from './unlisted-changes.ts';

/**
 * Of an operation, who carried it out. Otherwise all possible authors of its changes, or if it has no changes, who caused
 * it to be taken. Never empty.
 */
export function madeBy(checkpoint: Checkpoint): readonly [Actor, ...Actor[]] {
  const { trigger, actor, changes } = checkpoint;
  if (isOperation(trigger) || isReversion(trigger)) return [actor];
  const authors = [
    ...(changes ?? []).flatMap(({ by }) => by.authors),
    ...(unlistedCount(checkpoint) > 0 ? unlistedAuthors(checkpoint).authors : []),
  ];
  const [first = actor, ...others] = new Map(authors.map((one) => [keyOf(one.actor), one.actor])).values();
  return [first, ...others];
}

/** Whether it has a change that no session of an agent made: no turn has it. */
export function hasOtherWork(checkpoint: Checkpoint): boolean {
  const isOther = ({ authors }: Authorship): boolean => authors.every(({ session }) => session === null);
  if (unlistedCount(checkpoint) > 0) return isOther(unlistedAuthors(checkpoint));
  return (checkpoint.changes ?? []).some(({ by }) => isOther(by));
}

function keyOf({ kind, name, id }: Actor): string {
  return JSON.stringify([kind, name, id ?? null]);
}
