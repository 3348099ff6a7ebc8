/** Reads JSON files of the store with what a person decided. A damaged file never means that nothing was decided. */

import { showName } from '../../content/show-name.ts';
import { readEntireFile } from '../../io/durable-write.ts';
import { type Fs, isFsError } from '../../io/fs.ts';
import { SavepointError } from '../../model/errors.ts';
import { type DiskPath, nameToJson } from '../../model/names.ts';
import type { Shape } from '../json-shape.ts';

export interface DecidedFile {
  readonly path: DiskPath;
  readonly maxBytes: number;
  readonly shape: Shape;
  /** What is not known if it cannot be read: a clause after "so". */
  readonly unknown: string;
  readonly hint: string;
}

/** @returns null if there is no file. @throws SavepointError STORE_DAMAGED */
export function readDecided<Json>(fs: Fs, { path, maxBytes, shape, unknown, hint }: DecidedFile): Json | null {
  try {
    const json: unknown = JSON.parse(readEntireFile(fs, path, maxBytes).toString());
    shape(json, '');
    return json as Json;
  } catch (cause) {
    if (isFsError(cause, 'ENOENT')) return null;
    if (isFsError(cause) && !isFsError(cause, 'EINVAL', 'EFBIG', 'ELOOP', 'EISDIR')) throw cause;
    const message = `${showName(path)} cannot be read, so ${unknown}.`;
    throw new SavepointError('STORE_DAMAGED', message, { file: nameToJson(path) }, { cause, hint });
  }
}
