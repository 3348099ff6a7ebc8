/** Reads the bytes of a file as a stored state of the workspace has them. */

import { showName } from '../../content/show-name.ts';
import type { Entry, Snapshot } from '../../model/entries.ts';
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

/** Some bytes of a file. */
export interface FileBytes {
  /** A link's content is its target. */
  readonly entry: FileOrLink;
  /** In bytes, of the entire content. */
  readonly size: number;
  readonly offset: number;
  readonly bytes: Buffer;
}

export type FileOrLink = Exclude<Entry, { readonly kind: 'folder' }>;

/** A state of the workspace, with what messages call it. */
export interface StateToRead {
  readonly snapshot: Snapshot;
  /** Such as the id of a checkpoint. */
  readonly name: string;
  /** What to do if it does not have a file. */
  readonly hint: string;
}

/** @throws SavepointError PATH_REFUSED if the state has no file there */
export function readFileIn(objects: ObjectReader, state: StateToRead, path: TreePath, range: FileRange): FileBytes {
  const entry = fileIn(objects, state, path);
  return partOf(entry, readBlob(objects, entry.id), range);
}

/** @throws SavepointError PATH_REFUSED if the state has no file there */
export function fileIn(objects: ObjectReader, state: StateToRead, path: TreePath): FileOrLink {
  const { entry, skip } = stateAt(cachedFolderReader(objects), state.snapshot, path);
  if (entry === null) refuse(state, path, skip === null ? 'is not in' : `was not captured (${skip.reason}) in`);
  if (entry.kind === 'folder') refuse(state, path, 'is a folder in');
  return entry;
}

export function partOf(
  entry: FileOrLink,
  content: Buffer,
  { offset = 0, length = Number.POSITIVE_INFINITY }: FileRange,
): FileBytes {
  return { entry, size: content.length, offset, bytes: content.subarray(offset, offset + length) };
}

function refuse({ name, hint }: StateToRead, path: TreePath, what: string): never {
  const why = `${what} ${name}`;
  throw new SavepointError(
    'PATH_REFUSED',
    `${path === '' ? 'The workspace itself' : showName(path)} ${why}.`,
    { path: nameToJson(path), why, paths: [{ path: nameToJson(path), why }] },
    { hint },
  );
}
