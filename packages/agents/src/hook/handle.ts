/** Passes an agent's event to the engine and creates the answer. */

import {
  type Actor,
  bytesFromText,
  type CallId,
  type CallRequest,
  type Configuration,
  type DiskPath,
  exactName,
  nameFromJson,
  type OpenOptions,
  type Savepoint,
  SavepointError,
  type Session,
  type SessionOptions,
  type ShellVariables,
  type TreePath,
} from '@savepoint/core';
import type { Places, Ports } from '@savepoint/core/ports';
import { type HookAnswer, NO_ANSWER } from '../answer.ts';
import type { AgentEvent } from '../event.ts';
import { parseSlash } from '../slash/parse.ts';
import type { TypedCommand } from '../slash/request.ts';
import type { TranscriptFormat } from '../transcript/row.ts';
import { reportedWrites, resolveDeclared } from './declared.ts';
import { type GuardContext, guardAnswer, untoldText } from './guard.ts';
import type { HookJob } from './job.ts';
import { loadOwnEntries } from './load-own-entries.ts';
import { mentionsIn } from './mentions.ts';
import { operationsText, putBackText, scopeText, uncoveredText } from './model-text.ts';
import { endKeyBefore, eventKey, makeCallId, matchingCallIds } from './pairing.ts';
import { heldAnswer, planLines } from './plan-mode.ts';
import { notePosition, positionOf } from './position.ts';
import { beforeLastTurn, turnFindingsText } from './turn-findings.ts';

export interface HookContext {
  readonly ports: Ports;
  readonly places: Places;
  readonly settings: NonNullable<OpenOptions['settings']>;
  readonly exporter?: OpenOptions['exporter'];
  readonly open: (options: OpenOptions) => Savepoint;
  /** When the agent started the hook, in milliseconds since 1970. */
  readonly startedAt: () => number;
  /** Aborts when the agent must get its answer. */
  readonly deadline: (config: Configuration) => AbortSignal;
  /** The process that ran the hook, and its ancestors, nearest first. */
  readonly ancestors: NonNullable<SessionOptions['ancestors']>;
  /** The variables that the agent sets for its commands. */
  readonly shell: ShellVariables | undefined;
  /** The format of the agent's transcripts; undefined if it is not known. */
  readonly transcript: TranscriptFormat | undefined;
  /** Whether the answer can pass text to the model. */
  readonly acceptsContext: boolean;
  /** What the guard needs to check the work of the agent. */
  readonly guard: GuardContext;
  /** Carries out what the user typed instead of a prompt; null if the answer cannot end a prompt. */
  readonly carryOut: CarryOut | null;
  /** Runs work in the background that does not fit into the time limit. */
  readonly deferJob: (job: HookJob) => void;
  /** Adds paths that are in no checkpoint to the list of `savepoint status`; returns those that are new on it. */
  readonly noteUncovered: (found: readonly { readonly path: string; readonly why: string }[]) => readonly string[];
}

/**
 * Carries out a command that the user typed in a folder.
 * @returns what to show to the user; it does not fail
 */
export type CarryOut = (typed: TypedCommand, event: EventOfKind<'prompt-given'>, open: OpenTyped) => Promise<string>;

/** Opens the workspace for the work of a command. @throws SavepointError */
export type OpenTyped = <T>(work: (savepoint: Savepoint, signal: AbortSignal) => Promise<T>) => Promise<T>;

type EventOfKind<Kind extends AgentEvent['kind']> = Extract<AgentEvent, { readonly kind: Kind }>;

/** One event of one agent, with everything needed to handle it. */
interface EventContext<Event extends AgentEvent = AgentEvent> {
  readonly event: Event;
  readonly savepoint: Savepoint;
  readonly session: Session;
  /** The session's agent, or one of its sub-agents. */
  readonly actor: Actor;
  readonly context: HookContext;
  readonly signal: AbortSignal;
  readonly deferJob: (work: HookJob['work']) => void;
}

/** @throws SavepointError, and unexpected errors; the caller turns them into an answer */
export async function handle(event: AgentEvent, context: HookContext): Promise<HookAnswer> {
  const { ports, places, settings, exporter } = context;
  const dir = bytesFromText(event.project ?? event.cwd) as DiskPath;
  const options = { dir, ports, places, settings, ownEntries: loadOwnEntries, ...(exporter && { exporter }) };
  const typed = event.kind === 'prompt-given' && event.subAgentId === null ? parseSlash(event.text) : null;
  if (typed === null || event.kind !== 'prompt-given' || context.carryOut === null)
    return context.open(options).once((once) => answer(event, context, once, dir));
  // The prompt never reaches the model, so this is not a turn. What the command does is the user's, except where another
  // agent started this one in its shell.
  const caller = { ancestors: () => context.ancestors, agent: null, session: event.session };
  const savepoint = context.open({ ...options, caller });
  const text = await context.carryOut(typed, event, (work) =>
    savepoint.once(async (once) => work(once, context.deadline(await once.config()))),
  );
  return { kind: 'answered', text };
}

async function answer(
  event: AgentEvent,
  context: HookContext,
  savepoint: Savepoint,
  dir: DiskPath,
): Promise<HookAnswer> {
  const agent: Actor = {
    kind: 'agent',
    name: event.agent,
    ...(event.version === null ? {} : { version: event.version }),
  };
  const actor: Actor = event.subAgentId === null ? agent : { ...agent, id: event.subAgentId };
  const session = savepoint.session({ agent, id: event.session, ancestors: context.ancestors });
  if (event.kind === 'call-began') {
    const held = await heldAnswer({ event, savepoint, session, actor, context });
    if (held !== null) return held;
  }
  const config = await savepoint.config();
  const signal = context.deadline(config);
  if (!config.automatic.enabled) {
    await noteWithoutCapture({ event, session, actor, context });
    return NO_ANSWER;
  }
  const deferJob = (work: HookJob['work']): void =>
    context.deferJob({ dir, agent, session: event.session, actor, work });
  const key = eventKey(event);
  if (key !== null && (await session.wasHandled(key))) {
    return (await guardAnswer({ event, session, context: context.guard, isKnown: true })) ?? NO_ANSWER;
  }
  const earlierEnd = endKeyBefore(event);
  if (earlierEnd !== null) await session.noteHandled(earlierEnd, false);
  await notePosition(event, context.transcript, session, context.ports.fs);
  const lastTurn = context.acceptsContext ? await beforeLastTurn(event, savepoint, config) : null;
  const notes = await handleEvent({ event, savepoint, session, actor, context, signal, deferJob });
  if (key !== null) await session.noteHandled(key);
  const guarded = await guardAnswer({ event, session, context: context.guard, isKnown: false });
  if (guarded !== null) return guarded;
  if (!context.acceptsContext) return NO_ANSWER;
  const untold = await untoldText(session);
  const operations = await session.operationsByOthers();
  const inScope = scopeText(await session.scopeNews(), event.session, operations.paths);
  const plans = await planLines(event, session, context);
  const broken = await turnFindingsText(lastTurn, savepoint, signal);
  const text = [...untold, ...plans, ...operationsText(operations), ...inScope, ...broken, ...notes].join('\n');
  return text === '' ? NO_ANSWER : { kind: 'context', text };
}

type UncapturedEvent = Pick<EventContext, 'event' | 'session' | 'actor' | 'context'>;

/**
 * Records which calls run while nothing is captured automatically, so that the next capture does not take what they
 * change for somebody else's. Without a store, it does nothing.
 */
async function noteWithoutCapture(scene: UncapturedEvent): Promise<void> {
  const { event, session, actor, context } = scene;
  switch (event.kind) {
    case 'call-began':
    case 'call-ended': {
      const { call, subAgentId: by } = event;
      const ids = call.id === null ? matchingCallIds(call, await session.openCalls()) : [call.id];
      if (event.kind === 'call-ended') for (const id of ids) if ((await session.end(id, { by })).found) return;
      const id = call.id ?? makeCallId(call, event.stamp, () => context.ports.random.hex(4));
      const { tool, kind, input: args, own } = call;
      const shell = context.shell === undefined ? {} : { shell: context.shell };
      const request = { tool, kind, args, actor, own, id, track: false, ...shell };
      await session.begin(request);
      if (event.kind === 'call-ended') await session.end(id, { by });
      return;
    }
    case 'turn-ended':
      return session.endTurn(event.subAgentId);
    case 'session-ended':
      return session.close({ retire: false });
    default:
      return;
  }
}

/** @returns lines for the model */
async function handleEvent(scene: EventContext): Promise<readonly string[]> {
  const { event, session, signal, deferJob } = scene;
  switch (event.kind) {
    case 'session-started':
      await withDeadline(
        scene,
        () => session.start({ signal, ...positionOf(event.model) }),
        async () => deferJob({ kind: 'start', model: event.model }),
      );
      return [];
    case 'prompt-given': {
      const { text, messageId, model } = event;
      await withDeadline(
        scene,
        () => session.prompt(text, messageId, { signal, ...positionOf(model) }),
        async () => deferJob({ kind: 'prompt', text, messageId, model }),
      );
      await noteMentions({ ...scene, event });
      return [];
    }
    case 'call-began':
      return callBegan({ ...scene, event });
    case 'call-ended':
      return callEnded({ ...scene, event });
    case 'permission-asked': {
      const { call, isGrantReported } = event;
      const known =
        call.id === null
          ? { tool: call.tool, args: call.input, actor: scene.actor }
          : { id: call.id, by: event.subAgentId };
      await session.notePermission({ kind: 'asked', call: known, isGrantReported });
      return [];
    }
    case 'permission-granted':
      await session.notePermission({
        kind: 'granted',
        call: { id: event.call, by: event.subAgentId },
        ...(event.at === null ? {} : { at: event.at }),
      });
      return [];
    case 'turn-ended':
      await withDeadline(
        scene,
        () => session.endTurn(event.subAgentId, { signal }),
        async () => deferJob({ kind: 'end-turn', by: event.subAgentId }),
      );
      return [];
    case 'session-ended':
      await withDeadline(
        scene,
        () => session.close({ signal, retire: false }),
        async () => {},
      );
      // Retention runs in the background.
      deferJob({ kind: 'close' });
      return [];
  }
}

/** Not for a prompt to a sub-agent: no user typed it. */
async function noteMentions(scene: EventContext<EventOfKind<'prompt-given'>>): Promise<void> {
  const { event, session, signal } = scene;
  const mentions = event.subAgentId === null ? mentionsIn(event.text) : [];
  if (mentions.length === 0) return;
  await withDeadline(
    scene,
    () => session.mention(mentions, { dir: exactName(bytesFromText(event.cwd)), signal }),
    async () => {},
  );
}

async function callBegan(scene: EventContext<EventOfKind<'call-began'>>): Promise<readonly string[]> {
  const { event, session, context, deferJob } = scene;
  const { request, uncovered } = await requestOf(scene);
  const notes = uncoveredNotes(context, uncovered);
  const id = event.call.id ?? makeCallId(event.call, event.stamp, () => context.ports.random.hex(4));
  const late = async (): Promise<void> => {
    await session.beginLate({ ...request, id });
    if (await isOpen(session, id)) deferJob({ kind: 'catch-up' });
  };
  try {
    await withDeadline(scene, () => session.begin({ ...request, id }, { signal: scene.signal }), late);
  } catch (error) {
    // There is no checkpoint before the call, but its changes are still attributed to it.
    await session.beginLate({ ...request, id });
    throw error;
  }
  return notes;
}

async function callEnded(scene: EventContext<EventOfKind<'call-ended'>>): Promise<readonly string[]> {
  const { event, session, context, signal, deferJob } = scene;
  const { call, background, ranMs } = event;
  const writes = await reportedWrites(session, call, event.cwd);
  const ids = call.id === null ? matchingCallIds(call, await session.openCalls()) : [call.id];
  for (const id of ids) {
    const ended = await withDeadline(
      scene,
      () =>
        session.end(id, {
          by: event.subAgentId,
          background,
          signal,
          ...(writes === null ? {} : { writes }),
          ...(ranMs === null ? {} : { ranMs, reportedAt: context.startedAt() }),
        }),
      async () => {
        await session.markInDoubt(id, event.subAgentId);
        deferJob({ kind: 'end', call: id, background });
      },
    );
    if (ended === null) return [];
    if (ended.found) {
      const uncovered = ended.uncovered.map(({ path, skip }) => ({ path, why: skip.reason }));
      return [...putBackText(ended.putBack), ...uncoveredNotes(context, uncovered)];
    }
  }
  await recordUnannounced(scene);
  return [];
}

/** Handles the end of a call whose begin was not reported, so that there is no checkpoint before it. */
async function recordUnannounced(scene: EventContext<EventOfKind<'call-ended'>>): Promise<void> {
  const { event, savepoint, session, context, deferJob } = scene;
  const { call } = event;
  if (call.own) return;
  const id = call.id ?? makeCallId(call, event.stamp, () => context.ports.random.hex(4));
  const [last] = (await savepoint.list({ limit: 1 }).catch(emptyIfNoWorkspace)).checkpoints;
  // Another hook of ours reported the same end.
  if (last?.toolCall === id && last.session === event.session) return;
  const { request } = await requestOf(scene);
  // An open call records these paths when it ends.
  const declared = new Set((await session.openCalls()).flatMap((open) => open.declared ?? []));
  if (
    request.paths?.length !== undefined &&
    request.paths.every((path) => declared.has((path === '.' ? '' : nameFromJson(path)) as TreePath))
  )
    return;
  await session.beginLate({ ...request, id });
  if (!(await isOpen(session, id))) return;
  await withDeadline(
    scene,
    () => session.end(id, { by: event.subAgentId, signal: scene.signal }),
    async () => deferJob({ kind: 'end', call: id, background: false }),
  );
}

async function isOpen(session: Session, id: CallId): Promise<boolean> {
  return (await session.openCalls()).some((call) => call.id === id);
}

function emptyIfNoWorkspace(error: unknown): { readonly checkpoints: readonly [] } {
  if (error instanceof SavepointError && error.code === 'NO_WORKSPACE') return { checkpoints: [] };
  throw error;
}

interface UncoveredPath {
  readonly path: string;
  readonly why: string;
}

async function requestOf(scene: EventContext<EventOfKind<'call-began' | 'call-ended'>>): Promise<{
  readonly request: CallRequest;
  readonly uncovered: readonly UncoveredPath[];
}> {
  const { event, session, actor, context } = scene;
  const { call, cwd } = event;
  const { paths, uncovered } = await resolveDeclared(session, call.paths, cwd);
  const writes = await reportedWrites(session, call, cwd);
  return {
    request: {
      tool: call.tool,
      kind: call.kind,
      args: call.input,
      actor,
      own: call.own,
      dir: exactName(bytesFromText(cwd)),
      ...(context.shell === undefined ? {} : { shell: context.shell }),
      ...(paths === null ? {} : { paths }),
      ...(writes === null ? {} : { writes }),
    },
    uncovered,
  };
}

function uncoveredNotes({ noteUncovered }: HookContext, found: readonly UncoveredPath[]): readonly string[] {
  const fresh = new Set(noteUncovered(found));
  return uncoveredText(found.filter(({ path }) => fresh.has(path)));
}

/**
 * @param work the work that the agent waits for
 * @param otherwise runs if the deadline expires first
 * @returns null if the deadline expired
 */
async function withDeadline<T>(
  { signal }: Pick<EventContext, 'signal'>,
  work: () => Promise<T>,
  otherwise: () => Promise<void>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SavepointError && error.code === 'CANCELLED' && signal.aborted)) throw error;
    await otherwise();
    return null;
  }
}
