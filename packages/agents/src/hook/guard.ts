/** Checks the work of an agent after a turn, or after some calls, if a person has turned the guard on. */

import type { Session } from '@savepoint/core';
import type { HookAnswer } from '../answer.ts';
import type { AgentEvent } from '../event.ts';
import { guardText } from './guard-text.ts';
import { operationsText } from './model-text.ts';

export interface GuardContext {
  /** Whether this process may take as long as the checks do. */
  readonly canWait: boolean;
  /** Whether the answer can make the model go on instead of ending its turn. */
  readonly continuesTurn: boolean;
  /** Whether the answer can pass text to the model. */
  readonly acceptsContext: boolean;
  readonly sandboxed: boolean;
  /** Called before the checks run: they must not disturb other work. Returns what ends them. */
  readonly beginChecks: () => AbortSignal;
}

export interface GuardedEvent {
  readonly event: AgentEvent;
  readonly session: Session;
  readonly context: GuardContext;
  /** Whether the event was handled before, by another hook or process. */
  readonly isKnown: boolean;
}

/** @returns null if nothing is guarded or due, or if there is nothing to say */
export async function guardAnswer({ event, session, context, isKnown }: GuardedEvent): Promise<HookAnswer | null> {
  const { kind, subAgentId } = event;
  // A sub-agent works for a turn of its session, which is checked as a whole.
  const ended = kind === 'turn-ended' && subAgentId === null ? 'turn' : kind === 'call-ended' ? 'call' : null;
  if (ended === null) return null;
  if (!(await session.guardIsDue(ended === 'call' && isKnown ? 'known' : ended))) return null;
  if (ended === 'call' && (await session.openCalls()).some(({ background }) => !background)) return null;
  if (!context.canWait) return { kind: 'elsewhere' };
  const step = await session.guardStep(event.agent, { sandboxed: context.sandboxed, signal: context.beginChecks() });
  if (step === null) return null;
  const lines = guardText(step);
  if (lines.length === 0) return null;
  // This answer reports what was taken back, so no other one needs to.
  const changed =
    context.continuesTurn || context.acceptsContext ? operationsText(await session.operationsByOthers()) : [];
  const text = [...lines, ...changed].join('\n');
  if (ended === 'turn' && context.continuesTurn && step.verdict.outcome === 'taken-back') {
    return { kind: 'continue', reason: text };
  }
  if (context.acceptsContext) return { kind: 'context', text };
  await session.guardTellLater(text);
  return null;
}

export async function untoldText(session: Session): Promise<readonly string[]> {
  const text = await session.guardUntold();
  return text === null ? [] : [text];
}
