/**
 * Tracks which file each change was about, and where that file is now, by replaying all changes of the
 * timeline. A file stays the same one when it is moved and when it is brought back. Another file created under
 * its name is a different one.
 */

import { type Checkpoint, isOperation, isReversion, type RecordedChange } from '../../model/checkpoint.ts';
import type { Entry } from '../../model/entries.ts';
import { type ChangeId, type CheckpointId, checkpointNumber } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';

/** One file throughout its life. */
export interface TrackedFile {
  /** The current path, or the last one if the file is gone. */
  path: TreePath;
  isThere: boolean;
  /** The entry when the file was removed. */
  lastSeen: Entry | null;
}

type TrackedCheckpoint = Pick<Checkpoint, 'id' | 'number' | 'trigger' | 'undoes' | 'rolledBack' | 'target'>;

/** The file at a path from a checkpoint on; null: none. */
interface Occupation {
  readonly from: number;
  readonly file: TrackedFile | null;
}

/** For a rollback, its undo and its redo, the changes that they revert or reapply determine where files are. */
export class FileTracker {
  readonly #present = new Map<TreePath, TrackedFile>();
  readonly #gone = new Map<TreePath, TrackedFile[]>();
  readonly #fileOf = new Map<ChangeId, TrackedFile>();
  readonly #changes = new Map<string, RecordedChange>();
  readonly #rolledBack = new Map<CheckpointId, readonly RecordedChange[]>();
  readonly #operationOf = new Map<CheckpointId, CheckpointId>();
  readonly #pathsOf = new Map<CheckpointId, ReadonlySet<TreePath>>();
  /** Oldest first. Paths without any known change are absent. */
  readonly #occupations = new Map<TreePath, Occupation[]>();

  /** Adds the next checkpoint in timeline order. */
  add(checkpoint: TrackedCheckpoint, changes: readonly RecordedChange[]): void {
    const { id, number, trigger, undoes, rolledBack } = checkpoint;
    const operation = undoes === null ? id : (this.#operationOf.get(undoes) ?? undoes);
    this.#operationOf.set(id, operation);
    const found = new Map(
      changes.flatMap(({ id, path, from, before }) =>
        before === null ? [] : [[id, this.#fileAt(from ?? path)] as const],
      ),
    );
    const paths = changes.flatMap(pathsIn);
    this.#note(number - 1, paths);
    if (undoes === null && rolledBack.length > 0) {
      this.#rolledBack.set(id, this.#revertedMoves(checkpoint, changes));
    }
    const inverted = this.#rolledBack.get(operation);
    const state = stateBroughtBack(checkpoint, operation);
    if (undoes === null && isOperation(trigger)) this.#pathsOf.set(id, new Set(paths));
    if (inverted === undefined && state !== null) this.#restored(changes, state, this.#pathsOf.get(operation));
    else if (inverted === undefined) this.#applyChanges(changes, isReversion(trigger));
    else if (trigger === 'undo') this.#applyInverse(inverted, reapply);
    else this.#applyInverse([...inverted].reverse(), revert);
    for (const change of changes) {
      const { path, after } = change;
      this.#changes.set(change.id, change);
      const file = after === null ? found.get(change.id) : this.#fileAt(path);
      if (!this.#fileOf.has(change.id) && file !== undefined) this.#fileOf.set(change.id, file);
    }
    this.#note(number, paths);
  }

  fileOf({ id, path }: RecordedChange): TrackedFile {
    return this.#fileOf.get(id) ?? this.#fileAt(path);
  }

  /**
   * Returns the creations, deletions and moves that a rollback reverted, oldest first. The rollback removed created
   * files and brought deleted ones back. It may have left a file where a later change moved it. If a file moved several
   * times in a row, the rollback's own changes show only the first place and the last.
   */
  #revertedMoves({ rolledBack }: TrackedCheckpoint, changes: readonly RecordedChange[]): readonly RecordedChange[] {
    const byFile = new Map<TrackedFile, RecordedChange[]>();
    for (const id of rolledBack) {
      const change = this.#changes.get(id);
      if (change === undefined || (change.from === null && change.before !== null && change.after !== null)) continue;
      const file = this.fileOf(change);
      byFile.set(file, [...(byFile.get(file) ?? []), change]);
    }
    const reached = new Set(
      changes.filter(({ before, from }) => before === null || from !== null).map(({ path }) => path),
    );
    for (const { path } of changes) {
      // A file of this rollback occupies the path. The rollback removed it from there so that another
      // file could take the path.
      const occupant = this.#present.get(path);
      if (occupant !== undefined && byFile.has(occupant)) reached.add(path);
    }
    const inverted = new Set<RecordedChange>();
    for (const own of byFile.values()) {
      const firstMove = own.findIndex(({ from }) => from !== null && reached.has(from));
      for (const [index, change] of own.entries()) {
        if (change.from === null || (firstMove >= 0 && index >= firstMove)) inverted.add(change);
      }
    }
    return rolledBack.flatMap((id) => {
      const change = this.#changes.get(id);
      return change !== undefined && inverted.has(change) ? [change] : [];
    });
  }

  #note(from: number, paths: readonly TreePath[]): void {
    for (const path of paths) {
      const known = this.#occupations.get(path);
      const file = this.#present.get(path) ?? null;
      if (known === undefined) this.#occupations.set(path, [{ from: 0, file }]);
      else if (known.at(-1)?.file !== file) known.push({ from, file });
    }
  }

  #fileThen(path: TreePath, number: number): TrackedFile | null {
    return this.#occupations.get(path)?.findLast(({ from }) => from <= number)?.file ?? null;
  }

  /**
   * Gives each changed path the file that it had at `state`, unless that file is elsewhere by now.
   * @param within paths to which this applies; an undo also changes a file at the path to which others moved it
   */
  #restored(changes: readonly RecordedChange[], state: number, within: ReadonlySet<TreePath> | undefined): void {
    const occupants = new Map<TreePath, TrackedFile>();
    for (const { path, from, before } of changes) {
      if (before === null && from === null) continue;
      const file = this.#fileAt(from ?? path);
      occupants.set(from ?? path, file);
      this.#remove(file, before);
    }
    for (const { id, path, from, after } of changes) {
      const occupant = occupants.get(from ?? path);
      const then = within?.has(path) === true ? this.#fileThen(path, state) : null;
      const last = occupant === undefined ? this.#lastGone(path, null) : undefined;
      const candidates = after === null ? [] : [then, occupant, last];
      // If a file is recorded as present at this path, a checkpoint that has been dropped deleted it.
      const isFree = (file: TrackedFile | null | undefined): boolean =>
        file != null && (!file.isThere || file.path === path);
      const file = candidates.find(isFree) ?? newFile(path);
      if (after !== null) this.#moveTo(file, path);
      const own = after === null ? occupant : file;
      if (own !== undefined) this.#fileOf.set(id, own);
    }
  }

  /** Applies all changes together. Files are removed first, so that their paths are free for files that are added. */
  #applyChanges(changes: readonly RecordedChange[], isGoingBack: boolean): void {
    for (const { id, path, from, before, after } of changes) {
      if (from === null && after !== null) continue;
      const file = this.#fileAt(from ?? path);
      this.#fileOf.set(id, file);
      this.#remove(file, before);
    }
    for (const { id, path, from, before, after } of changes) {
      if (after === null) continue;
      const file =
        from !== null ? this.#fileOf.get(id) : before === null ? this.#fileAppearing(path, after, isGoingBack) : null;
      if (file === undefined) continue;
      if (file !== null) this.#moveTo(file, path);
      this.#fileOf.set(id, file ?? this.#fileAt(path));
    }
  }

  /**
   * Applies all changes of a rollback, its undo or its redo. Only the final place of each file counts. A path that it
   * passes on the way may belong to another file by now.
   */
  #applyInverse(changes: readonly RecordedChange[], step: (file: TrackedFile, change: RecordedChange) => void): void {
    const files = new Set(changes.map((change) => this.fileOf(change)));
    for (const file of files) if (this.#present.get(file.path) === file) this.#present.delete(file.path);
    for (const change of changes) step(this.fileOf(change), change);
    for (const file of files) {
      if (file.isThere) this.#moveTo(file, file.path);
      else this.#remove(file, file.lastSeen);
    }
  }

  #fileAt(path: TreePath): TrackedFile {
    const known = this.#present.get(path);
    if (known !== undefined) return known;
    const file = newFile(path);
    this.#present.set(path, file);
    return file;
  }

  /** Returns the last file removed from the path if its bytes are the same or `isGoingBack` is set, else a new one. */
  #fileAppearing(path: TreePath, after: Entry, isGoingBack: boolean): TrackedFile {
    return this.#lastGone(path, isGoingBack ? null : after) ?? newFile(path);
  }

  /** @param content null: any content */
  #lastGone(path: TreePath, content: Entry | null): TrackedFile | undefined {
    const gone = (this.#gone.get(path) ?? []).filter((file) => !file.isThere && file.path === path);
    const same = gone.findLast(({ lastSeen }) => content !== null && sameContent(lastSeen, content));
    return same ?? (content === null ? gone.at(-1) : undefined);
  }

  #moveTo(file: TrackedFile, path: TreePath): void {
    if (this.#present.get(file.path) === file) this.#present.delete(file.path);
    const other = this.#present.get(path);
    if (other !== undefined && other !== file) this.#remove(other, null);
    file.path = path;
    file.isThere = true;
    this.#present.set(path, file);
  }

  #remove(file: TrackedFile, lastSeen: Entry | null): void {
    if (this.#present.get(file.path) === file) this.#present.delete(file.path);
    file.isThere = false;
    file.lastSeen = lastSeen;
    const gone = this.#gone.get(file.path);
    if (gone === undefined) this.#gone.set(file.path, [file]);
    else gone.push(file);
  }
}

/** Returns the number of the checkpoint whose state an operation restores in the paths it changes; null for others. */
function stateBroughtBack({ trigger, target }: TrackedCheckpoint, act: CheckpointId): number | null {
  if (trigger === 'restore') return target === null ? null : checkpointNumber(target);
  if (trigger === 'undo') return checkpointNumber(act) - 1;
  return trigger === 'redo' ? checkpointNumber(act) : null;
}

function pathsIn({ path, from }: RecordedChange): readonly TreePath[] {
  return from === null ? [path] : [path, from];
}

function newFile(path: TreePath): TrackedFile {
  return { path, isThere: true, lastSeen: null };
}

function reapply(file: TrackedFile, { path, from, before, after }: RecordedChange): void {
  if (after === null) {
    file.isThere = false;
    file.lastSeen = before;
  } else if (from !== null || before === null) {
    file.isThere = true;
    // A created file may have been moved since. It reappears at its last path.
    if (from !== null) file.path = path;
  }
}

function revert(file: TrackedFile, { from, before, after }: RecordedChange): void {
  if (from !== null || after === null) {
    file.isThere = true;
    if (from !== null) file.path = from;
  } else if (before === null) {
    file.isThere = false;
    file.lastSeen = after;
  }
}

function sameContent(a: Entry | null, b: Entry): boolean {
  return a !== null && a.kind !== 'folder' && b.kind === a.kind && a.id === b.id;
}
