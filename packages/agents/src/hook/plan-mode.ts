/**
 * Plan mode: an edit tool does not run, and what it would write becomes a part of the session's plan. It fails closed: if
 * the edit cannot be recorded, it does not happen either.
 */

import { isAbsolute } from 'node:path';
import {
  type Actor,
  bytesFromText,
  type Configuration,
  type DiskPath,
  exactName,
  type Savepoint,
  SavepointError,
  type Session,
} from '@savepoint/core';
import { mayBePlanned, type Places, type Ports } from '@savepoint/core/ports';
import type { HookAnswer } from '../answer.ts';
import type { AgentEvent } from '../event.ts';
import { commentsText, untakenText } from './comment-text.ts';
import { endKeyBefore, makeCallId } from './pairing.ts';
import { failedText, heldText, inCopyText, isOnText, newsText } from './plan-text.ts';

export interface HeldCallContext {
  readonly ports: Ports;
  readonly places: Places;
  /** Aborts when the agent must get its answer. */
  readonly deadline: (config: Configuration) => AbortSignal;
}

interface CallScene {
  readonly event: Extract<AgentEvent, { readonly kind: 'call-began' }>;
  readonly savepoint: Savepoint;
  readonly session: Session;
  readonly actor: Actor;
  readonly context: HeldCallContext;
}

/** @returns null if plan mode is off, or if the call is one of our own tools */
export async function heldAnswer(scene: CallScene): Promise<HookAnswer | null> {
  const { event, session } = scene;
  if (!(await isPlanned(scene))) return null;
  const lines = await heldLines(scene).catch((error: unknown) => failedText(messageOf(error)));
  if (lines === null) return null;
  // Its end, if the agent reports one, is not that of a call that ran.
  const end = endKeyBefore(event);
  if (end !== null) await session.noteHandled(end);
  const news = newsText(await session.planNews().catch(() => []));
  return { kind: 'deny', reason: [...lines, ...news].join('\n') };
}

/** What the model reads about plans at this event, and what a person says about its lines. */
export async function planLines(
  event: AgentEvent,
  session: Session,
  context: HeldCallContext,
): Promise<readonly string[]> {
  const begins = event.kind === 'prompt-given' || event.kind === 'session-started';
  const isOn = begins && (await isPlanned({ event, session, context }));
  const isInCopy = session.isInPlanCopy();
  const about = isOn ? isOnText() : begins && isInCopy ? inCopyText() : [];
  // What else the agent is to read must not be lost with them.
  const comments = takesComments(event)
    ? await session.takeComments().then(commentsText, (error: unknown) => untakenText(messageOf(error)))
    : [];
  return [...about, ...newsText(await session.planNews(), isInCopy), ...comments];
}

/**
 * Returns the answer to a call if an error hides whether plan mode is on: the event could not be read, or the workspace
 * could not be opened.
 * @param event null: it could not be read
 * @returns null if plan mode is not on: then such an error stops no call
 */
export function heldAfterError(
  error: unknown,
  event: AgentEvent | null,
  machine: Parameters<typeof mayBePlanned>[0],
): HookAnswer | null {
  if (event !== null && (event.kind !== 'call-began' || event.call.own)) return null;
  if (error instanceof SavepointError && error.code === 'NO_WORKSPACE') return null;
  return mayBePlanned(machine, placeOf(event))
    ? { kind: 'deny', reason: failedText(messageOf(error)).join('\n') }
    : null;
}

/** These agents take no text with a prompt, but with the call that follows it. */
const WITHOUT_PROMPT_TEXT: readonly string[] = ['cursor', 'opencode'];

/** A comment comes with a prompt, so that it does not interrupt the work on another one. */
function takesComments({ kind, subAgentId, agent }: AgentEvent): boolean {
  if (subAgentId !== null) return false;
  return kind === 'prompt-given' || (kind === 'call-ended' && WITHOUT_PROMPT_TEXT.includes(agent));
}

function placeOf(event: Pick<AgentEvent, 'cwd' | 'project' | 'session'> | null): Parameters<typeof mayBePlanned>[1] {
  if (event === null) return { dir: null, session: null };
  const folder = event.project ?? event.cwd;
  return { dir: isAbsolute(folder) ? (bytesFromText(folder) as DiskPath) : null, session: event.session };
}

/** If it is unknown, it is on, except where it was never turned on. */
async function isPlanned({ session, event, context }: Pick<CallScene, 'session' | 'context'> & { event: AgentEvent }) {
  try {
    return await session.isPlanned();
  } catch (error) {
    const isDamaged = error instanceof SavepointError && error.code === 'STORE_DAMAGED';
    if (isDamaged && mayBePlanned(context, placeOf(event))) return true;
    throw error;
  }
}

async function heldLines({ event, savepoint, session, actor, context }: CallScene): Promise<readonly string[] | null> {
  const { call, cwd, stamp } = event;
  const signal = context.deadline(await savepoint.config());
  const isLossy = call.paths?.some((path) => path.includes('\ufffd')) === true;
  const held = await session.hold(
    {
      tool: call.tool,
      kind: call.kind,
      own: call.own,
      actor,
      dir: exactName(bytesFromText(cwd)),
      id: call.id ?? makeCallId(call, stamp, () => context.ports.random.hex(4)),
      ...(call.paths === null || isLossy ? {} : { paths: call.paths }),
      ...(call.writes === null || isLossy ? {} : { writes: call.writes }),
    },
    { signal },
  );
  return held === null ? null : heldText(held, call);
}

function messageOf(error: unknown): string {
  if (!(error instanceof SavepointError)) return error instanceof Error ? error.message : String(error);
  return error.code === 'CANCELLED' ? 'Savepoint could not record it in time. Try it again.' : withWayOn(error);
}

/** Most hints are for people; that of a conflict says what the agent can do. */
function withWayOn({ code, message, hint }: SavepointError): string {
  return code === 'CONFLICT' ? `${message} ${hint}` : message;
}
