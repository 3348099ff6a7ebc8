/** An agent's session, for those who build agents and for hooks: every tool call is bracketed by two captures. */

import type { ActResult } from './act/act.ts';
import type { CallOptions } from './call-options.ts';
import { type CallRequest, isTriggered, shortened, toolInfo } from './call-request.ts';
import { CallsInFlight } from './calls-in-flight.ts';
import type { Automatic } from './config/effective.ts';
import type { Pace } from './io/pace.ts';
import {
  type Actor,
  type Checkpoint,
  type ConversationPosition,
  type Gap,
  isAct,
  type RecordedChange,
  type Trigger,
} from './model/checkpoint.ts';
import { SavepointError } from './model/errors.ts';
import { isWithin, type TreePath } from './model/names.ts';
import type { RestoreMode } from './rewind/acts.ts';
import { assertNotFrozen, type FrozenPath } from './store/frozen.ts';
import type { HeldLock } from './store/lock.ts';
import { type OpenCall, readOpenCall, readOpenCalls, removeOpenCall, writeOpenCall } from './store/open-calls.ts';
import { readSessionState, writeSessionState } from './store/session-state.ts';
import { type Captured, capture, plainTelling, type Telling, type Workspace } from './timeline/capture.ts';
import { type MessagePlace, placeOfMessage } from './timeline/messages.ts';

export interface SessionOptions {
  /** Who works in it; a name stands for an agent of that name. */
  readonly agent: string | Actor;
  /** The agent's own id of the session; without it one is made. */
  readonly id?: string;
  /** False: calls are carried out, and nothing is captured. Default true. */
  readonly track?: boolean;
}

export interface CallEnd extends CallOptions {
  /** It goes on working: what changes from now on may be its doing. */
  readonly background?: boolean;
}

/** What came of a call. */
export interface EndedCall {
  /** Null where nothing differed from the last checkpoint, and where nothing was open under that id. */
  readonly checkpoint: Checkpoint | null;
  readonly changes: readonly RecordedChange[];
  /** False where no call was open under that id. */
  readonly found: boolean;
  /** Paths that the call says it writes, and that no checkpoint has: too large, special, a folder of dependencies. */
  readonly uncovered: readonly Gap[];
  /** Null: nothing that is frozen was touched. */
  readonly putBack: PutBack | null;
}

/** Frozen paths that were changed and are again what they were. */
export interface PutBack {
  readonly paths: readonly TreePath[];
  /** Why something could not be put back. */
  readonly problem: SavepointError | null;
}

/** What a session needs of the engine. */
export interface SessionHost {
  readonly newId: () => string;
  readonly now: () => number;
  /** Under the workspace's lock. */
  writing<T>(options: CallOptions, work: (workspace: Workspace, lock: HeldLock, pace: Pace) => Promise<T>): Promise<T>;
  /** Without the lock, in a workspace that has a store already; null where there is none. */
  beside<T>(work: (workspace: Workspace) => T): Promise<T | null>;
  announce(captured: Captured): void;
  frozen(): Promise<readonly FrozenPath[]>;
  /** What captures since the last time found changed of what is frozen. No lock is held. */
  putBack(): Promise<PutBack | null>;
  /** Retention, not waited for. A failure of it is none of the caller's. */
  retire(): void;
  /** @throws SavepointError BAD_CONFIG */
  automatic(): Promise<Automatic>;
  /** Restores the state that `target` finds; what other sessions did since is a conflict, or kept. */
  goBack(request: GoBack): Promise<ActResult & { readonly target: Checkpoint }>;
  aborted(calls: readonly string[], session: string): void;
}

interface GoBack extends CallOptions {
  readonly session: string;
  readonly target: (workspace: Workspace) => Checkpoint;
  readonly mode: { readonly mode?: RestoreMode; readonly allowPartial?: boolean; readonly git?: boolean };
  /** Where the conversation is then. */
  readonly position: ConversationPosition;
}

export interface RollbackToOptions<Message> extends CallOptions {
  /** The state before the message, instead of after what was done about it. Default false. */
  readonly before?: boolean;
  /** The caller's own messages, oldest first: the result has those that are left. */
  readonly conversation?: readonly Message[];
  /** Default: the message's `id`. */
  readonly idOf?: (message: Message) => string;
  /** `files`: the conversation stays; `conversation`: the files stay. Default: both, so that they fit each other. */
  readonly what?: 'both' | 'files' | 'conversation';
  /**
   * Where others than this session changed files since: `keep-outside` takes back this session's work alone, `exact` makes
   * all equal to that state. Default: that is a conflict.
   */
  readonly mode?: RestoreMode;
  /** As for `restore`. */
  readonly allowPartial?: boolean;
  /** As for `restore`: branch, HEAD and index of each root go back with the files. Default false. */
  readonly git?: boolean;
}

export interface RolledBackTo<Message> {
  /** The state that it went back to. */
  readonly target: Checkpoint;
  /** Null where the files stayed. */
  readonly act: ActResult | null;
  /** What is left of the conversation; null where none was handed in. */
  readonly conversation: readonly Message[] | null;
  /** Ids of the calls that were told to end. */
  readonly aborted: readonly string[];
}

const PROMPT_CHARACTERS = 2_000;
/** One happening, told by two hooks that were both installed, is told within this time. */
const SAME_HAPPENING_MS = 10_000;
/** Acts that a session is told of; older ones are not worth a word. */
const MOST_NEWS = 200;

export class Session {
  readonly id: string;
  readonly actor: Actor;
  readonly #host: SessionHost;
  readonly #track: boolean;
  readonly #inFlight = new CallsInFlight();
  #conversation: ConversationPosition | null = null;

  /** Use `savepoint.session`. */
  constructor(host: SessionHost, { agent, id, track }: SessionOptions) {
    this.#host = host;
    this.id = id ?? host.newId();
    this.actor = typeof agent === 'string' ? { kind: 'agent', name: agent } : agent;
    this.#track = track ?? true;
  }

  /**
   * Its first checkpoint, or another one when it goes on after a pause. Calls that an earlier life of it left open end.
   * @param options.conversation where in the conversation this is
   */
  async start(
    options: CallOptions & { readonly conversation?: ConversationPosition } = {},
  ): Promise<Checkpoint | null> {
    return this.#always('session', null, options);
  }

  /**
   * A person said something: a checkpoint of the state before the agent acts on it. What it left open ends, but for what
   * goes on in the background; what its sub-agents left open is in doubt from here on.
   * @param messageId the agent's own id of the message
   */
  async prompt(
    text: string,
    messageId: string | null = null,
    options: CallOptions & { readonly conversation?: ConversationPosition } = {},
  ): Promise<Checkpoint | null> {
    const conversation: ConversationPosition = {
      messages: null,
      ...options.conversation,
      ...(messageId === null ? {} : { messageId }),
      lastUser: shortened(text, PROMPT_CHARACTERS),
    };
    return this.#always('prompt', text, { ...options, conversation });
  }

  /**
   * Another message of the conversation begins, said by the agent, or by whom else no prompt tells: a checkpoint, so that
   * `rollbackTo` finds its way. Nothing that is open ends.
   * @param messageId the agent's own id of the message
   */
  async message(
    messageId: string,
    text = '',
    options: CallOptions & { readonly conversation?: ConversationPosition } = {},
  ): Promise<Checkpoint | null> {
    const lastAssistant = text === '' ? {} : { lastAssistant: shortened(text, PROMPT_CHARACTERS) };
    const conversation = { messages: null, ...options.conversation, messageId, ...lastAssistant };
    return this.#always('message', text === '' ? messageId : text, { ...options, conversation });
  }

  /**
   * Brackets a call of a tool: what changes on disk meanwhile is on record as its doing, also when it fails.
   * @param work its signal is aborted with the options', and when the session goes back in its conversation
   * @returns what `work` returns
   */
  async call<T>(
    request: CallRequest,
    work: (context: { readonly signal: AbortSignal }) => T | Promise<T>,
    options: CallOptions = {},
  ): Promise<T> {
    const named = { ...request, id: request.id ?? this.#host.newId() };
    const ownSignal = this.#inFlight.begin(named.id);
    const signal = options.signal === undefined ? ownSignal : AbortSignal.any([ownSignal, options.signal]);
    try {
      if (!(await this.#tracks(named))) return await work({ signal });
      const open = await this.begin(named, options);
      try {
        return await work({ signal });
      } finally {
        await this.end(open.id, {});
      }
    } finally {
      this.#inFlight.end(named.id);
    }
  }

  /** Aborted when the session goes back while the call, which was begun here, is open; null where it is not. */
  signalOf(call: string): AbortSignal | null {
    return this.#inFlight.signalOf(call);
  }

  /**
   * Goes back to a message: the state after what was done about it and before the next, in all roots, all or nothing. Calls
   * in flight are told to end and are waited for, so it cannot be called by one of them. What comes then is a new path; the one that was left stays on the timeline.
   * @param messageId as `prompt` and `message` were given it
   * @throws SavepointError NO_MESSAGE, CALL_OPEN where another process has a call of this session open, CANCELLED, and what
   *   `restore` throws: CONFLICT also where another session, or nobody known, changed files since
   */
  async rollbackTo<Message = { readonly id: string }>(
    messageId: string,
    options: RollbackToOptions<Message> = {},
  ): Promise<RolledBackTo<Message>> {
    const { before = false, what = 'both', conversation, mode, allowPartial, git, signal, toolCall, force } = options;
    const ids = (conversation ?? []).map(options.idOf ?? ((message) => (message as { readonly id: string }).id));
    const find = (workspace: Workspace): MessagePlace => this.#placeOf(workspace, messageId, before, ids);
    // Before anything is aborted: where there is no way back the calls may as well go on.
    const known = await this.#host.beside(find);
    if (known === null) throw noMessage(messageId, null);
    let aborted: readonly string[] = [];
    const onAbort = (calls: readonly string[]): void => {
      aborted = calls;
      this.#host.aborted(calls, this.id);
    };
    const open = await this.#inFlight.abortAll(onAbort, signal ?? null);
    try {
      if (what !== 'conversation') await this.#assertNoneOpen(force ?? false);
      const left = trimmed(conversation ?? null, ids, messageId, before);
      const position: ConversationPosition = {
        ...known.conversation,
        messages: left?.length ?? known.conversation?.messages ?? null,
      };
      const given = {
        ...(signal && { signal }),
        ...(toolCall !== undefined && { toolCall }),
        ...(force !== undefined && { force }),
      };
      const chosen = {
        ...(mode && { mode }),
        ...(allowPartial !== undefined && { allowPartial }),
        ...(git !== undefined && { git }),
      };
      const act =
        what === 'conversation'
          ? null
          : await this.#host.goBack({
              ...given,
              session: this.id,
              target: (workspace) => find(workspace).state,
              mode: chosen,
              position,
            });
      if (what !== 'files') await this.#moveTo(position);
      return {
        target: act?.target ?? known.state,
        act,
        conversation: what === 'files' ? (conversation ?? null) : left,
        aborted,
      };
    } finally {
      open();
    }
  }

  /**
   * The first half of `call`, for hooks: a capture, then the call is on record as open. One that is open already is left
   * as it is: two hooks told of it.
   */
  async begin(request: CallRequest, options: CallOptions = {}): Promise<OpenCall> {
    const call = this.#open(request, false);
    if (!(await this.#tracks(request))) return call;
    this.#inFlight.begin(call.id);
    try {
      return await this.#begin(call, options);
    } catch (error) {
      this.#inFlight.end(call.id);
      throw error;
    }
  }

  async #begin(call: OpenCall, options: CallOptions): Promise<OpenCall> {
    const begun = await this.#host.writing(options, async (workspace, lock, pace) => {
      const known = readOpenCall(workspace.ports.fs, workspace.store.layout, call.session, call.id);
      if (known !== null) return known;
      if (!call.own) await this.#capture(workspace, lock, pace, plainTelling('before', this.actor), false);
      writeOpenCall(workspace.ports.fs, workspace.store.layout, call);
      return call;
    });
    // What another open call did until now is told from this one's doing by that capture.
    await this.#host.putBack();
    return begun;
  }

  /**
   * Instead of `begin`, for a call that nobody could wait for: what changed before it and what it changes cannot be told
   * apart, and is given to nobody with confidence.
   * Where the workspace has no store yet, nothing is on record.
   */
  async beginLate(request: CallRequest): Promise<OpenCall> {
    const call = this.#open(request, true);
    if (!(await this.#tracks(request))) return call;
    await this.#host.beside(({ ports, store }) => {
      const known = readOpenCall(ports.fs, store.layout, call.session, call.id);
      if (known === null) writeOpenCall(ports.fs, store.layout, call);
    });
    return call;
  }

  /** After `beginLate`: the capture that the call did not wait for. It is marked late while the call is open. */
  async catchUp(options: CallOptions = {}): Promise<Checkpoint | null> {
    if (!this.#track) return null;
    return this.#host.writing(options, async (workspace, lock, pace) => {
      const { made, checkpoint } = await this.#capture(
        workspace,
        lock,
        pace,
        plainTelling('before', this.actor),
        false,
      );
      return made ? checkpoint : null;
    });
  }

  /** The second half: a capture, whose changes are the call's; then it is closed. */
  async end(id: string, { background, ...options }: CallEnd = {}): Promise<EndedCall> {
    try {
      return await this.#endOf(id, background ?? false, options);
    } finally {
      this.#inFlight.end(id);
    }
  }

  async #endOf(id: string, background: boolean, options: CallOptions): Promise<EndedCall> {
    if (!this.#track || !(await this.#isOpen(id))) return NOTHING_ENDED;
    const ended = await this.#host.writing(options, async (workspace, lock, pace) => {
      const call = readOpenCall(workspace.ports.fs, workspace.store.layout, this.id, id);
      return call === null ? NOTHING_ENDED : this.#end(workspace, lock, pace, call, background);
    });
    return { ...ended, putBack: await this.#host.putBack() };
  }

  /** The calls of this session that are open, oldest first. Waits for nobody. */
  async openCalls(): Promise<readonly OpenCall[]> {
    return (await this.#host.beside((workspace) => this.#openCalls(workspace))) ?? [];
  }

  /**
   * Nobody can say any more when such a call ended: it stays open, and what it may have done is given to nobody with
   * confidence. Waits for nobody.
   */
  async doubt(id: string): Promise<void> {
    await this.#host.beside(({ ports, store }) => {
      const call = readOpenCall(ports.fs, store.layout, this.id, id);
      if (call !== null) writeOpenCall(ports.fs, store.layout, { ...call, background: true });
    });
  }

  /**
   * A turn of the session, or of one of its sub-agents, is over: calls that it left open end, in doubt. Costs nothing
   * where there are none.
   * @param by id of the sub-agent; null: the session itself
   */
  async settle(by: string | null, options: CallOptions = {}): Promise<void> {
    const left = (calls: readonly OpenCall[]): readonly OpenCall[] =>
      calls.filter((call) => !call.background && (call.actor.id ?? null) === by);
    if (!this.#track || left(await this.openCalls()).length === 0) return;
    await this.#host.writing(options, async (workspace, lock, pace) => {
      for (const call of left(this.#openCalls(workspace))) await this.#abandon(workspace, lock, pace, call);
    });
    await this.#host.putBack();
  }

  /**
   * The session is over: what is open ends, and retention is applied in the background (`savepoint.idle()` waits for it).
   * @param options.retire false: somebody else applies retention, as a process of its own does for a hook
   */
  async close({ retire, ...options }: CallOptions & { readonly retire?: boolean } = {}): Promise<void> {
    if (!this.#track || !(await this.#host.beside(() => true))) return;
    await this.#host.writing(options, async (workspace, lock, pace) => {
      for (const call of this.#openCalls(workspace)) await this.#abandon(workspace, lock, pace, call);
    });
    await this.#host.putBack();
    if (retire !== false) this.#host.retire();
  }

  /**
   * Acts of Savepoint by somebody else than this session (roll-back, restore, undo, edit) since it last asked: what
   * changed under it. Each is told once; the first question tells nothing. Waits for nobody.
   */
  async news(): Promise<readonly Checkpoint[]> {
    const found = await this.#host.beside(({ ports, store, timeline }) => {
      const state = readSessionState(ports.fs, store.layout, this.id);
      const newest = timeline.lastNumber();
      if (state.heard === newest) return [];
      writeSessionState(ports.fs, store.layout, this.id, { ...state, heard: newest });
      const heard = state.heard;
      if (heard === null) return [];
      const refs = timeline.list().filter(({ number }) => number > heard);
      const { checkpoints } = timeline.readAll(refs.slice(-MOST_NEWS));
      return checkpoints.filter(({ trigger, session }) => isAct(trigger) && session !== this.id);
    });
    return found ?? [];
  }

  /**
   * Whether the call is bracketed. What may write anywhere is, while anything is frozen.
   * @throws SavepointError FROZEN when it says that it writes to something frozen
   */
  async #tracks(request: CallRequest): Promise<boolean> {
    if (!this.#track || request.track === false) return false;
    const automatic = await this.#host.automatic();
    if (!automatic.enabled) return false;
    const frozen = await this.#host.frozen();
    assertNotFrozen(frozen, request.paths ?? []);
    return isTriggered(request, automatic) || (frozen.length > 0 && request.paths === undefined);
  }

  /** Looked at without the lock: where nothing was begun nothing is to be ended, and no store is made for it. */
  async #isOpen(id: string): Promise<boolean> {
    const found = await this.#host.beside(({ ports, store }) => readOpenCall(ports.fs, store.layout, this.id, id));
    return found !== null;
  }

  #open(request: CallRequest, late: boolean): OpenCall {
    return {
      id: request.id ?? this.#host.newId(),
      session: this.id,
      actor: request.actor ?? this.actor,
      tool: toolInfo(request),
      // What one of our own tools changes, its act tells.
      declared: request.own === true ? [] : (request.paths ?? null),
      began: this.#host.now(),
      late,
      background: false,
      own: request.own ?? false,
    };
  }

  #openCalls({ ports, store }: Workspace): readonly OpenCall[] {
    const open = readOpenCalls(ports.fs, store.layout, ports.clock.now());
    return open.filter(({ session }) => session === this.id);
  }

  async #always(
    trigger: 'session' | 'prompt' | 'message',
    text: string | null,
    { conversation, ...options }: CallOptions & { readonly conversation?: ConversationPosition },
  ): Promise<Checkpoint | null> {
    if (!this.#track) return null;
    const { enabled, onPrompt } = await this.#host.automatic();
    const isWanted = enabled && (trigger !== 'prompt' || onPrompt);
    if (!isWanted && !(await this.#host.beside((workspace) => this.#openCalls(workspace).length > 0))) {
      this.#conversation = conversation ?? this.#conversation;
      return null;
    }
    const begun = await this.#host.writing(options, async (workspace, lock, pace) => {
      for (const call of this.#openCalls(workspace)) {
        if (call.background || trigger === 'message') continue;
        if (trigger === 'session' || call.actor.id === undefined) await this.#abandon(workspace, lock, pace, call);
        else writeOpenCall(workspace.ports.fs, workspace.store.layout, { ...call, background: true });
      }
      this.#conversation = conversation ?? this.#conversation;
      if (!isWanted) return null;
      const description =
        text === null
          ? `${this.actor.name} began a session`
          : `${trigger === 'prompt' ? 'Prompt' : 'Message'}: ${shortened(text.replace(/\s+/g, ' '), 80)}`;
      const telling = { ...plainTelling(trigger, this.actor), description };
      const twice = this.#isToldAlready(workspace, trigger);
      const { checkpoint } = await this.#capture(workspace, lock, pace, telling, !twice);
      const { fs } = workspace.ports;
      const state = readSessionState(fs, workspace.store.layout, this.id);
      writeSessionState(fs, workspace.store.layout, this.id, { ...state, conversation: this.#conversation });
      return checkpoint;
    });
    await this.#host.putBack();
    return begun;
  }

  #placeOf({ timeline }: Workspace, message: string, before: boolean, ids: readonly string[]): MessagePlace {
    const checkpoints = [...timeline.oldestFirst()];
    const found = placeOfMessage(checkpoints, this.id, message, before);
    if (found !== null) return found;
    const earlier = ids.slice(0, Math.max(0, ids.indexOf(message))).reverse();
    for (const id of earlier) {
      const nearest = placeOfMessage(checkpoints, this.id, id, false);
      if (nearest !== null) throw noMessage(message, { message: id, checkpoint: nearest.state.id });
    }
    throw noMessage(message, null);
  }

  /** What is at work in another process cannot be told to end, and would write over what comes back. */
  async #assertNoneOpen(force: boolean): Promise<void> {
    const open = (await this.openCalls()).filter(({ background }) => !background);
    if (open.length === 0 || force) return;
    const calls = open.map(({ id, actor, tool }) => {
      return { call: id, session: this.id, agent: actor.name, tool: tool.name, summary: tool.summary };
    });
    throw new SavepointError('CALL_OPEN', `A call of this session is still at work (${open[0]?.tool.name}).`, {
      calls,
    });
  }

  async #moveTo(position: ConversationPosition): Promise<void> {
    this.#conversation = position;
    await this.#host.beside(({ ports, store }) => {
      const state = readSessionState(ports.fs, store.layout, this.id);
      writeSessionState(ports.fs, store.layout, this.id, { ...state, conversation: position });
    });
  }

  /** Two settings that both hold our hook tell of one happening twice. */
  #isToldAlready({ timeline, ports }: Workspace, trigger: Trigger): boolean {
    const last = timeline.latest();
    if (last === null || last.trigger !== trigger || last.session !== this.id) return false;
    if (Math.abs(ports.clock.now() - last.time) > SAME_HAPPENING_MS) return false;
    const [a, b] = [last.conversation, this.#conversation];
    return a?.lastUser === b?.lastUser && (a?.messageId ?? null) === (b?.messageId ?? null);
  }

  /** Nobody knows when it ended, so what is found may be somebody else's as well. */
  async #abandon(workspace: Workspace, lock: HeldLock, pace: Pace, call: OpenCall): Promise<void> {
    const doubtful = { ...call, background: true };
    writeOpenCall(workspace.ports.fs, workspace.store.layout, doubtful);
    await this.#end(workspace, lock, pace, doubtful, false);
  }

  async #end(
    workspace: Workspace,
    lock: HeldLock,
    pace: Pace,
    call: OpenCall,
    background: boolean,
  ): Promise<EndedCall> {
    const { ports, store } = workspace;
    const took = ports.clock.now() - call.began;
    // A clock that was set back tells nothing, and nobody knows when background work ended.
    const tool = { ...call.tool, took: took < 0 || call.background ? null : took };
    const telling: Telling = { ...plainTelling('call', call.actor), toolCall: call.id, tool };
    const { checkpoint, made, scan } = await this.#capture(workspace, lock, pace, telling, false);
    if (background) writeOpenCall(ports.fs, store.layout, { ...call, late: false, background });
    else removeOpenCall(ports.fs, store.layout, call.session, call.id);
    const uncovered = [...scan.leftOut, ...scan.partial].filter(({ path }) =>
      call.declared?.some((declared) => isWithin(declared, path)),
    );
    return {
      checkpoint: made ? checkpoint : null,
      changes: made ? (checkpoint.changes ?? []) : [],
      found: true,
      uncovered,
      putBack: null,
    };
  }

  async #capture(
    workspace: Workspace,
    lock: HeldLock,
    pace: Pace,
    telling: Telling,
    always: boolean,
  ): Promise<Captured> {
    const { ports, store } = workspace;
    this.#conversation ??= readSessionState(ports.fs, store.layout, this.id).conversation;
    const told = { ...telling, session: this.id, conversation: this.#conversation };
    const captured = await capture(workspace, lock, pace, told, { always });
    this.#host.announce(captured);
    return captured;
  }
}

const NOTHING_ENDED: EndedCall = { checkpoint: null, changes: [], found: false, uncovered: [], putBack: null };

function noMessage(
  message: string,
  nearest: { readonly message: string; readonly checkpoint: string } | null,
): SavepointError {
  const more = nearest === null ? '' : ` The nearest earlier one that has is ${nearest.checkpoint}.`;
  return new SavepointError('NO_MESSAGE', `No checkpoint belongs to that message.${more}`, { message, nearest });
}

/** A message that is not in it leaves it as it is. */
function trimmed<Message>(
  conversation: readonly Message[] | null,
  ids: readonly string[],
  message: string,
  before: boolean,
): readonly Message[] | null {
  const at = ids.lastIndexOf(message);
  return conversation === null || at < 0 ? conversation : conversation.slice(0, before ? at : at + 1);
}
