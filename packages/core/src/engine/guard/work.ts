/** Does a session's work, and again after it was taken back because checks became worse. */

import type { SessionId } from '../../model/ids.ts';
import type { GuardAttempt, GuardedWork, GuardFailure, GuardOptions } from '../../session/guarded-work.ts';
import { checkpointCalls } from '../calls/checkpoints.ts';
import { captureBefore } from '../copies/capture-before.ts';
import type { Engine } from '../engine.ts';
import { shellAuthorOf } from '../shell-call.ts';
import { judge, measure, namingStateBefore } from './judge.ts';

const TIMEOUT_MS = 10 * 60_000;

/** @throws SavepointError what the checks and the rollback throw, and what the work throws */
export async function guardWork<T>(
  engine: Engine,
  session: SessionId,
  work: (attempt: GuardAttempt) => T | Promise<T>,
  options: GuardOptions,
): Promise<GuardedWork<T>> {
  const { checks, attempts = 1, timeoutMs = TIMEOUT_MS, signal: given } = options;
  const limit = (): AbortSignal => AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(given ? [given] : [])]);
  const message = `Guard: before work that ${checks.join(', ')} must survive`;
  let base = (await checkpointCalls(engine).checkpoint({ message, ...(given && { signal: given }) })).checkpoint.id;
  // Before the work, so that a check that cannot run stops it, and so that their time does not count as the work's.
  await measure(engine, { checks, base, signal: limit() });
  let failures: readonly GuardFailure[] = [];
  let lastAttempt = 0;
  for (let attempt = 1; ; attempt += 1) {
    const value = await work({ attempt, failures });
    const before = base;
    const judged = await namingStateBefore(before, async () => {
      // In an agent's shell, nothing has captured what the work did.
      const inside = await engine.write({ ...(given && { signal: given }) }, 'existing', async (writing) => {
        await captureBefore(engine, writing, {});
        return shellAuthorOf(engine, writing.workspace)?.call ?? null;
      });
      const request = { session, checks, base: before, lastAttempt, mayTakeBack: true, inside, signal: limit() };
      return judge(engine, request);
    });
    const { verdict } = judged;
    if (verdict.outcome !== 'taken-back' || attempt >= attempts) return { ...verdict, value, attempts: attempt };
    ({ base } = judged);
    ({ failures } = verdict);
    lastAttempt = verdict.operation?.number ?? 0;
  }
}
