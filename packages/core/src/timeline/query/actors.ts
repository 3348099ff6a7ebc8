/** Names actors, and finds out whether a name or a caller selects an actor. */

import { canonicalActor, canonicalAgent } from '../../model/agent-names.ts';
import type { Actor, Author } from '../../model/checkpoint.ts';
import type { SessionId } from '../../model/ids.ts';

/** Who makes a call, and in which session. */
export interface Caller {
  readonly actor: Actor;
  /** Null if the call belongs to no known session. */
  readonly session: SessionId | null;
}

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

/**
 * A caller's own work is that of its session. Without a session, it is what a program of the same name did outside of
 * sessions.
 */
export function isOwnWork({ actor, session }: Author, caller: Caller): boolean {
  if (caller.session !== null) return session === caller.session;
  const [one, other] = [canonicalActor(actor), canonicalActor(caller.actor)];
  return session === null && one.kind === other.kind && one.name === other.name;
}
