/** One step of the guard that a person turned on: after a turn, or after some calls of a session. */

import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import { type CheckpointId, checkpointNumber, type SessionId } from '../../model/ids.ts';
import type { GuardStep, GuardStepRequest } from '../../session/guarded-work.ts';
import {
  type GuardEvent,
  type GuardedSession,
  NOT_GUARDED_YET,
  readGuard,
  readGuardState,
  writeGuardState,
} from '../../store/state/guard.ts';
import type { Engine } from '../engine.ts';
import { judge } from './judge.ts';

/** How every text for an agent begins. A prompt that begins with it is not a user's. */
export const GUARD_WORDS = 'Savepoint guard:';

/** @returns null if nothing is guarded */
export async function guardStep(
  engine: Engine,
  session: SessionId,
  agent: string,
  { sandboxed, signal: given }: GuardStepRequest,
): Promise<GuardStep | null> {
  const known = await engine.read(({ ports, store }) => ({
    settings: readGuard(ports, store.layout),
    state: readGuardState(ports, store.layout),
  }));
  const { settings } = known;
  if (settings === null) return null;
  const limit = { attempt: 0, attempts: settings.attempts };
  if (sandboxed && !settings.outsideSandbox) {
    const why = 'the agent runs its commands in a sandbox, and the checks would run outside of it';
    await save(engine, session, (one) => ({ ...one, calls: 0 }), null, null);
    return { ...limit, verdict: { ...NOTHING, outcome: 'unknown', why } };
  }
  const before = known.state.sessions[session] ?? NOT_GUARDED_YET;
  const attempts = (await hasNewPrompt(engine, session, before.lastAttempt)) ? 0 : before.attempts;
  const signal = AbortSignal.any([AbortSignal.timeout(settings.timeoutMs), ...(given === undefined ? [] : [given])]);
  const mayTakeBack = attempts < settings.attempts;
  try {
    const base = await knownBase(engine, session, known.state.base);
    if (base === null) return null;
    const { checks } = settings;
    const { lastAttempt } = before;
    const judged = await judge(engine, { session, checks, base, lastAttempt, mayTakeBack, inside: null, signal });
    const { verdict } = judged;
    const isTaken = verdict.outcome === 'taken-back';
    const isRepaired = verdict.outcome === 'good' && attempts > 0;
    const now: GuardedSession = {
      attempts: isTaken
        ? attempts + 1
        : verdict.outcome === 'unchanged' || verdict.outcome === 'unknown'
          ? attempts
          : 0,
      lastAttempt: isTaken ? numberOf(verdict.operation) : before.lastAttempt,
      calls: 0,
      untold: null,
    };
    const event =
      verdict.outcome === 'unchanged'
        ? null
        : eventOf(engine, { session, agent, outcome: isRepaired ? 'repaired' : verdict.outcome }, verdict);
    await save(engine, session, ({ untold }) => ({ ...now, untold }), judged.base, event);
    return { attempt: now.attempts, attempts: settings.attempts, verdict };
  } catch (error) {
    if (!(error instanceof SavepointError)) throw error;
    const verdict = { ...NOTHING, outcome: 'unknown', why: error.message } as const;
    const event = eventOf(engine, { session, agent, outcome: 'unknown' }, verdict);
    await save(engine, session, (one) => ({ ...one, calls: 0 }), null, event);
    return { ...limit, verdict };
  }
}

const NOTHING = { failures: [], checkpoint: null, operation: null, kept: [] } as const;

/** If the base is not known, or was dropped, a turn is compared with its prompt. Null: there is none either. */
function knownBase(engine: Engine, session: SessionId, base: CheckpointId | null): Promise<CheckpointId | null> {
  return engine.read(({ timeline }) => {
    const numbers = new Set(timeline.list().map(({ number }) => number));
    if (base !== null && numbers.has(checkpointNumber(base))) return base;
    for (const { checkpoint } of timeline.newestFirst()) {
      if (checkpoint?.session === session && ['prompt', 'session'].includes(checkpoint.trigger)) return checkpoint.id;
    }
    return null;
  });
}

/** A user's prompt begins a new count of attempts. Some agents report what the guard said to them as a prompt. */
function hasNewPrompt(engine: Engine, session: SessionId, since: number): Promise<boolean> {
  return engine.read(({ timeline }) => {
    for (const { checkpoint } of timeline.newestFirst()) {
      if (checkpoint === null) continue;
      if (checkpoint.number <= since) return false;
      if (checkpoint.session !== session || checkpoint.trigger !== 'prompt') continue;
      if (checkpoint.conversation?.lastUser?.includes(GUARD_WORDS) !== true) return true;
    }
    return false;
  });
}

function eventOf(
  engine: Engine,
  about: Pick<GuardEvent, 'session' | 'agent' | 'outcome'>,
  verdict: GuardStep['verdict'],
): GuardEvent {
  const { failures, why, operation, checkpoint } = verdict;
  const first = failures[0];
  const more = failures.length > 1 ? ` and ${failures.length - 1} more` : '';
  const found = first === undefined ? '' : `${first.check}: ${first.shown}${more}`;
  const text = [found, why]
    .filter((part) => part !== null && part !== '')
    .join('; ')
    .slice(0, 500);
  return { time: engine.ports.clock.now(), ...about, checkpoint: (operation ?? checkpoint)?.id ?? null, text };
}

function save(
  engine: Engine,
  session: SessionId,
  change: (one: GuardedSession) => GuardedSession,
  base: CheckpointId | null,
  event: GuardEvent | null,
): Promise<void> {
  return engine.write({}, 'alone', async ({ workspace: { ports, store } }) => {
    if (readGuard(ports, store.layout) === null) return;
    const state = readGuardState(ports, store.layout);
    const { [session]: one = NOT_GUARDED_YET, ...sessions } = state.sessions;
    writeGuardState(ports, store.layout, {
      base: base ?? state.base,
      // The newest is the last one.
      sessions: { ...sessions, [session]: change(one) },
      events: event === null ? state.events : [...state.events, event],
    });
  });
}

function numberOf(checkpoint: Checkpoint | null): number {
  return checkpoint?.number ?? 0;
}
