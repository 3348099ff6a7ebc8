/**
 * Events that are reported twice: if two settings files of an agent both install our hook, both report each event. Other
 * events may come in between.
 */

import type { Checkpoint, ConversationPosition, Trigger } from '../model/checkpoint.ts';
import type { SessionId } from '../model/ids.ts';
import { readSessionState, writeSessionState } from '../store/state/session-state.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';

/** Both hooks report the same event within this time. */
const DUPLICATE_EVENT_MS = 10_000;
const REMEMBERED_EVENTS = 50;

export function wasHandled({ ports, store }: Workspace, session: SessionId, key: string): boolean {
  return readSessionState(ports.fs, store.layout, session).events.includes(key);
}

/** @param isHandled false: an event with this key is a new one from now on */
export function noteHandled({ ports, store }: Workspace, session: SessionId, key: string, isHandled: boolean): void {
  const state = readSessionState(ports.fs, store.layout, session);
  if (!isHandled && !state.events.includes(key)) return;
  const others = state.events.filter((one) => one !== key);
  const events = (isHandled ? [...others, key] : others).slice(-REMEMBERED_EVENTS);
  writeSessionState(ports.fs, store.layout, session, { ...state, events });
}

/**
 * Finds the checkpoint of the same event.
 * @param position in the conversation; null: as at the session's last prompt
 * @returns null if the event was not reported yet
 */
export function findReported(
  { timeline, ports, store }: Workspace,
  session: SessionId,
  trigger: Trigger,
  position: ConversationPosition | null,
): Checkpoint | null {
  const now = ports.clock.now();
  const ours = position ?? readSessionState(ports.fs, store.layout, session).conversation;
  for (const checkpoint of timeline.upTo()) {
    if (Math.abs(now - checkpoint.time) > DUPLICATE_EVENT_MS) return null;
    if (checkpoint.session !== session) continue;
    const theirs = checkpoint.conversation;
    const isSame = ours?.lastUser === theirs?.lastUser && (ours?.messageId ?? null) === (theirs?.messageId ?? null);
    // A start comes before the prompt that is known by now.
    if (checkpoint.trigger === trigger) return isSame || trigger === 'session' ? checkpoint : null;
    // Without an id, the same words may be another prompt, if the session has worked since.
    if (checkpoint.trigger === 'call' && (ours?.messageId ?? null) === null) return null;
  }
  return null;
}
