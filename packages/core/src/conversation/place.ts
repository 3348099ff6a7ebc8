/**
 * Finds the place in an agent's conversation that belongs to a checkpoint: before a prompt, or after a call. Files and
 * conversation match there.
 */

import type { Actor, Checkpoint, ConversationPosition } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { SessionId } from '../model/ids.ts';
import type { Timeline } from '../timeline/record/timeline.ts';
import type { ConversationEnd } from './conversations.ts';

/** The place, with what the conversation knows of the files when it ends there. */
export interface FoundPlace {
  readonly session: SessionId;
  readonly actor: Actor;
  /** The checkpoint with the files as the conversation knows them; null: it knows none. */
  readonly knows: Checkpoint | null;
  /** The session's position there, as far as it is recorded. */
  readonly position: ConversationPosition | null;
  /** Null if the timeline does not tell where it is. */
  readonly end: ConversationEnd | null;
}

/**
 * @param wanted the session whose conversation goes back; null: the checkpoint's own, or else the only one that was
 *   active since
 * @returns null if no session was active since
 * @throws SavepointError USAGE if several were active since
 */
export function placeOf(timeline: Timeline, target: Checkpoint, wanted: SessionId | null): FoundPlace | null {
  const newestFirst = [...timeline.newestFirst()].flatMap(({ checkpoint }) => checkpoint ?? []);
  // A command under `savepoint run` is a session without a conversation, often around one that has one.
  const conversed = new Set(newestFirst.flatMap(({ session, conversation }) => (conversation && session) ?? []));
  const ownSession = target.session !== null && conversed.has(target.session) ? target.session : null;
  const session = wanted ?? ownSession ?? onlySessionSince(newestFirst, target, conversed);
  if (session === null) return null;
  const own = newestFirst.filter((one) => one.session === session);
  const actor = own.at(-1)?.actor ?? target.actor;
  const index = own.findIndex((one) => one.number <= target.number && isPlace(one));
  const found = own[index] ?? null;
  if (found === null || found.trigger === 'session') {
    // Before its next prompt, which is the first of the session, or the first after it was resumed.
    const later = own.slice(0, found === null ? own.length : index).reverse();
    const next = later.find(({ trigger }) => trigger === 'prompt');
    const position = found?.conversation ?? null;
    const end = next === undefined ? null : beforePrompt(own, next);
    return { session, actor, knows: found, position, end };
  }
  if (found.trigger === 'prompt') {
    const earlier = own.slice(index + 1).find(({ conversation }) => conversation !== null);
    return {
      session,
      actor,
      knows: found,
      position: earlier?.conversation ?? null,
      end: beforePrompt(own, found),
    };
  }
  const { toolCall, conversation } = found;
  const messageId = conversation?.messageId ?? null;
  const end = toolCall === null ? null : ({ kind: 'after-call', call: toolCall, messageId } as const);
  return { session, actor, knows: found, position: conversation, end };
}

/** Calls of sub-agents are in no place of the conversation with the user. */
function isPlace({ trigger, toolCall, actor }: Checkpoint): boolean {
  if (trigger === 'call') return toolCall !== null && actor.id === undefined;
  return trigger === 'prompt' || trigger === 'session';
}

/** @param own the session's checkpoints, newest first */
function beforePrompt(own: readonly Checkpoint[], { number, conversation }: Checkpoint): ConversationEnd {
  const prompts = own.filter(({ trigger }) => trigger === 'prompt').reverse();
  return {
    kind: 'before-prompt',
    messageId: conversation?.messageId ?? null,
    words: conversation?.lastUser ?? null,
    prompts: prompts.map(({ conversation: said, time }) => ({ words: said?.lastUser ?? null, time })),
    index: prompts.findIndex((one) => one.number === number),
  };
}

function onlySessionSince(
  newestFirst: readonly Checkpoint[],
  target: Checkpoint,
  conversed: ReadonlySet<SessionId>,
): SessionId | null {
  const names = new Map<SessionId, string>();
  for (const { number, session, actor } of newestFirst) {
    if (number > target.number && session !== null && conversed.has(session)) names.set(session, actor.name);
  }
  const [first, ...others] = names.keys();
  if (others.length === 0) return first ?? null;
  const listed = [...names].map(([session, name]) => `${session} (${name})`);
  throw new SavepointError(
    'USAGE',
    `Several sessions were active since ${target.id}: ${listed.join(', ')}.`,
    { argument: 'session' },
    { hint: 'Nothing was changed. Choose the one whose conversation goes back with --session.' },
  );
}
