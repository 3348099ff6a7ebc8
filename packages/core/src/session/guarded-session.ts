/** The part of a session that measures the effect of its work. */

import type { SessionId } from '../model/ids.ts';
import type { CallRecords } from './call-records.ts';
import { type GuardDue, isGuardDue, takeUntold, tellLater } from './guard-notes.ts';
import type { GuardAttempt, GuardedWork, GuardOptions, GuardStep, GuardStepRequest } from './guarded-work.ts';
import type { SessionHost } from './host.ts';
import { ScopedSession } from './scoped-session.ts';
import { checkSessionCall } from './session-shapes.ts';

/** The part of `Session` that checks its work. */
export abstract class GuardedSession extends ScopedSession {
  readonly #host: SessionHost;

  constructor(host: SessionHost, id: SessionId, calls: CallRecords) {
    super(host, id, calls);
    this.#host = host;
  }

  /**
   * Runs the checks, does the work, and runs the checks again. If one of them has new failures, or works no longer, all
   * changes of this session since are rolled back, and the work is done again while attempts are left. What others
   * changed stays, also in the same files.
   * @param work makes its changes by calls of this session
   * @throws SavepointError USAGE if there is no such check, and what `rollback` throws; what `work` throws
   */
  async guard<T>(work: (attempt: GuardAttempt) => T | Promise<T>, options: GuardOptions): Promise<GuardedWork<T>> {
    checkSessionCall.guard(work, options);
    return this.#host.guardWork(this.id, work, options);
  }

  /**
   * Returns whether the guard that a person turned on must check this session now. Cheap; waits for no lock.
   * @param after what has ended. A call counts once: `known` if it was counted before
   */
  guardIsDue(after: GuardDue): Promise<boolean> {
    checkSessionCall.guardDue(after);
    return this.#host.once(async ({ read }) => read((workspace) => isGuardDue(workspace, this.id, after)) ?? false);
  }

  /** Checks the session's work as the guard says, and takes it back if something is worse. Null: nothing is guarded. */
  async guardStep(agent: string, request: GuardStepRequest): Promise<GuardStep | null> {
    checkSessionCall.guardStep(agent, request);
    return this.#host.guardStep(this.id, agent, request);
  }

  /** Keeps a text of the guard for the next answer that can pass text to the agent. */
  async guardTellLater(text: string): Promise<void> {
    checkSessionCall.named(text, 'text');
    await this.#host.once(async ({ read }) => read((workspace) => tellLater(workspace, this.id, text)));
  }

  /** Returns the text that was kept, once. */
  async guardUntold(): Promise<string | null> {
    return this.#host.once(async ({ read }) => read((workspace) => takeUntold(workspace, this.id)) ?? null);
  }
}
