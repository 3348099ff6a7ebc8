/** The events of turns, sessions and calls that follow from a checkpoint. */

import type { Checkpoint } from '../../model/checkpoint.ts';
import { type CheckpointId, checkpointId, type SessionId } from '../../model/ids.ts';
import type { StateEvent } from './state-events.ts';
import type { View } from './view.ts';

/** A turn begins with a prompt; a session with the report of its agent. */
export interface TurnEvent {
  readonly event: 'turn:began' | 'session:began';
  readonly session: SessionId;
  readonly agent: string;
  readonly checkpoint: CheckpointId;
}

export function turnEventsOf(
  checkpoint: Checkpoint,
  views: { readonly before: View; readonly after: View },
): readonly (TurnEvent | StateEvent)[] {
  const { trigger, session, actor, number } = checkpoint;
  if (session === null) return [];
  const common = { session, agent: actor.name, checkpoint: checkpointId(number) };
  if (trigger === 'prompt') return [{ event: 'turn:began', ...common }];
  if (trigger === 'session') return [{ event: 'session:began', ...common }];
  return trigger === 'call' ? shortCall(checkpoint, session, views) : [];
}

/** A call that began and ended between two looks is known by its checkpoint only. */
function shortCall(
  { toolCall, tool, actor, time }: Checkpoint,
  session: SessionId,
  { before, after }: { readonly before: View; readonly after: View },
): readonly StateEvent[] {
  const [was, is] = [before.states.calls?.facts, after.states.calls?.facts];
  if (toolCall === null || was === undefined || is === undefined) return [];
  const isIt = (fact: { readonly [key: string]: unknown }): boolean =>
    fact['call'] === toolCall && fact['session'] === session;
  if ([...Object.values(was), ...Object.values(is)].some(isIt)) return [];
  const call = { call: toolCall, session, agent: actor.name, tool: tool?.name ?? '', began: time - (tool?.took ?? 0) };
  return [
    { event: 'call:began', ...call },
    { event: 'call:ended', ...call },
  ];
}
