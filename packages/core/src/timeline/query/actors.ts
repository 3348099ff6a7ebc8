/** Names actors, and finds out whether a name selects an actor. */

import type { Actor } from '../../model/checkpoint.ts';

/** Returns `name`, or `name/id` for a sub-agent. */
export function actorName({ name, id }: Actor): string {
  return id === undefined ? name : `${name}/${id}`;
}

/** @param given a name, `name/id` for a sub-agent, or a kind of actor: `agent`, `user`, `outside` */
export function isActor(actor: Actor, given: string): boolean {
  return given === actor.kind || given === actor.name || given === actorName(actor);
}
