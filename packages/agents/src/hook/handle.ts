/** Passes an agent's event to the engine and creates the answer. */

import {
  type Actor,
  bytesFromText,
  type CallId,
  type CallRequest,
  type Configuration,
  type DiskPath,
  type OpenOptions,
  type Savepoint,
  SavepointError,
  type Session,
} from '@savepoint/core';
import type { Places, Ports } from '@savepoint/core/ports';
import { type Answer, NOTHING } from '../answer.ts';
import type { AgentEvent } from '../event.ts';
import { declaredBy } from './declared.ts';
import type { Job } from './job.ts';
import { endingIds, madeId } from './pairing.ts';
import { newsText, putBackText, uncoveredText } from './told.ts';

export interface Setting {
  readonly ports: Ports;
  readonly places: Places;
  readonly settings: NonNullable<OpenOptions['settings']>;
  readonly exporter?: OpenOptions['exporter'];
  readonly open: (options: OpenOptions) => Savepoint;
  /** Aborts when the agent must get its answer. */
  readonly inTime: (config: Configuration) => AbortSignal;
  /** Whether the answer can pass text to the model. */
  readonly hearsContext: boolean;
  /** Runs work in the background that does not fit into the time limit. */
  readonly later: (job: Job) => void;
  /** Adds paths that are in no checkpoint to the list of `savepoint status`; returns those that are new on it. */
  readonly uncovered: (found: readonly { readonly path: string; readonly why: string }[]) => readonly string[];
}

type Of<Kind extends AgentEvent['kind']> = Extract<AgentEvent, { readonly kind: Kind }>;

/** One event of one agent, with everything needed to handle it. */
interface Scene<Event extends AgentEvent = AgentEvent> {
  readonly event: Event;
  readonly savepoint: Savepoint;
  readonly session: Session;
  /** The session's agent, or one of its sub-agents. */
  readonly actor: Actor;
  readonly setting: Setting;
  readonly signal: AbortSignal;
  readonly later: (work: Job['work']) => void;
}

/** @throws SavepointError, and unexpected errors; the caller turns them into an answer */
export async function handle(event: AgentEvent, setting: Setting): Promise<Answer> {
  const { ports, places, settings, exporter } = setting;
  const dir = bytesFromText(event.project ?? event.cwd) as DiskPath;
  const savepoint = setting.open({ dir, ports, places, settings, ...(exporter && { exporter }) });
  return savepoint.once((once) => answer(event, setting, once, dir));
}

async function answer(event: AgentEvent, setting: Setting, savepoint: Savepoint, dir: DiskPath): Promise<Answer> {
  const config = await savepoint.config();
  const signal = setting.inTime(config);
  if (!config.automatic.enabled) return NOTHING;
  const agent: Actor = {
    kind: 'agent',
    name: event.agent,
    ...(event.version === null ? {} : { version: event.version }),
  };
  const actor: Actor = event.sub === null ? agent : { ...agent, id: event.sub };
  const session = savepoint.session({ agent, id: event.session });
  const later = (work: Job['work']): void => setting.later({ dir, agent, session: event.session, actor, work });
  const told = await dealWith({ event, savepoint, session, actor, setting, signal, later });
  if (!setting.hearsContext) return NOTHING;
  const text = [...newsText(await session.news()), ...told].join('\n');
  return text === '' ? NOTHING : { kind: 'context', text };
}

/** @returns lines for the model */
async function dealWith(scene: Scene): Promise<readonly string[]> {
  const { event, session, signal, later } = scene;
  switch (event.kind) {
    case 'session-started':
      await inTime(
        scene,
        () => session.start({ signal }),
        async () => later({ kind: 'start' }),
      );
      return [];
    case 'prompt-given': {
      const { text, messageId } = event;
      await inTime(
        scene,
        () => session.prompt(text, messageId, { signal }),
        async () => later({ kind: 'prompt', text, messageId }),
      );
      return [];
    }
    case 'call-began':
      return callBegan({ ...scene, event });
    case 'call-ended':
      return callEnded({ ...scene, event });
    case 'turn-ended':
      await inTime(
        scene,
        () => session.settle(event.sub, { signal }),
        async () => later({ kind: 'settle', by: event.sub }),
      );
      return [];
    case 'session-ended':
      await inTime(
        scene,
        () => session.close({ signal, retire: false }),
        async () => {},
      );
      // Retention runs in the background.
      later({ kind: 'close' });
      return [];
  }
}

async function callBegan(scene: Scene<Of<'call-began'>>): Promise<readonly string[]> {
  const { event, session, setting, later } = scene;
  const { request, uncovered } = await requestOf(scene);
  const told = tellUncovered(setting, uncovered);
  const id = event.call.id ?? madeId(event.call, event.stamp, () => setting.ports.random.hex(4));
  const late = async (): Promise<void> => {
    await session.beginLate({ ...request, id });
    if (await isOpen(session, id)) later({ kind: 'catch-up' });
  };
  try {
    await inTime(scene, () => session.begin({ ...request, id }, { signal: scene.signal }), late);
  } catch (error) {
    // There is no checkpoint before the call, but its changes are still attributed to it.
    await session.beginLate({ ...request, id });
    throw error;
  }
  return told;
}

async function callEnded(scene: Scene<Of<'call-ended'>>): Promise<readonly string[]> {
  const { event, session, setting, signal, later } = scene;
  const { call, background } = event;
  const ids = call.id === null ? endingIds(call, await session.openCalls()) : [call.id];
  for (const id of ids) {
    const ended = await inTime(
      scene,
      () => session.end(id, { background, signal }),
      async () => {
        await session.doubt(id);
        later({ kind: 'end', call: id, background });
      },
    );
    if (ended === null) return [];
    if (ended.found) {
      const uncovered = ended.uncovered.map(({ path, skip }) => ({ path, why: skip.reason }));
      return [...putBackText(ended.putBack), ...tellUncovered(setting, uncovered)];
    }
  }
  await unannounced(scene);
  return [];
}

/** Handles the end of a call whose begin was not reported, so that there is no checkpoint before it. */
async function unannounced(scene: Scene<Of<'call-ended'>>): Promise<void> {
  const { event, savepoint, session, setting, later } = scene;
  const { call } = event;
  if (call.own) return;
  const id = call.id ?? madeId(call, event.stamp, () => setting.ports.random.hex(4));
  const [last] = (await savepoint.list({ limit: 1 }).catch(noneYet)).checkpoints;
  // Another hook of ours reported the same end.
  if (last?.toolCall === id && last.session === event.session) return;
  const { request } = await requestOf(scene);
  // An open call records these paths when it ends.
  const declared = new Set((await session.openCalls()).flatMap((open) => open.declared ?? []));
  if (request.paths?.length !== undefined && request.paths.every((path) => declared.has(path))) return;
  await session.beginLate({ ...request, id });
  if (!(await isOpen(session, id))) return;
  await inTime(
    scene,
    () => session.end(id, { signal: scene.signal }),
    async () => later({ kind: 'end', call: id, background: false }),
  );
}

async function isOpen(session: Session, id: CallId): Promise<boolean> {
  return (await session.openCalls()).some((call) => call.id === id);
}

function noneYet(error: unknown): { readonly checkpoints: readonly [] } {
  if (error instanceof SavepointError && error.code === 'NO_WORKSPACE') return { checkpoints: [] };
  throw error;
}

interface Uncovered {
  readonly path: string;
  readonly why: string;
}

async function requestOf(scene: Scene<Of<'call-began' | 'call-ended'>>): Promise<{
  readonly request: CallRequest;
  readonly uncovered: readonly Uncovered[];
}> {
  const { event, session, actor } = scene;
  const { call, cwd } = event;
  const { paths, uncovered } = await declaredBy(session, call.paths, cwd);
  return {
    request: {
      tool: call.tool,
      kind: call.kind,
      args: call.input,
      actor,
      own: call.own,
      ...(paths === null ? {} : { paths }),
    },
    uncovered,
  };
}

function tellUncovered({ uncovered }: Setting, found: readonly Uncovered[]): readonly string[] {
  const fresh = new Set(uncovered(found));
  return uncoveredText(found.filter(({ path }) => fresh.has(path)));
}

/**
 * @param work what the agent waits for
 * @param otherwise what to do if the time is over
 * @returns null if the time was over
 */
async function inTime<T>(
  { signal }: Pick<Scene, 'signal'>,
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
