/** Goes back to a message in a session's conversation: restores the files, the conversation, or both. */

import type { CallOptions } from '../model/call-options.ts';
import type { Checkpoint, ConversationPosition } from '../model/checkpoint.ts';
import { type ErrorData, SavepointError } from '../model/errors.ts';
import type { CallId, SessionId } from '../model/ids.ts';
import type { OperationResult } from '../operation/operation.ts';
import type { RestoreOutcome } from '../operation/restore-outcome.ts';
import type { RestoreMode } from '../rewind/operations.ts';
import type { OpenCall } from '../store/state/open-calls.ts';
import { readSessionState, writeSessionState } from '../store/state/session-state.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { type MessageState, stateOfMessage } from '../timeline/query/messages.ts';
import type { CallsInFlight } from './calls-in-flight.ts';
import type { SessionHost } from './host.ts';

/** How a session goes back to a message; see `Session.rollbackTo`. */
export interface RollbackToOptions<Message> extends CallOptions {
  /** Restore the state before the message, not the state after the work that followed it. Default false. */
  readonly before?: boolean;
  /** The caller's own messages, oldest first. The result contains those that are left. */
  readonly conversation?: readonly Message[];
  /** Default: the message's `id`. */
  readonly idOf?: (message: Message) => string;
  /** `files`: the conversation stays; `conversation`: the files stay. Default: both, so that they match. */
  readonly what?: 'both' | 'files' | 'conversation';
  /**
   * What to do if others changed files since. `keep-outside` reverts only this session's changes; `exact` makes
   * everything equal to that state. Default: it is a conflict.
   */
  readonly mode?: RestoreMode;
  /** As for `restore`. */
  readonly allowPartial?: boolean;
  /** As for `restore`: also restore the branch, HEAD and index of each root. Default false. */
  readonly git?: boolean;
}

/** The result of going back to a message. */
export interface RolledBackTo<Message> extends RestoreOutcome {
  /** The state that was restored. */
  readonly target: Checkpoint;
  /** Null if the files stayed. */
  readonly operation: OperationResult | null;
  /** The rest of the conversation. Null if the caller passed none. */
  readonly conversation: readonly Message[] | null;
  /** Ids of the calls that were aborted. */
  readonly aborted: readonly CallId[];
}

/** The session that goes back. */
interface RollingBackSession {
  readonly id: SessionId;
  readonly inFlight: CallsInFlight;
  openCalls(): Promise<readonly OpenCall[]>;
}

/** See `Session.rollbackTo`. @param options.onMoved called with the new position in the conversation */
export async function rollbackTo<Message>(
  host: SessionHost,
  { id, inFlight, openCalls }: RollingBackSession,
  messageId: string,
  options: RollbackToOptions<Message> & { readonly onMoved: (position: ConversationPosition) => void },
): Promise<RolledBackTo<Message>> {
  const { before = false, what = 'both', conversation = null, signal, force = false } = options;
  const ids = (conversation ?? []).map(options.idOf ?? ((message) => (message as { readonly id: string }).id));
  const find = (workspace: Workspace): MessageState => findMessage(workspace, { session: id, messageId, before, ids });
  // Checked before aborting anything: if there is no such state, the calls can continue.
  const known = await host.once(async ({ read }) => read(find));
  if (known === null) throw noMessage(messageId, null);
  let aborted: readonly CallId[] = [];
  const onAbort = (calls: readonly CallId[]): void => {
    aborted = calls;
    host.announceAborted(calls, id);
  };
  const reopen = await inFlight.abortAll(onAbort, signal ?? null);
  try {
    if (what !== 'conversation' && !force) assertNoneOpen(id, await openCalls());
    const left = trimConversation(conversation, ids, messageId, before);
    const position: ConversationPosition = {
      ...known.conversation,
      messages: left?.length ?? known.conversation?.messages ?? null,
    };
    const target = (workspace: Workspace): Checkpoint => find(workspace).state;
    const operation =
      what === 'conversation'
        ? null
        : await host.once(({ restoreTo }) => restoreTo({ ...restoreOptions(options), session: id, target, position }));
    let error: SavepointError | null = null;
    if (what !== 'files') {
      error = await errorOf(host.once(async ({ read }) => read((workspace) => savePosition(workspace, id, position))));
      // Nothing was done, or all of it: the files went back, and the caller must know that.
      if (error !== null && operation === null) throw error;
      if (error === null) options.onMoved(position);
    }
    return {
      restored: operation !== null,
      conversationRewound: what !== 'files' && error === null,
      error,
      target: operation?.target ?? known.state,
      operation,
      conversation: what === 'files' ? conversation : left,
      aborted,
    };
  } finally {
    reopen();
  }
}

function restoreOptions<Message>(options: RollbackToOptions<Message>): CallOptions & {
  readonly mode: Pick<RollbackToOptions<Message>, 'mode' | 'allowPartial' | 'git'>;
} {
  const { mode, allowPartial, git, signal, toolCall, force } = options;
  return {
    ...(signal && { signal }),
    ...(toolCall !== undefined && { toolCall }),
    ...(force !== undefined && { force }),
    mode: {
      ...(mode && { mode }),
      ...(allowPartial !== undefined && { allowPartial }),
      ...(git !== undefined && { git }),
    },
  };
}

async function errorOf(work: Promise<unknown>): Promise<SavepointError | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof SavepointError) return error;
    throw error;
  }
}

function savePosition({ ports, store }: Workspace, session: SessionId, conversation: ConversationPosition): void {
  const state = readSessionState(ports.fs, store.layout, session);
  writeSessionState(ports.fs, store.layout, session, { ...state, conversation });
}

function findMessage(
  { timeline }: Workspace,
  wanted: {
    readonly session: SessionId;
    readonly messageId: string;
    readonly before: boolean;
    readonly ids: readonly string[];
  },
): MessageState {
  const { session, messageId, before, ids } = wanted;
  const checkpoints = [...timeline.oldestFirst()];
  const found = stateOfMessage(checkpoints, session, messageId, before);
  if (found !== null) return found;
  const earlier = ids.slice(0, Math.max(0, ids.indexOf(messageId))).reverse();
  for (const id of earlier) {
    const nearest = stateOfMessage(checkpoints, session, id, false);
    if (nearest !== null) throw noMessage(messageId, { message: id, checkpoint: nearest.state.id });
  }
  throw noMessage(messageId, null);
}

/** A call in another process cannot be aborted and would overwrite restored files. */
function assertNoneOpen(session: SessionId, calls: readonly OpenCall[]): void {
  const open = calls.filter(({ background }) => !background);
  const [first] = open;
  if (first === undefined) return;
  throw new SavepointError('CALL_OPEN', `A call of this session is still running (${first.tool.name}).`, {
    calls: open.map(({ id, actor, tool }) => {
      return { call: id, session, agent: actor.name, tool: tool.name, summary: tool.summary };
    }),
  });
}

function noMessage(message: string, nearest: ErrorData<'NO_MESSAGE'>['nearest']): SavepointError {
  const more =
    nearest === null ? '' : ` The nearest earlier message with a checkpoint belongs to ${nearest.checkpoint}.`;
  return new SavepointError('NO_MESSAGE', `No checkpoint belongs to this message.${more}`, { message, nearest });
}

/** If the message is not in the conversation, returns it unchanged. */
function trimConversation<Message>(
  conversation: readonly Message[] | null,
  ids: readonly string[],
  message: string,
  before: boolean,
): readonly Message[] | null {
  const at = ids.lastIndexOf(message);
  return conversation === null || at < 0 ? conversation : conversation.slice(0, before ? at : at + 1);
}
