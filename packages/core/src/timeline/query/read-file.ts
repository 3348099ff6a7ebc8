/** Reads the bytes of a file as a checkpoint has them. */

import { showName } from '../../content/show-name.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { Entry } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { nameToJson, type TreePath } from '../../model/names.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { cachedFolderReader, readBlob } from '../../store/snapshot/snapshot.ts';
import { stateAt } from '../diff/snapshot-diff.ts';

export interface FileRange {
  /** First byte; default 0. */
  readonly offset?: number;
  /** Maximum number of bytes; default: up to the end. */
  readonly length?: number;
}

export interface FileAtCheckpoint {
  readonly checkpoint: Checkpoint;
  /** A link's content is its target. */
  readonly entry: Exclude<Entry, { readonly kind: 'folder' }>;
  /** In bytes, of the entire content. */
  readonly size: number;
  readonly offset: number;
  readonly bytes: Buffer;
}

/** @throws SavepointError PATH_REFUSED if the checkpoint has no file there */
export function readFileAt(
  objects: ObjectReader,
  checkpoint: Checkpoint,
  path: TreePath,
  { offset = 0, length = Number.POSITIVE_INFINITY }: FileRange,
): FileAtCheckpoint {
  const { entry, skip } = stateAt(cachedFolderReader(objects), checkpoint.snapshot, path);
  if (entry === null) {
    refuse(checkpoint, path, skip === null ? 'is not in' : `was not captured (${skip.reason}) in`);
  }
  if (entry.kind === 'folder') refuse(checkpoint, path, 'is a folder in');
  const content = readBlob(objects, entry.id);
  return { checkpoint, entry, size: content.length, offset, bytes: content.subarray(offset, offset + length) };
}

function refuse({ id }: Checkpoint, path: TreePath, what: string): never {
  const why = `${what} ${id}`;
  throw new SavepointError(
    'PATH_REFUSED',
    `${path === '' ? 'The workspace itself' : showName(path)} ${why}.`,
    { path: nameToJson(path), why, paths: [{ path: nameToJson(path), why }] },
    {
      hint: `\`savepoint history --file PATH\` lists the changes of a file, and \`savepoint show ${id}\` those of the checkpoint.`,
    },
  );
}
