/** Calls that turn the guard on and off. */

import type { ComparedCheck } from '../../check/compare.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { SavepointError } from '../../model/errors.ts';
import type { CheckpointId } from '../../model/ids.ts';
import { processName, processNameText } from '../../store/process-name.ts';
import {
  type GuardEvent,
  type GuardEvery,
  type GuardSettings,
  readGuard,
  readGuardState,
  removeGuard,
  writeGuard,
  writeGuardState,
} from '../../store/state/guard.ts';
import type { Engine } from '../engine.ts';
import type { GuardedSteps, GuardStepsOptions } from '../guard/steps.ts';
import { assertByPerson } from '../shell-call.ts';
import { checkpointCalls } from './checkpoints.ts';

export interface GuardOnOptions extends CallOptions {
  /** The names of the checks. */
  readonly checks: readonly string[];
  /** When they run: after each turn, or also after that many calls. Default `turn`. */
  readonly every?: GuardEvery;
  /** How often work is taken back in a row before it is left. Default 3. */
  readonly attempts?: number;
  /** For all checks together, in milliseconds. Default: 5 minutes. */
  readonly timeoutMs?: number;
  /** Also check for agents whose shell is sandboxed, although the checks are not. Default false. */
  readonly outsideSandbox?: boolean;
  /** Whether the guard is off once this process has ended. Default false. */
  readonly endsWithProcess?: boolean;
}

export interface GuardReport {
  /** Null: nothing is guarded. */
  readonly settings: GuardSettings | null;
  /** The last state in which nothing was worse; null: it is not known. */
  readonly base: CheckpointId | null;
  /** What the checks found when the guard was turned on. Only then. */
  readonly checks: readonly ComparedCheck[];
  /** Oldest first. */
  readonly events: readonly GuardEvent[];
}

export interface GuardCalls {
  /**
   * Runs the checks on the current state, and from then on after each turn of an agent with hooks. If something is
   * worse, what the session changed since is rolled back. Only a person may turn it on.
   * @throws SavepointError USAGE if there is no such check, NEEDS_CONFIRMATION, CANCELLED
   */
  guardOn(options: GuardOnOptions): Promise<GuardReport>;
  /** Only a person may turn it off. @returns whether it was on */
  guardOff(options?: CallOptions): Promise<boolean>;
  guardStatus(): Promise<GuardReport>;
  /**
   * Guards steps that an agent does by itself, between two calls: the first one runs the checks and returns `since`; with
   * that, the second one runs them again and takes back what the agent changed since if something is worse.
   * @throws SavepointError USAGE if there is no such check, if a person calls it, or if no steps are open;
   *   NEEDS_CONFIRMATION if a check is not trusted; CANCELLED
   */
  guardSteps(options: GuardStepsOptions): Promise<GuardedSteps>;
}

const ATTEMPTS = 3;
const TIMEOUT_MS = 5 * 60_000;
/** Hooks are ended by their agents after ten minutes. */
const MAX_TIMEOUT_MS = 9 * 60_000;

export function guardCalls(engine: Engine): GuardCalls {
  return {
    guardOn: async ({ checks, every = 'turn', attempts = ATTEMPTS, timeoutMs = TIMEOUT_MS, ...options }) => {
      const { outsideSandbox = false, endsWithProcess = false, signal: given } = options;
      if (checks.length === 0) throw new SavepointError('USAGE', 'Name at least one check.', { argument: '--check' });
      if (timeoutMs > MAX_TIMEOUT_MS) {
        throw new SavepointError('USAGE', `The checks may take at most ${MAX_TIMEOUT_MS / 60_000} minutes.`, {});
      }
      await engine.write(options, 'existing', async ({ workspace }) => assertByPerson(engine, workspace, 'guardOn'));
      const { measure } = await import('../guard/judge.ts');
      const message = `Guard: on, with ${checks.join(', ')}`;
      const base = (await checkpointCalls(engine).checkpoint({ ...options, message })).checkpoint.id;
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(given === undefined ? [] : [given])]);
      const found = await measure(engine, { checks, base, signal });
      return engine.write(options, 'existing', async ({ workspace }) => {
        assertByPerson(engine, workspace, 'guardOn');
        const { ports, store } = workspace;
        const since = ports.clock.now();
        const { events } = readGuardState(ports, store.layout);
        const owner = endsWithProcess ? processNameText(processName(ports.processes.self())) : null;
        writeGuard(ports, store.layout, { checks, every, attempts, timeoutMs, outsideSandbox, since, owner });
        writeGuardState(ports, store.layout, { base: found.checkpoint.id, sessions: {}, events });
        return { ...reportIn(workspace), checks: found.checks };
      });
    },
    guardOff: (options = {}) =>
      engine.write(options, 'existing', async ({ workspace }) => {
        assertByPerson(engine, workspace, 'guardOff');
        const { ports, store } = workspace;
        const wasOn = isOn(() => readGuard(ports, store.layout));
        removeGuard(ports, store.layout);
        return wasOn;
      }),
    guardStatus: () => engine.read(reportIn),
    guardSteps: async (options) => {
      const { guardSteps } = await import('../guard/steps.ts');
      return engine.mapErrors(() => guardSteps(engine, options));
    },
  };
}

function reportIn({ ports, store }: Parameters<Parameters<Engine['read']>[0]>[0]): GuardReport {
  const settings = readGuard(ports, store.layout);
  const { base, events } = readGuardState(ports, store.layout);
  return { settings, base: settings === null ? null : base, checks: [], events };
}

/** What cannot be read is removed as well. */
function isOn(read: () => GuardSettings | null): boolean {
  try {
    return read() !== null;
  } catch (error) {
    if (error instanceof SavepointError) return true;
    throw error;
  }
}
