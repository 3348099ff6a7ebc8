/**
 * Progress of a timeline's automatic export: `export.json` in the store. For display only: the destination itself is
 * authoritative.
 */

import { durableWrite, readEntireFile } from '../../io/durable-write.ts';
import type { Fs } from '../../io/fs.ts';
import { isFsError } from '../../io/fs.ts';
import type { CheckpointId } from '../../model/ids.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import type { StoreLayout } from '../layout.ts';

export interface ExportState {
  /** The destination, for display. */
  readonly place: string;
  /** The newest exported checkpoint; null if there is none yet. */
  readonly upTo: CheckpointId | null;
  /** When `upTo` was last verified, in milliseconds since 1970. */
  readonly time: number | null;
  /** Why the last attempt failed; null if it succeeded. */
  readonly failure: { readonly time: number; readonly code: string; readonly message: string } | null;
}

const STATE_BYTES = 64 * 1024;
const FILE_MODE = 0o600;

/** Returns null if nothing was ever exported. So does an unreadable file, because it is for display only. */
export function readExportState(fs: Fs, layout: StoreLayout): ExportState | null {
  try {
    const json = JSON.parse(readEntireFile(fs, fileOf(layout), STATE_BYTES).toString('utf8')) as Partial<ExportState>;
    if (typeof json.place !== 'string') return null;
    const { upTo, time, failure } = json;
    return {
      place: json.place,
      upTo: typeof upTo === 'string' && /^cp_[1-9]\d{0,8}$/.test(upTo) ? upTo : null,
      time: typeof time === 'number' ? time : null,
      failure:
        typeof failure?.message === 'string'
          ? { time: Number(failure.time), code: String(failure.code), message: failure.message }
          : null,
    };
  } catch (error) {
    if (error instanceof SyntaxError || isFsError(error)) return null;
    throw error;
  }
}

export function writeExportState(fs: Fs, layout: StoreLayout, state: ExportState): void {
  durableWrite(fs, fileOf(layout), Buffer.from(`${JSON.stringify(state)}\n`), FILE_MODE);
}

function fileOf(layout: StoreLayout): DiskPath {
  return diskChild(layout.path, 'export.json');
}
