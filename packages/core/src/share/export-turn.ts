/**
 * Which process retries a failed export. The newest one: it may have other credentials or other settings than those with
 * which the process before it failed. That one ends during its pause, so only one process retries. A process that cannot
 * retry (it has no credentials) ends none.
 */

import type { Pace } from '../io/pace.ts';
import { type ErrorCode, SavepointError } from '../model/errors.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import { ensureCache } from '../store/layout.ts';
import type { HeldLock, LockOptions } from '../store/lock.ts';
import { readCacheJson, writeCacheFile } from '../store/state/cache-file.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { asSavepointError } from '../transaction/outcome.ts';
import type { ExportResult } from './export.ts';
import { lockExport, RETRY_LOCK } from './export-timeline.ts';

export interface RetryOptions {
  /** Makes one attempt; null: there is nothing to export. */
  readonly once: () => Promise<Pick<ExportResult, 'upTo'> | null>;
  readonly newest: () => Promise<string | null>;
  /** Whether to use all retry delays and to wait for its turn, for a process that only exports. */
  readonly isLong: boolean;
  /** Returns false if the export is cancelled. */
  readonly sleep: (ms: number) => Promise<boolean>;
  readonly pace: Pace;
  readonly wait: LockOptions;
}

/** Milliseconds before each retry. After the last one, the export waits for the next checkpoint. */
const RETRY_DELAYS_MS: readonly number[] = [1_000, 5_000, 30_000, 120_000, 600_000];
/** Number of retries in a process that has other work and may want to exit. */
const SHORT_RETRIES = 3;
/** Milliseconds after which a process that pauses or waits looks again whether it is still its turn. */
const LOOK_MS = 500;
const FILE_BYTES = 1024;

const NOT_RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'BUNDLE_DIVERGED',
  'BAD_CONFIG',
  'NO_WORKSPACE',
  'STORE_UNSAFE',
  'STORE_TOO_NEW',
  'CANCELLED',
]);

/**
 * Retries until the newest checkpoint is exported or no attempt is left.
 * @returns the last error; null on success, and if a newer process retries or exports
 */
export async function exportInTurn(workspace: Workspace, options: RetryOptions): Promise<SavepointError | null> {
  const retrying = new Turn(workspace, 'export-turn');
  for (let tries = 0; ; tries++) {
    const lock = await lockForAttempt(workspace, options);
    if (lock === 'cancelled') return cancelled();
    if (lock === null || (tries > 0 && !retrying.isOwn())) {
      lock?.release();
      return null;
    }
    const failure = await exportAll(options).finally(() => lock.release());
    const mayRetry = failure !== null && isRetryable(failure);
    if (failure === null || mayRetry) retrying.take();
    if (failure === null) return null;
    const pause = options.isLong || tries < SHORT_RETRIES ? RETRY_DELAYS_MS[tries] : undefined;
    if (pause === undefined || !mayRetry) return failure;
    if (!(await pauseFor(pause, retrying, options))) return cancelled();
    if (!retrying.isOwn()) return null;
  }
}

/** The process that took it last has the turn. */
class Turn {
  readonly #file: DiskPath;
  readonly #token: string;

  constructor(
    private readonly workspace: Workspace,
    name: 'export-turn' | 'export-next',
  ) {
    this.#file = diskChild(workspace.store.layout.cache, name);
    this.#token = workspace.ports.random.hex(8);
  }

  take(): void {
    const { ports, store } = this.workspace;
    ensureCache(ports, store.layout);
    writeCacheFile(ports.fs, this.#file, Buffer.from(JSON.stringify({ token: this.#token })));
  }

  /** If the file is lost, two processes may go on. That does no harm. */
  isOwn(): boolean {
    const found = readCacheJson(
      this.workspace.ports.fs,
      this.#file,
      FILE_BYTES,
      (json: { token?: unknown }) => json.token,
    );
    return found === null || found === this.#token;
  }
}

/**
 * Waits while another process makes its attempt. Only the newest process waits. A short one does not: the other one checks
 * for new checkpoints when it is done.
 * @returns null if another process exports
 */
async function lockForAttempt(
  workspace: Workspace,
  { isLong, sleep, pace, wait }: RetryOptions,
): Promise<HeldLock | 'cancelled' | null> {
  let waiting: Turn | null = null;
  for (;;) {
    try {
      return await lockExport(workspace, RETRY_LOCK, pace, { ...wait, waitMs: 0 });
    } catch (error) {
      if (!(error instanceof SavepointError) || error.code !== 'LOCKED') throw error;
    }
    if (!isLong) return null;
    if (waiting === null) {
      waiting = new Turn(workspace, 'export-next');
      waiting.take();
    }
    if (!(await sleep(LOOK_MS))) return 'cancelled';
    if (!waiting.isOwn()) return null;
  }
}

/** Exports until no new checkpoint is left. @returns the error; null on success */
async function exportAll({ once, newest }: RetryOptions): Promise<SavepointError | null> {
  try {
    for (;;) {
      const exported = await once();
      if (exported === null || exported.upTo === (await newest())) return null;
    }
  } catch (error) {
    return asSavepointError(error);
  }
}

/** @returns false if it was cancelled */
async function pauseFor(ms: number, turn: Turn, { sleep, isLong }: RetryOptions): Promise<boolean> {
  if (!isLong) return sleep(ms);
  for (let left = ms; left > 0 && turn.isOwn(); left -= LOOK_MS) {
    if (!(await sleep(Math.min(left, LOOK_MS)))) return false;
  }
  return true;
}

function cancelled(): SavepointError {
  return new SavepointError('CANCELLED', 'The export was cancelled while it waited to retry.');
}

/** A process keeps the credentials that it began with, so it would be refused again. Another one may have new ones. */
function isRetryable({ code, data }: SavepointError): boolean {
  return !NOT_RETRYABLE.has(code) && !(code === 'BUNDLE_STORE' && 'why' in data && data.why === 'credentials');
}
