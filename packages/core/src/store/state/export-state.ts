/** How far the automatic export of a timeline is: `export.json` in the store. Only told; the place itself says what is there. */

import { durableWrite, readEntireFile } from '../../io/durable-write.ts';
import type { Fs } from '../../io/fs.ts';
import { isFsError } from '../../io/fs.ts';
import type { CheckpointId } from '../../model/ids.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import type { StoreLayout } from '../layout.ts';

export interface ExportState {
  /** For people: where to. */
  readonly place: string;
  /** The newest checkpoint that is there; null: none yet. */
  readonly upTo: CheckpointId | null;
  /** When that was last found to be so, milliseconds since 1970. */
  readonly time: number | null;
  /** Why the last try failed; null where it did not. */
  readonly failure: { readonly time: number; readonly code: string; readonly message: string } | null;
}

const STATE_BYTES = 64 * 1024;
const FILE_MODE = 0o600;

/** Null where nothing was ever exported, and where the file cannot be read: it is only told. */
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
