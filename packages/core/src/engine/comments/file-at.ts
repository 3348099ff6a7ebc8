/** The text file that a comment is made on, or is shown in. */

import { showName } from '../../content/show-name.ts';
import { TEXT_MAX_BYTES, textOrBinary } from '../../content/text-or-binary.ts';
import type { Pace } from '../../io/pace.ts';
import type { Checkpoint, RootState } from '../../model/checkpoint.ts';
import type { FileEntry, Snapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { nameToJson, type TreePath } from '../../model/names.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { cachedFolderReader, readBlob } from '../../store/snapshot/snapshot.ts';
import { scanWorkspace } from '../../timeline/capture/capture.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { stateAt } from '../../timeline/diff/snapshot-diff.ts';

/** Files in which lines can be looked up. */
export interface CommentedState {
  readonly objects: ObjectReader;
  readonly snapshot: Snapshot;
}

/** The folder as it is now. */
export async function folderNow(
  workspace: Workspace,
  pace: Pace,
): Promise<CommentedState & { readonly roots: readonly RootState[] }> {
  const { objects, scan } = await scanWorkspace(workspace, pace, { missing: 'empty' });
  return { objects, snapshot: scan.snapshot, roots: scan.roots };
}

export function stateOf(workspace: Workspace, { snapshot }: Pick<Checkpoint, 'snapshot'>): CommentedState {
  return { objects: workspace.store.objects, snapshot };
}

/** @returns null if it is not a text file whose content is known */
export function textIn({ objects, snapshot }: CommentedState, path: TreePath): Buffer | null {
  const { entry } = stateAt(cachedFolderReader(objects), snapshot, path);
  return entry?.kind === 'file' ? textOf(objects, entry) : null;
}

/** @throws SavepointError PATH_REFUSED */
export function textFileIn(
  { objects, snapshot }: CommentedState,
  path: TreePath,
  where: string,
): { readonly entry: FileEntry; readonly content: Buffer } {
  const { entry } = stateAt(cachedFolderReader(objects), snapshot, path);
  if (entry?.kind !== 'file') throw refused(path, `${entry === null ? 'is not' : `is a ${entry.kind}`} in ${where}`);
  const content = textOf(objects, entry);
  if (content === null) throw refused(path, `is not text in ${where}, or is too large`);
  return { entry, content };
}

function textOf(objects: ObjectReader, { id }: FileEntry): Buffer | null {
  const size = objects.info(id)?.size ?? null;
  if (size === null || size > TEXT_MAX_BYTES) return null;
  const content = readBlob(objects, id);
  return textOrBinary(content) === 'binary' ? null : content;
}

function refused(path: TreePath, why: string): SavepointError {
  return new SavepointError(
    'PATH_REFUSED',
    `${path === '' ? 'The workspace itself' : showName(path)} ${why}.`,
    { path: nameToJson(path), why },
    { hint: 'Only lines of captured text files can be commented on.' },
  );
}
