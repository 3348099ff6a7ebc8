/**
 * Guards steps that an agent does by itself between two requests. Hooks tell what a session changed. Without them, a
 * call that is open from the first request to the second one is the author of what changes meanwhile.
 */

import type { CallOptions } from '../../model/call-options.ts';
import type { Actor } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import type { CallId, CheckpointId, SessionId } from '../../model/ids.ts';
import type { GuardVerdict } from '../../session/guarded-work.ts';
import { Session } from '../../session/session.ts';
import { checkpointCalls } from '../calls/checkpoints.ts';
import { captureBefore } from '../copies/capture-before.ts';
import type { Engine } from '../engine.ts';
import { STEPS_TOOL, servedCallInfo, stepsOf } from '../served-call.ts';
import { sessionHost } from '../session-host.ts';
import { judge, measure, namingStateBefore } from './judge.ts';
import { assertOutsideAllowed } from './outside-sandbox.ts';

export interface GuardStepsOptions extends CallOptions {
  /** The names of the checks. */
  readonly checks: readonly string[];
  /** What the beginning returned: the steps have ended. Absent: they begin. */
  readonly since?: string;
  /** For all checks of one state together, in milliseconds. Default: 10 minutes. */
  readonly timeoutMs?: number;
  /** Whether the agent's program runs its commands in a sandbox, outside of which the checks would run. Default false. */
  readonly sandboxed?: boolean;
}

export interface GuardedSteps {
  /** The state before the steps. */
  readonly since: CheckpointId;
  /** Checks that failed before the steps. Only new failures of them count. Empty at the end. */
  readonly failing: readonly string[];
  /** Null: the steps begin. */
  readonly verdict: GuardVerdict | null;
}

const TIMEOUT_MS = 10 * 60_000;

/** @throws SavepointError USAGE, NEEDS_CONFIRMATION, and what the checks and the rollback throw */
export async function guardSteps(engine: Engine, options: GuardStepsOptions): Promise<GuardedSteps> {
  const { checks, since, timeoutMs = TIMEOUT_MS, sandboxed = false, signal: given, toolCall } = options;
  if (checks.length === 0) throw new SavepointError('USAGE', 'Name at least one check.', { argument: 'checks' });
  if (sandboxed) await assertOutsideAllowed(engine, 'guard steps');
  const calling: CallOptions = { ...(given && { signal: given }), ...(toolCall !== undefined && { toolCall }) };
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(given ? [given] : [])]);
  return since === undefined ? begin(engine, checks, calling, signal) : end(engine, checks, since, calling, signal);
}

async function begin(
  engine: Engine,
  checks: readonly string[],
  calling: CallOptions,
  signal: AbortSignal,
): Promise<GuardedSteps> {
  const known = await workerOf(engine, calling);
  if (known.steps !== null) await sessionOf(engine, known.steps.session).end(known.steps.id, calling);
  const session = known.session === null ? sessionOf(engine) : null;
  const message = `Guard: before steps that ${checks.join(', ')} must survive`;
  const started = await session?.start(calling);
  const since = (started ?? (await checkpointCalls(engine).checkpoint({ ...calling, message })).checkpoint).id;
  const found = await measure(engine, { checks, base: since, signal });
  // Only now, so that the time of the checks is not that of the steps.
  await session?.begin({ tool: STEPS_TOOL, args: { checks, since }, summary: checks.join(', ') }, calling);
  const failing = found.checks.filter(({ outcome }) => outcome !== 'passed').map(({ name }) => name);
  return { since, failing, verdict: null };
}

async function end(
  engine: Engine,
  checks: readonly string[],
  since: string,
  calling: CallOptions,
  signal: AbortSignal,
): Promise<GuardedSteps> {
  const base = await engine.read((workspace) => engine.resolve(workspace, since).id);
  const { session, steps, call } = await workerOf(engine, calling);
  const worker = session ?? steps?.session ?? null;
  if (worker === null) {
    throw new SavepointError(
      'USAGE',
      'No guarded steps are open here: they were ended, or the process in which they began has ended.',
      { argument: 'since' },
      { hint: `Nothing was changed. A restore of ${base} takes back what was done since.` },
    );
  }
  const { verdict } = await namingStateBefore(base, async () => {
    if (steps !== null) await sessionOf(engine, steps.session).end(steps.id, calling);
    else await engine.write(calling, 'existing', (writing) => captureBefore(engine, writing, calling));
    const request = { session: worker, checks, base, lastAttempt: 0, mayTakeBack: true, inside: call, signal };
    return judge(engine, request);
  });
  return { since: base, failing: [], verdict };
}

interface Worker {
  /** The session that hooks report; null if there are no hooks. */
  readonly session: SessionId | null;
  /** The call that makes this request; null if it is not known. */
  readonly call: CallId | null;
  /** The steps that began in this process and have not ended. */
  readonly steps: { readonly session: SessionId; readonly id: CallId } | null;
}

/** @throws SavepointError USAGE for a person: nothing tells their changes from others' */
async function workerOf(engine: Engine, calling: CallOptions): Promise<Worker> {
  if (engine.context().find() === null) {
    assertAgent(engine.actor);
    return { session: null, call: null, steps: null };
  }
  return engine.read((workspace) => {
    const steps = stepsOf(engine, workspace);
    const info = servedCallInfo(engine, workspace, calling);
    const isSteps = steps !== null && info.session === steps.session;
    assertAgent(info.actor ?? engine.actor);
    return { session: isSteps ? null : (info.session ?? null), call: isSteps ? null : (info.toolCall ?? null), steps };
  });
}

function assertAgent({ kind }: Actor): void {
  if (kind === 'agent') return;
  throw new SavepointError(
    'USAGE',
    'Only the steps of an agent can be guarded like this.',
    { argument: 'checks' },
    { hint: 'Nothing was changed. `savepoint guard --check NAME -- COMMAND` guards a command.' },
  );
}

function sessionOf(engine: Engine, id?: SessionId): Session {
  return new Session(sessionHost(engine), { agent: engine.actor, ...(id === undefined ? {} : { id }) });
}
