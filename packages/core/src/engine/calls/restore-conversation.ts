/** Takes the conversation of an agent back to the place of a checkpoint, next to a restore of the files. */

import type { ConversationPlan, Conversations, RewoundConversation } from '../../conversation/conversations.ts';
import { type FoundPlace, placeOf } from '../../conversation/place.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import type { SessionId } from '../../model/ids.ts';
import type { DiskPath } from '../../model/names.ts';
import { parseSessionId } from '../../model/parse-ids.ts';
import { copyScope } from '../../store/state/scope.ts';
import { readSessionState, writeSessionState } from '../../store/state/session-state.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { resolveSession } from '../../timeline/query/select-authors.ts';
import type { Timeline } from '../../timeline/record/timeline.ts';
import type { Engine } from '../engine.ts';

/** What goes back in a conversation. */
export interface ConversationPreview {
  /** The name of the agent and its session; null if no session was active since the checkpoint. */
  readonly agent: string | null;
  readonly session: SessionId | null;
  /** What the conversation loses, or why it cannot go back. */
  readonly plan: ConversationPlan;
  /** How the conversation continues that is not changed; null if it is not known. */
  readonly original: RewoundConversation | null;
}

/** What has gone back. */
export interface RestoredConversation extends ConversationPreview {
  /** How the conversation continues that ends at the place; null if it did not go back. */
  readonly continue: RewoundConversation | null;
}

/** A planned way back, not carried out yet. */
export interface PlannedConversation extends ConversationPreview {
  /**
   * @param copy the folder of a copy of the workspace, if it was planned for one
   * @throws SavepointError CONVERSATION_REFUSED, IO, NO_SPACE
   */
  readonly rewind: (copy?: DiskPath) => Promise<RewoundConversation>;
}

/**
 * Reads only.
 * @param wanted the id of a session, or a unique beginning of it; undefined: the checkpoint's own, or the only one since
 * @throws SavepointError USAGE, AMBIGUOUS_ID, UNKNOWN_SESSION
 */
export async function planConversation(
  engine: Engine,
  workspace: Workspace,
  target: Checkpoint,
  wanted: string | undefined,
  where: 'in-place' | 'in-copy' = 'in-place',
): Promise<PlannedConversation> {
  const session = wanted === undefined ? null : resolveSession(workspace, wanted);
  const found = placeOf(workspace.timeline, target, session);
  if (found === null) {
    return impossible(null, `no session of an agent was active since ${target.id}`);
  }
  if (found.end === null) return impossible(found, `no prompt of the session is recorded since ${target.id}`);
  const conversations = (await engine.options.conversations?.()) ?? null;
  if (conversations === null) return impossible(found, 'this program has no access to conversations');
  return planned(conversations, workspace, { ...found, end: found.end }, where);
}

/** Returns the error as data if the files went back, because the caller must know that. */
export async function rewindPlanned(
  engine: Engine,
  { agent, session, plan, original, rewind }: PlannedConversation,
  isOnly: boolean,
): Promise<{ readonly conversation: RestoredConversation; readonly error: SavepointError | null }> {
  const known = { agent, session, plan, original };
  try {
    return { conversation: { ...known, continue: await engine.mapErrors(() => rewind()) }, error: null };
  } catch (error) {
    if (isOnly || !(error instanceof SavepointError)) throw error;
    const { code, message, data } = error;
    const hint = 'The files were restored. Continue the conversation as it is, or run `savepoint undo`.';
    return { conversation: { ...known, continue: null }, error: new SavepointError(code, message, data, { hint }) };
  }
}

export function isConversationWanted({ conversation = false }: { readonly conversation?: boolean | 'only' }): boolean {
  return conversation !== false;
}

/** The error for a conversation that cannot go back. */
export function conversationRefused({ agent, session, plan }: ConversationPreview): SavepointError {
  const why = plan.isPossible ? 'it changed meanwhile' : plan.reason;
  return new SavepointError('CONVERSATION_REFUSED', `The conversation cannot go back: ${why}.`, {
    agent,
    session,
    why,
  });
}

async function planned(
  conversations: Conversations,
  workspace: Workspace,
  found: FoundPlace & { readonly end: NonNullable<FoundPlace['end']> },
  where: 'in-place' | 'in-copy',
): Promise<PlannedConversation> {
  const { ports, store, root } = workspace;
  const { session, actor, end } = found;
  const { transcript } = readSessionState(ports.fs, store.layout, session);
  const place = {
    agent: actor.name,
    nativeSession: session,
    transcript: transcript?.path ?? null,
    dir: root,
    end,
  };
  return {
    agent: actor.name,
    session,
    // The copy does not exist yet.
    plan: await conversations.plan(where === 'in-copy' ? { ...place, copy: root } : place),
    original: await conversations.resume(place),
    rewind: async (copy) => {
      // The session is new to the timeline of the copy.
      if (copy !== undefined) return conversations.rewind({ ...place, copy });
      const rewound = await conversations.rewind(place);
      rememberPlace(workspace, parseSessionId(rewound.session), found);
      return rewound;
    },
  };
}

/** The session then gets to know what differs from the files that it knows, and nothing else. */
function rememberPlace(
  { ports, store, timeline }: Workspace,
  session: SessionId,
  { session: original, knows, position }: FoundPlace,
): void {
  const state = readSessionState(ports.fs, store.layout, session);
  writeSessionState(ports.fs, store.layout, session, {
    ...state,
    conversation: position,
    heard: knows?.number ?? null,
    scopeHeard: knows === null ? null : lastHeard(timeline, original, knows.number),
    wentBack: knows !== null,
  });
  // No other process knows the new session yet, so this needs no lock.
  if (session !== original) copyScope(ports, store.layout, original, session, knows?.number ?? 0);
}

/** What others changed after its last event before the place is not in the conversation. */
function lastHeard(timeline: Timeline, session: SessionId, before: number): number | null {
  for (const checkpoint of timeline.upTo(before - 1)) if (checkpoint.session === session) return checkpoint.number;
  return null;
}

function impossible(found: FoundPlace | null, reason: string): PlannedConversation {
  const [agent, session] = [found?.actor.name ?? null, found?.session ?? null];
  const refused = { agent, session, plan: { isPossible: false, reason }, original: null } as const;
  return {
    ...refused,
    rewind: () => Promise.reject(conversationRefused(refused)),
  };
}
