/**
 * Finds the older versions of a file from which an operation took lines that it brought back. A restore takes them from
 * its target, a rollback from before the changes that it reverts or from the state that chosen lines go back to, an undo or a redo from before the operation that it
 * inverts, and the reverting of a frozen path from before the call.
 */

import { type Checkpoint, isReversion, type RecordedChange } from '../../model/checkpoint.ts';
import type { FileEntry } from '../../model/entries.ts';
import { type CheckpointId, checkpointNumber, parseChangeId, parseHunkId } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';
import type { CheckpointReader } from '../activity/reader.ts';
import type { ActivitySource } from '../activity/source.ts';

/** A file as it was after a checkpoint. */
export interface FileVersion {
  readonly path: TreePath;
  readonly entry: FileEntry;
  /** The number of the checkpoint, which may have been dropped. */
  readonly after: number;
}

export interface LineSources {
  /** Newest first. */
  readonly versions: readonly FileVersion[];
  /** False if a version is no longer in the store, so that the author of a line from it is unknown. */
  readonly areComplete: boolean;
  /** The operation put the whole file back, so that its lines come from there even if the file had equal ones. */
  readonly replaceFile: boolean;
}

/** @param change what the operation did to the file */
export function sourcesOf(
  source: Pick<ActivitySource, 'entryAt'>,
  readable: CheckpointReader,
  operation: Checkpoint,
  change: Pick<RecordedChange, 'path' | 'from'>,
): LineSources {
  const { trigger, undoes, target } = operation;
  const rolledBack = [...operation.rolledBack, ...operation.rolledBackInPart];
  if (!isReversion(trigger)) return { versions: [], areComplete: true, replaceFile: false };
  if (undoes !== null) {
    const inverted = readable.find(undoes);
    if (inverted?.changes === null) return stateAfter(source, readable, inverted.previous, change.path);
    const number = checkpointNumber(undoes);
    return beforeChanges(source, readable, operation, change, {
      oldest: number,
      areComplete: inverted !== undefined,
      includes: (_, checkpoint) => checkpoint.number === number,
    });
  }
  if (rolledBack.length > 0) {
    const ids = new Set<string>(rolledBack.map((id) => parseHunkId(id)?.change ?? id));
    const numbers = new Set([...ids].flatMap((id) => parseChangeId(id)?.checkpoint ?? []));
    const reverted = beforeChanges(source, readable, operation, change, {
      oldest: Math.min(...numbers),
      areComplete: [...numbers].every((number) => readable.find(`cp_${number}` as CheckpointId) !== undefined),
      includes: ({ id }) => ids.has(id),
    });
    // Lines that go back to what they were at a checkpoint may be in another order there than before the changes.
    const then = target === null ? [] : stateAfter(source, readable, target, change.path).versions;
    return { ...reverted, versions: [...reverted.versions, ...then] };
  }
  return stateAfter(source, readable, target, change.path);
}

/** @param version the file as a checkpoint had it, before git brought it back */
export function fromGit(version: FileVersion): LineSources {
  return { versions: [version], areComplete: true, replaceFile: true };
}

interface WantedChanges {
  /** The number of the oldest checkpoint with one. */
  readonly oldest: number;
  readonly areComplete: boolean;
  includes(change: RecordedChange, checkpoint: Checkpoint): boolean;
}

/** Returns the file before each of the changes. The file is followed through the changes of others in between. */
function beforeChanges(
  source: Pick<ActivitySource, 'entryAt'>,
  readable: CheckpointReader,
  operation: Checkpoint,
  { path: own, from }: Pick<RecordedChange, 'path' | 'from'>,
  wanted: WantedChanges,
): LineSources {
  const moved: FileVersion[] = [];
  const versions: FileVersion[] = [];
  const moves: RecordedChange[] = [];
  let path: TreePath | null = from ?? own;
  for (const checkpoint of readable.upTo(operation.number - 1)) {
    if (checkpoint.number < wanted.oldest) break;
    let older: TreePath | null = path;
    for (const change of checkpoint.changes ?? []) {
      const isSameFile = change.path === path;
      const before = change.from ?? change.path;
      if (isSameFile) older = change.before === null ? null : before;
      if (change.from !== null) moves.push(change);
      // The operation may have brought back a file that was deleted or moved away, or that another one replaced.
      if (!(isSameFile || before === own) || !wanted.includes(change, checkpoint)) continue;
      if (change.before?.kind !== 'file') continue;
      versions.push({ path: before, entry: change.before, after: numberBefore(checkpoint) });
      if (change.from === own) moved.push(...movedAway(source, operation, change.path, moves));
    }
    path = older;
  }
  return { versions: [...moved, ...versions], areComplete: wanted.areComplete, replaceFile: false };
}

/**
 * Returns the version just before the operation of a file that had moved away. If another file came to its old path,
 * the operation lists no rename.
 * @param to where the move that it reverts put the file
 * @param moves all moves since, newest first
 */
function movedAway(
  source: Pick<ActivitySource, 'entryAt'>,
  operation: Checkpoint,
  to: TreePath,
  moves: readonly RecordedChange[],
): readonly FileVersion[] {
  if (operation.previous === null) return [];
  const path = moves.reduceRight((at, move) => (move.from === at ? move.path : at), to);
  const entry = source.entryAt(operation.previous, path);
  return entry?.kind === 'file' ? [{ path, entry, after: numberBefore(operation) }] : [];
}

function numberBefore({ number, previous }: Checkpoint): number {
  return previous === null ? number - 1 : checkpointNumber(previous);
}

/** If the checkpoint was dropped, the newest older one takes its place. */
function stateAfter(
  source: Pick<ActivitySource, 'entryAt'>,
  readable: CheckpointReader,
  target: CheckpointId | null,
  path: TreePath,
): LineSources {
  if (target === null) return { versions: [], areComplete: false, replaceFile: false };
  for (const { id, number } of readable.upTo(checkpointNumber(target))) {
    const entry = source.entryAt(id, path);
    const versions = entry?.kind === 'file' ? [{ path, entry, after: number }] : [];
    return { versions, areComplete: id === target && entry !== undefined, replaceFile: true };
  }
  return { versions: [], areComplete: false, replaceFile: false };
}
