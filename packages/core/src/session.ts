/** An agent's session, for those who build agents and for hooks: every tool call is bracketed by two captures. */

import type { CallOptions } from './call-options.ts';
import { type CallRequest, isTriggered, shortened, toolInfo } from './call-request.ts';
import type { Automatic } from './config/effective.ts';
import type { Pace } from './io/pace.ts';
import {
  type Actor,
  type Checkpoint,
  type ConversationPosition,
  type Gap,
  isAct,
  type RecordedChange,
} from './model/checkpoint.ts';
import type { SavepointError } from './model/errors.ts';
import { isWithin, type TreePath } from './model/names.ts';
import { assertNotFrozen, type FrozenPath } from './store/frozen.ts';
import type { HeldLock } from './store/lock.ts';
import { type OpenCall, readOpenCall, readOpenCalls, removeOpenCall, writeOpenCall } from './store/open-calls.ts';
import { readSessionState, writeSessionState } from './store/session-state.ts';
import { type Captured, capture, plainTelling, type Telling, type Workspace } from './timeline/capture.ts';

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
   * Brackets a call of a tool: what changes on disk meanwhile is on record as its doing, also when it fails.
   * @returns what `work` returns
   */
  async call<T>(request: CallRequest, work: () => T | Promise<T>, options: CallOptions = {}): Promise<T> {
    if (!(await this.#tracks(request))) return work();
    const open = await this.begin(request, options);
    try {
      return await work();
    } finally {
      await this.end(open.id, {});
    }
  }

  /**
   * The first half of `call`, for hooks: a capture, then the call is on record as open. One that is open already is left
   * as it is: two hooks told of it.
   */
  async begin(request: CallRequest, options: CallOptions = {}): Promise<OpenCall> {
    const call = this.#open(request, false);
    if (!(await this.#tracks(request))) return call;
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
    if (!this.#track || !(await this.#isOpen(id))) return NOTHING_ENDED;
    const ended = await this.#host.writing(options, async (workspace, lock, pace) => {
      const call = readOpenCall(workspace.ports.fs, workspace.store.layout, this.id, id);
      return call === null ? NOTHING_ENDED : this.#end(workspace, lock, pace, call, background ?? false);
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
    trigger: 'session' | 'prompt',
    text: string | null,
    { conversation, ...options }: CallOptions & { readonly conversation?: ConversationPosition },
  ): Promise<Checkpoint | null> {
    if (!this.#track) return null;
    const { enabled, onPrompt } = await this.#host.automatic();
    const isWanted = enabled && (trigger === 'session' || onPrompt);
    if (!isWanted && !(await this.#host.beside((workspace) => this.#openCalls(workspace).length > 0))) {
      this.#conversation = conversation ?? this.#conversation;
      return null;
    }
    const begun = await this.#host.writing(options, async (workspace, lock, pace) => {
      for (const call of this.#openCalls(workspace)) {
        if (call.background) continue;
        if (trigger === 'session' || call.actor.id === undefined) await this.#abandon(workspace, lock, pace, call);
        else writeOpenCall(workspace.ports.fs, workspace.store.layout, { ...call, background: true });
      }
      this.#conversation = conversation ?? this.#conversation;
      if (!isWanted) return null;
      const description =
        text === null ? `${this.actor.name} began a session` : `Prompt: ${shortened(text.replace(/\s+/g, ' '), 80)}`;
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

  /** Two settings that both hold our hook tell of one happening twice. */
  #isToldAlready({ timeline, ports }: Workspace, trigger: 'session' | 'prompt'): boolean {
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
