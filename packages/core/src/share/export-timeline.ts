/** Automatic export: where checkpoints are exported to, one attempt at a time. */

import type { AutomaticExport } from '../config/effective.ts';
import { showName, showText } from '../content/show-name.ts';
import type { Pace } from '../io/pace.ts';
import type { Ports } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
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

const LOCK = 'export-lock';
/** Held by a process that may retry, during an attempt, so that the others need not ask the destination as well. */
export const RETRY_LOCK = 'export-patient';

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
  const lock = await lockExport(workspace, LOCK, pace, wait);
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

/** @throws SavepointError LOCKED */
export function lockExport(
  { ports, root, store }: Workspace,
  name: string,
  pace: Pace,
  wait: LockOptions,
): Promise<HeldLock> {
  const folder = diskChild(store.layout.path, name);
  makeFolders(ports.fs, folder, 0o700);
  return acquireLock(ports, { folder, what: `the export of ${showName(root)}` }, pace, wait);
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
