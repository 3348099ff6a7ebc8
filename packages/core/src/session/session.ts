/** An agent's session, for agents and hooks. */

import { truncate } from '../content/truncate.ts';
import { withTranscript, withVersion } from '../conversation/position.ts';
import { canonicalActor } from '../model/agent-names.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { Actor, Checkpoint, ConversationPosition, Trigger } from '../model/checkpoint.ts';
import { type ErrorCode, SavepointError } from '../model/errors.ts';
import type { CallId } from '../model/ids.ts';
import { parseCallId, parseSessionId } from '../model/parse-ids.ts';
import { type OpenCall, writeOpenCall } from '../store/state/open-calls.ts';
import { readSessionState, writeSessionState } from '../store/state/session-state.ts';
import { closeCall, endDamagedCalls, endUncaptured } from '../timeline/capture/active-calls.ts';
import { type CheckpointInfo, checkpointInfo } from '../timeline/capture/compose.ts';
import { processesLeftBy, processGoingOnWith } from '../timeline/capture/left-behind.ts';
import { CallRecords } from './call-records.ts';
import {
  type CallContext,
  type CallEnd,
  type CallRequest,
  type EndedCall,
  endedCall,
  type HowEnded,
  howEnded,
  type LocatedCall,
  NO_CALL_ENDED,
  openCallOf,
  timedTool,
  withNamedPaths,
  withReports,
  withUnknownEnd,
} from './call-request.ts';
import { CallsInFlight } from './calls-in-flight.ts';
import { describeTrigger } from './describe-trigger.ts';
import type { SessionHost, SessionSteps, SessionWriteContext } from './host.ts';
import { isCaptured } from './is-captured.ts';
import { locateCall, locateWrites, ownFolder, valueOrError } from './locate-call.ts';
import { PlannedSession } from './planned-session.ts';
import { findReported } from './reported-events.ts';
import { type RollbackToOptions, type RolledBackTo, rollbackTo } from './rollback-to.ts';
import { cancelledCall, RunningWork } from './running-work.ts';
import type { SessionOptions } from './session-options.ts';
import { checkSessionCall, SESSION_OPTIONS } from './session-shapes.ts';

const PROMPT_CHARACTERS = 2_000;
/** A call that is refused with one of these does not run. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['FROZEN', 'PATH_REFUSED', 'USAGE']);

/** One agent's session. A capture runs before and after each tool call. */
export class Session extends PlannedSession {
  readonly actor: Actor;
  readonly #host: SessionHost;
  readonly #track: boolean;
  readonly #calls: CallRecords;
  readonly #inFlight = new CallsInFlight();
  #conversation: ConversationPosition | null = null;

  /** Use `savepoint.session`. */
  constructor(host: SessionHost, options: SessionOptions) {
    SESSION_OPTIONS(options, 'options');
    const { agent, track, ancestors } = options;
    const id = parseSessionId(options.id ?? newId(host));
    const calls = new CallRecords(id, ancestors ?? [host.ports.processes.self()]);
    super(host, id, calls);
    this.#host = host;
    this.actor = canonicalActor(typeof agent === 'string' ? { kind: 'agent', name: agent } : agent);
    this.#track = track ?? true;
    this.#calls = calls;
  }

  /** Takes the first checkpoint, or another one when the session resumes. Closes calls that were left open. */
  async start(
    options: CallOptions & { readonly conversation?: ConversationPosition } = {},
  ): Promise<Checkpoint | null> {
    checkSessionCall.start(options);
    return this.#recordTrigger('session', null, options);
  }

  /**
   * Takes a checkpoint of the state before the agent acts on a prompt. Closes open calls, except those in the
   * background. From then on, changes by open calls of sub-agents are uncertain.
   * @param messageId the agent's own id of the message
   */
  async prompt(
    text: string,
    messageId: string | null = null,
    options: CallOptions & { readonly conversation?: ConversationPosition } = {},
  ): Promise<Checkpoint | null> {
    checkSessionCall.prompt(text, messageId, options);
    const conversation: ConversationPosition = {
      messages: null,
      ...options.conversation,
      ...(messageId === null ? {} : { messageId }),
      lastUser: truncate(text, PROMPT_CHARACTERS),
    };
    return this.#recordTrigger('prompt', text, { ...options, conversation });
  }

  /**
   * Takes a checkpoint where another message of the conversation starts, so that `rollbackTo` finds it. No call ends.
   * @param messageId the agent's own id of the message
   */
  async message(
    messageId: string,
    text = '',
    options: CallOptions & { readonly conversation?: ConversationPosition } = {},
  ): Promise<Checkpoint | null> {
    checkSessionCall.message(messageId, text, options);
    const lastAssistant = text === '' ? {} : { lastAssistant: truncate(text, PROMPT_CHARACTERS) };
    const conversation = { messages: null, ...options.conversation, messageId, ...lastAssistant };
    return this.#recordTrigger('message', text === '' ? messageId : text, { ...options, conversation });
  }

  /**
   * Runs a tool call between two captures. Changes on disk in between are attributed to it, even if it fails.
   * @param work its signal is aborted with the one in the options, and when the session goes back in its conversation.
   *   It may report what it wrote, as `CallEnd.writes`
   * @returns what `work` returns
   * @throws SavepointError CANCELLED also if `work` goes on after the signal in the options: later changes are uncertain
   */
  async call<T>(
    request: CallRequest,
    work: (context: CallContext) => T | Promise<T>,
    options: CallOptions = {},
  ): Promise<T> {
    checkSessionCall.begin(request, options);
    checkSessionCall.work(work);
    const named = { ...request, id: parseCallId(request.id ?? newId(this.#host)) };
    if (options.signal?.aborted === true) throw cancelledCall('before it started', options.signal);
    const signal = AbortSignal.any([this.#inFlight.begin(named.id), ...(options.signal ? [options.signal] : [])]);
    try {
      await this.#begin(named, options);
      const reported: CallEnd[] = [];
      const end = async (background: boolean) => this.end(named.id, { ...reported.at(-1), background });
      const context = { signal, report: (writes: CallEnd['writes']) => void reported.push(writes ? { writes } : {}) };
      return await new RunningWork(() => work(context), end).resultOrAbort(options.signal, this.#host.ports.clock);
    } finally {
      this.#inFlight.end(named.id);
    }
  }

  /**
   * Returns the signal of a call that began here and is open. It is aborted when the session goes back. Null if no such
   * call is open.
   */
  signalOf(call: string): AbortSignal | null {
    return this.#inFlight.signalOf(parseCallId(call));
  }

  /**
   * Goes back to a message: restores the state after the work for it and before the next one, in all roots, atomically.
   * Aborts calls in flight and waits for them, so a call must not use it. The abandoned checkpoints stay on the
   * timeline.
   * @param messageId as passed to `prompt` or `message`
   * @throws SavepointError NO_MESSAGE, CALL_OPEN if another process has a call of this session open, CANCELLED, and
   *   what `restore` throws: CONFLICT also if another session or an unknown author changed files since
   */
  async rollbackTo<Message = { readonly id: string }>(
    messageId: string,
    options: RollbackToOptions<Message> = {},
  ): Promise<RolledBackTo<Message>> {
    checkSessionCall.rollbackTo(messageId, options);
    const { id } = this;
    return rollbackTo(this.#host, { id, inFlight: this.#inFlight, openCalls: () => this.openCalls() }, messageId, {
      ...options,
      onMoved: (position) => {
        this.#conversation = position;
      },
    });
  }

  /**
   * The first half of `call`, for hooks: takes a capture and records the call as open. A call that is already open
   * stays unchanged, because two hooks reported it.
   */
  async begin(request: CallRequest, options: CallOptions = {}): Promise<OpenCall> {
    checkSessionCall.begin(request, options);
    const named = { ...request, id: parseCallId(request.id ?? newId(this.#host)) };
    this.#inFlight.begin(named.id);
    let isOpen = false;
    try {
      const begun = await this.#begin(named, options);
      isOpen = begun.isOpen;
      return begun.call;
    } finally {
      if (!isOpen) this.#inFlight.end(named.id);
    }
  }

  /** A call around which no capture runs is not open. */
  #begin(given: CallRequest, options: CallOptions): Promise<{ readonly call: OpenCall; readonly isOpen: boolean }> {
    return this.#host.once(async (steps) => {
      const { request, call, isCaptured } = this.#newCall(steps, given, false);
      if (!isCaptured) return { call, isOpen: false };
      await steps.write(options, async (writing) => {
        const { isSame, other } = this.#calls.findWithIdOf(writing.workspace, call);
        if (isSame) return;
        if (other !== null) await this.#abandon(writing, other);
        // This capture separates the earlier changes of other open calls from those of this one.
        if (!call.own) await this.#capture(writing, checkpointInfo('before', this.actor), false);
        this.#calls.add(writing.workspace, withNamedPaths(call, request, steps.location()));
      });
      return { call, isOpen: true };
    });
  }

  /**
   * Replaces `begin` if the agent could not wait for it. Changes before the call cannot be distinguished from its own,
   * so they are attributed with uncertainty. Without a store, nothing is recorded.
   */
  async beginLate(given: CallRequest): Promise<OpenCall> {
    checkSessionCall.begin(given, undefined);
    return this.#host.once(async (steps) => {
      const { request, call, isCaptured } = this.#newCall(steps, given, true);
      if (!isCaptured) return call;
      const named = withNamedPaths(call, request, steps.location());
      steps.read((workspace) => this.#calls.add(workspace, named));
      return call;
    });
  }

  /** After `beginLate`: takes the capture that the call did not wait for. It is marked late while the call is open. */
  async catchUp(options: CallOptions = {}): Promise<Checkpoint | null> {
    if (!this.#track) return null;
    const info = checkpointInfo('before', this.actor);
    const { value } = await this.#host.once((steps) => steps.write(options, (w) => this.#capture(w, info, false)));
    return value.made ? value.checkpoint : null;
  }

  /** The second half: takes a capture, attributes its changes to the call, and closes it. */
  async end(given: string, end: CallEnd = {}): Promise<EndedCall> {
    checkSessionCall.end(given, end);
    const id = parseCallId(given);
    // Noted before this waits for the lock.
    const how = howEnded(end, this.#host.ports.clock.now());
    return this.#endCall(id, how, end).finally(() => this.#inFlight.end(id));
  }

  async #endCall(id: CallId, how: HowEnded, end: CallEnd): Promise<EndedCall> {
    return this.#host.once(async (steps) => {
      // Checked without the lock, so that no store is created if no call is open.
      const open = steps.read((workspace) => this.#calls.findEnding(workspace, id, end.by));
      if (open === null || (!this.#track && open.uncaptured !== true)) return NO_CALL_ENDED;
      if (open.uncaptured === true) {
        if (!how.background) steps.read((workspace) => endUncaptured(workspace, open));
        return { ...NO_CALL_ENDED, found: true };
      }
      // The call ends even if its report is invalid.
      const { value: writes, error } = valueOrError(() => end.writes && locateWrites(ownFolder(steps), end.writes));
      try {
        const { value, putBack } = await steps.write(end, async (writing) => {
          const call = this.#calls.findEnding(writing.workspace, id, end.by);
          return call === null ? NO_CALL_ENDED : this.#captureEnd(writing, call, { ...how, writes: writes ?? null });
        });
        if (error !== undefined) throw error;
        return { ...value, putBack };
      } catch (error) {
        // It has ended, but stays on record, because no capture has found what it did.
        steps.read((workspace) => this.#calls.doubt(workspace, id, end.by));
        throw error;
      }
    });
  }

  /**
   * Ends a turn of the session or of a sub-agent. Closes calls left open, with uncertain changes; cheap if there are
   * none.
   * @param by id of the sub-agent; null: the session itself
   */
  async endTurn(by: string | null, options: CallOptions = {}): Promise<void> {
    checkSessionCall.endTurn(by, options);
    const left = (calls: readonly OpenCall[]): readonly OpenCall[] =>
      calls.filter((call) => !call.background && (call.actor.id ?? null) === by);
    await this.#host.once(async (steps) => {
      steps.read((workspace) => this.#calls.endUncaptured(workspace, left));
      if (!this.#track) return;
      if (left(steps.read((workspace) => this.#calls.list(workspace)) ?? []).length === 0) return;
      await steps.write(options, async (writing) => {
        for (const call of left(this.#calls.list(writing.workspace))) await this.#abandon(writing, call);
      });
    });
    if (by === null) this.#host.turnEnded();
  }

  /**
   * Ends the session: closes open calls and applies retention in the background (`savepoint.idle()` waits for it).
   * @param options.retire false: another process applies retention, as for hooks
   */
  async close(given: CallOptions & { readonly retire?: boolean } = {}): Promise<void> {
    checkSessionCall.close(given);
    const { retire, ...options } = given;
    const hasStore = await this.#host.once(async (steps) => {
      steps.read((workspace) => this.#calls.endUncaptured(workspace, (calls) => calls));
      if (!this.#track || steps.read(() => true) === null) return false;
      await steps.write(options, async (writing) => {
        for (const call of this.#calls.list(writing.workspace)) await this.#abandon(writing, call);
        if (!endDamagedCalls(writing.workspace, this.id)) return;
        await this.#capture(writing, checkpointInfo('before', this.actor), false);
      });
      return true;
    });
    if (hasStore && retire !== false) this.#host.applyRetention();
  }

  /**
   * A call that is not captured is recorded all the same, if there is a store: the next capture must not take its work for
   * somebody else's. Its paths do not matter.
   * @throws SavepointError PATH_REFUSED, USAGE if a path is invalid, FROZEN if the call declares a write to a frozen path;
   *   then it does not run
   */
  #newCall(
    steps: SessionSteps,
    given: CallRequest,
    late: boolean,
  ): { readonly request: LocatedCall; readonly call: OpenCall; readonly isCaptured: boolean } {
    const { paths: _paths, writes: _writes, dir: _dir, ...anywhere } = given;
    const { value: located, error: refused } = valueOrError(() => locateCall(ownFolder(steps), given));
    const request: LocatedCall = located ?? anywhere;
    const id = parseCallId(given.id ?? newId(this.#host));
    const began = this.#host.ports.clock.now();
    const call = openCallOf(request, { id, session: this.id, actor: this.actor, began, late });
    try {
      if (this.#track && request.track !== false) {
        if (refused !== undefined && steps.automatic().enabled) throw refused;
        if (isCaptured(steps, request)) return { request, call, isCaptured: true };
      }
    } catch (error) {
      const isRefused = error instanceof SavepointError && REFUSALS.has(error.code);
      if (!isRefused) steps.read((workspace) => this.#calls.addUncaptured(workspace, call));
      throw error;
    }
    steps.read((workspace) => this.#calls.addUncaptured(workspace, call));
    return { request, call, isCaptured: false };
  }

  async #recordTrigger(
    trigger: 'session' | 'prompt' | 'message',
    text: string | null,
    { conversation: given, ...options }: CallOptions & { readonly conversation?: ConversationPosition },
  ): Promise<Checkpoint | null> {
    if (!this.#track) return null;
    return this.#host.once(async (steps) => {
      const { enabled, onPrompt } = steps.automatic();
      // A session that resumes continues its conversation.
      const earlier =
        trigger === 'session' && given
          ? steps.read(({ ports, store }) => readSessionState(ports.fs, store.layout, this.id).conversation)
          : null;
      const conversation = earlier && given ? { ...earlier, ...given } : given;
      const isWanted = enabled && (trigger !== 'prompt' || onPrompt);
      if (!isWanted && steps.read((workspace) => this.#calls.list(workspace).length > 0) !== true) {
        this.#conversation = conversation ?? this.#conversation;
        return null;
      }
      const { value } = await steps.write(options, async (writing) => {
        this.#calls.replaceHosts(writing.workspace, this.actor.name);
        const reported = findReported(writing.workspace, this.id, trigger, conversation ?? this.#conversation);
        if (reported === null) await this.#closeOpenCalls(writing, trigger);
        this.#conversation = conversation ?? this.#conversation;
        return reported ?? (isWanted ? this.#captureTrigger(writing, trigger, text) : null);
      });
      return value;
    });
  }

  async #closeOpenCalls(writing: SessionWriteContext, trigger: Trigger): Promise<void> {
    const { ports, store } = writing.workspace;
    for (const call of this.#calls.list(writing.workspace)) {
      if (call.background || trigger === 'message') continue;
      if (trigger === 'session' || call.actor.id === undefined) await this.#abandon(writing, call);
      else writeOpenCall(ports.fs, store.layout, { ...call, background: true });
    }
  }

  async #captureTrigger(
    writing: SessionWriteContext,
    trigger: 'session' | 'prompt' | 'message',
    text: string | null,
  ): Promise<Checkpoint> {
    const { ports, store } = writing.workspace;
    const isResumed = (readSessionState(ports.fs, store.layout, this.id).conversation?.lastUser ?? null) !== null;
    const description = describeTrigger(trigger, this.actor, text, isResumed);
    const { checkpoint } = await this.#capture(writing, { ...checkpointInfo(trigger, this.actor), description }, true);
    const state = readSessionState(ports.fs, store.layout, this.id);
    const processes = this.#calls.processesAfter(state);
    writeSessionState(ports.fs, store.layout, this.id, { ...state, conversation: this.#conversation, processes });
    return checkpoint;
  }

  /** The end of the call is unknown, so the changes may also be by others. */
  async #abandon(writing: SessionWriteContext, call: OpenCall): Promise<void> {
    const { ports, store } = writing.workspace;
    if (call.uncaptured === true) return endUncaptured(writing.workspace, call);
    const now = ports.clock.now();
    const inDoubt = withUnknownEnd(call);
    writeOpenCall(ports.fs, store.layout, inDoubt);
    const goesOnIn = processGoingOnWith(writing.workspace, call);
    const ended = goesOnIn === null ? inDoubt : { ...inDoubt, abandoned: now };
    await this.#captureEnd(writing, ended, { ...howEnded({}, now), goesOnIn });
  }

  async #captureEnd(writing: SessionWriteContext, call: OpenCall, how: HowEnded): Promise<EndedCall> {
    const { ports, store } = writing.workspace;
    const reported = withReports(call, how);
    const left = how.background ? [] : processesLeftBy(writing.workspace, call, how.goesOnIn);
    // The capture reads the open calls.
    if (reported !== call) writeOpenCall(ports.fs, store.layout, reported);
    const info = { ...checkpointInfo('call', call.actor), toolCall: call.id, tool: timedTool(call, ports.clock.now()) };
    const { recorded, scan } = await this.#capture(writing, info, false);
    if (how.background) writeOpenCall(ports.fs, store.layout, { ...reported, late: false, background: true });
    else closeCall(writing.workspace, reported, left);
    return endedCall(call, recorded, scan);
  }

  #capture(
    writing: SessionWriteContext,
    info: CheckpointInfo,
    always: boolean,
  ): ReturnType<SessionWriteContext['capture']> {
    const { ports, store } = writing.workspace;
    const state = readSessionState(ports.fs, store.layout, this.id);
    this.#conversation ??= state.conversation;
    const conversation = withTranscript(this.#conversation, state.transcript);
    const actor = withVersion(info.actor, state.transcript);
    return writing.capture({ ...info, actor, session: this.id, conversation }, always);
  }
}

function newId({ ports }: SessionHost): string {
  return ports.random.hex(8);
}
