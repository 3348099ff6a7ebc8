/** Automatic export: where checkpoints are exported to, which process does it, and how often it retries. */

import type { AutomaticExport } from '../config/effective.ts';
import { showName, showText } from '../content/show-name.ts';
import type { Pace } from '../io/pace.ts';
import type { Ports } from '../io/ports.ts';
import { type ErrorCode, SavepointError } from '../model/errors.ts';
import { bytesFromText, type DiskPath, diskChild } from '../model/names.ts';
import { BundleFolder } from '../store/bundles/bundle-folder.ts';
import type { BundleStore } from '../store/bundles/bundle-store.ts';
import { acquireLock, type HeldLock, type LockOptions } from '../store/lock.ts';
import { makeFolders } from '../store/private-folders.ts';
import { readExportState, writeExportState } from '../store/state/export-state.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { asSavepointError } from '../transaction/outcome.ts';
import { type ExportResult, exportNewCheckpoints } from './export.ts';

/** What a front end provides for exports. */
export interface Exporter {
  /**
   * Opens the bucket named by the configuration, with the front end's credentials. Folders do not need this.
   * @throws SavepointError BUNDLE_STORE if there are no credentials
   */
  open(place: AutomaticExport): Promise<BundleStore>;
  /**
   * Starts a separate process for the export, for a front end that may exit at any moment. Default: this process, in
   * the background.
   */
  startProcess?(dir: DiskPath): void;
}

export interface ExportOptions {
  /** If undefined, only exports to folders are possible. */
  readonly exporter: Exporter | undefined;
  readonly pace: Pace;
  readonly wait: LockOptions;
  readonly signal: AbortSignal | undefined;
}

/** Milliseconds before each retry. After the last one, the export waits for the next checkpoint. */
const RETRY_DELAYS_MS: readonly number[] = [1_000, 5_000, 30_000, 120_000, 600_000];
/** Number of retries in a process that has other work and may want to exit. */
const SHORT_RETRIES = 3;
const LOCK = 'export-lock';
/** Held by the process that retries, including between attempts, so that only one does. */
const RETRY_LOCK = 'export-patient';

const NOT_RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'BUNDLE_DIVERGED',
  'BAD_CONFIG',
  'NO_WORKSPACE',
  'STORE_UNSAFE',
  'STORE_TOO_NEW',
  'CANCELLED',
]);

/**
 * Exports the new checkpoints, with one attempt. Only one process at a time does this for a workspace. The outcome is
 * recorded.
 * @throws SavepointError LOCKED while another process is exporting, and the errors of the export
 */
export async function exportTimeline(
  workspace: Workspace,
  place: AutomaticExport,
  { exporter, pace, wait, signal }: ExportOptions,
): Promise<ExportResult> {
  const { ports, store } = workspace;
  const { fs } = ports;
  const lock = await lockFor(workspace, LOCK, pace, wait);
  try {
    const before = readExportState(fs, store.layout);
    try {
      const exported = await exportNewCheckpoints(
        await openBundleStore(ports, place, exporter),
        workspace,
        place,
        pace,
        signal,
      );
      const time = ports.clock.now();
      writeExportState(fs, store.layout, { place: place.to, upTo: exported.upTo, time, failure: null });
      return exported;
    } catch (error) {
      const { code, message } = asSavepointError(error);
      const known = before?.place === place.to ? before : null;
      writeExportState(fs, store.layout, {
        place: place.to,
        upTo: known?.upTo ?? null,
        time: known?.time ?? null,
        failure: { time: ports.clock.now(), code, message },
      });
      throw error;
    }
  } finally {
    lock.release();
  }
}

/**
 * Runs the work while holding the retry lock.
 * @returns null, without running the work, if another process holds the lock; that process checks for new checkpoints
 *   when it is done
 */
export async function withRetryLock<T>(
  workspace: Workspace,
  pace: Pace,
  wait: LockOptions,
  work: () => Promise<T>,
): Promise<T | null> {
  let lock: HeldLock;
  try {
    lock = await lockFor(workspace, RETRY_LOCK, pace, { ...wait, waitMs: 0 });
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'LOCKED') return null;
    throw error;
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/**
 * Retries until the newest checkpoint is exported or no attempt is left.
 * @param once makes one attempt; null: there is nothing to export
 * @param isLong whether to use all retry delays, for a process that only exports
 * @param sleep returns false if the export is cancelled
 * @returns the last error; null on success
 */
export async function exportWithRetry(
  once: () => Promise<Pick<ExportResult, 'upTo'> | null>,
  newest: () => Promise<string | null>,
  isLong: boolean,
  sleep: (ms: number) => Promise<boolean>,
): Promise<SavepointError | null> {
  for (let tries = 0; ; tries++) {
    let failure: SavepointError;
    try {
      const exported = await once();
      if (exported === null || exported.upTo === (await newest())) return null;
      tries = -1;
      continue;
    } catch (error) {
      failure = asSavepointError(error);
    }
    const pause = isLong || tries < SHORT_RETRIES ? RETRY_DELAYS_MS[tries] : undefined;
    if (pause === undefined || !isRetryable(failure)) return failure;
    if (!(await sleep(pause)))
      return new SavepointError('CANCELLED', 'The export was cancelled while it waited to retry.');
  }
}

/** A process keeps the credentials that it began with, so it would be refused again. Another one may have new ones. */
function isRetryable({ code, data }: SavepointError): boolean {
  return !NOT_RETRYABLE.has(code) && !(code === 'BUNDLE_STORE' && 'why' in data && data.why === 'credentials');
}

/** @throws SavepointError BUNDLE_STORE if this front end cannot open buckets */
async function openBundleStore(
  ports: Ports,
  place: AutomaticExport,
  exporter: Exporter | undefined,
): Promise<BundleStore> {
  if (!place.to.startsWith('s3://')) return new BundleFolder(ports, bytesFromText(place.to) as DiskPath);
  if (exporter !== undefined) return exporter.open(place);
  throw new SavepointError('BUNDLE_STORE', `This front end cannot export to ${showText(place.to)}.`, {
    place: place.to,
    status: 'ENOTSUP',
  });
}

function lockFor({ ports, root, store }: Workspace, name: string, pace: Pace, wait: LockOptions): Promise<HeldLock> {
  const folder = diskChild(store.layout.path, name);
  makeFolders(ports.fs, folder, 0o700);
  return acquireLock(ports, { folder, what: `the export of ${showName(root)}` }, pace, wait);
}
