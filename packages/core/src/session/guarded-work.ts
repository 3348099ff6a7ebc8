/** Work of a session whose effect is measured: the options, and what became of it. */

import type { CallOptions } from '../model/call-options.ts';
import type { Checkpoint } from '../model/checkpoint.ts';

/** Options of guarded work; see `Session.guard`. */
export interface GuardOptions extends CallOptions {
  /** The names of the checks. */
  readonly checks: readonly string[];
  /** How often the work is done at most: again after it was taken back. Default 1. */
  readonly attempts?: number;
  /** For all checks of one state together, in milliseconds. Default: 10 minutes. */
  readonly timeoutMs?: number;
}

/** What guarded work gets: the first attempt is 1, and later ones know why the one before was taken back. */
export interface GuardAttempt {
  readonly attempt: number;
  readonly failures: readonly GuardFailure[];
}

/** A failure that the base did not have. Text from the project and its tools: escape it before you show it. */
export interface GuardFailure {
  readonly check: string;
  readonly path: string | null;
  /** One line, with the position and the message. */
  readonly shown: string;
}

/**
 * - `good`: nothing is worse than before, and the work stays
 * - `unchanged`: the session has changed nothing
 * - `taken-back`: something is worse, and the session's changes were rolled back
 * - `left`: something is worse, and the work stays: `why` says why
 * - `unknown`: the checks gave no answer, and the work stays
 */
export interface GuardVerdict {
  readonly outcome: 'good' | 'unchanged' | 'taken-back' | 'left' | 'unknown';
  readonly why: string | null;
  readonly failures: readonly GuardFailure[];
  /** The state that was checked. */
  readonly checkpoint: Checkpoint | null;
  /** The rollback; null if nothing was taken back. */
  readonly operation: Checkpoint | null;
  /** What stayed although the rest was taken back. */
  readonly kept: readonly { readonly path: string; readonly why: string }[];
}

/** What became of guarded work: the verdict on its last attempt. */
export interface GuardedWork<T> extends GuardVerdict {
  readonly value: T;
  readonly attempts: number;
}

/** What a step of the guard needs from the front end. */
export interface GuardStepRequest {
  /** Whether the agent's program runs its commands in a sandbox of its own. */
  readonly sandboxed: boolean;
  readonly signal?: AbortSignal;
}

export interface GuardStep {
  readonly verdict: GuardVerdict;
  /** How often the work was taken back in a row, and how often it may be. */
  readonly attempt: number;
  readonly attempts: number;
}
