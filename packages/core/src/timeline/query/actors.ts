/** Names actors, and finds out whether a name selects an actor. */

import { canonicalActor, canonicalAgent } from '../../model/agent-names.ts';
import type { Actor } from '../../model/checkpoint.ts';

/** Returns `name`, or `name/id` for a sub-agent. */
export function actorName({ name, id }: Actor): string {
  return id === undefined ? name : `${name}/${id}`;
}

/**
 * Any name of an agent selects it, also in checkpoints that recorded it under another one.
 * @param given a name, `name/id` for a sub-agent, or a kind of actor: `agent`, `user`, `outside`
 */
export function isActor(actor: Actor, given: string): boolean {
  if (given === actor.kind || given === actor.name || given === actorName(actor)) return true;
  const canonical = canonicalActor(actor);
  const wanted = canonicalSelector(given);
  return actor.kind === 'agent' && (wanted === canonical.name || wanted === actorName(canonical));
}

/** Returns a name, or `name/id`, with the canonical name of the agent. */
export function canonicalSelector(given: string): string {
  const slash = given.indexOf('/');
  return slash < 0 ? canonicalAgent(given) : `${canonicalAgent(given.slice(0, slash))}${given.slice(slash)}`;
}
