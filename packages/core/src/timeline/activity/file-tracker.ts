/**
 * Which file each change was about, and where that file is now: told by going through all changes of the timeline. A file
 * stays the same one when it is moved, and when it comes back; another one that is made under its name is not it.
 */

import { type Checkpoint, isReversion, type RecordedChange } from '../../model/checkpoint.ts';
import type { Entry } from '../../model/entries.ts';
import { type ChangeId, type CheckpointId, checkpointNumber } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';

/** One file through its life. */
export interface TrackedFile {
  /** Where it is, or where it was last. */
  path: TreePath;
  isThere: boolean;
  /** What it held when it went. */
  lastSeen: Entry | null;
}

type TrackedCheckpoint = Pick<Checkpoint, 'id' | 'number' | 'trigger' | 'undoes' | 'rolledBack' | 'target'>;

/** Which file was at a path from a checkpoint on; null: none. */
interface Occupation {
  readonly from: number;
  readonly file: TrackedFile | null;
}

/** A roll-back, its undo and its redo tell of places by the changes that they take back or bring again. */
export class FileTracker {
  readonly #present = new Map<TreePath, TrackedFile>();
  readonly #gone = new Map<TreePath, TrackedFile[]>();
  readonly #fileOf = new Map<ChangeId, TrackedFile>();
  readonly #changes = new Map<string, RecordedChange>();
  readonly #rolledBack = new Map<CheckpointId, readonly RecordedChange[]>();
  readonly #operationOf = new Map<CheckpointId, CheckpointId>();
  readonly #pathsOf = new Map<CheckpointId, ReadonlySet<TreePath>>();
  /** Oldest first; paths of which nothing was heard are not in it. */
  readonly #occupations = new Map<TreePath, Occupation[]>();

  /** In the order of the timeline. */
  add(checkpoint: TrackedCheckpoint, changes: readonly RecordedChange[]): void {
    const { id, number, trigger, undoes, rolledBack } = checkpoint;
    const operation = undoes === null ? id : (this.#operationOf.get(undoes) ?? undoes);
    this.#operationOf.set(id, operation);
    const found = new Map(
      changes.flatMap(({ id, path, from, before }) =>
        before === null ? [] : [[id, this.#fileAt(from ?? path)] as const],
      ),
    );
    this.#note(number - 1, changes.flatMap(pathsIn));
    if (undoes === null && rolledBack.length > 0) {
      this.#rolledBack.set(id, this.#revertedMoves(checkpoint, changes));
    }
    const inverted = this.#rolledBack.get(operation);
    const state = stateBroughtBack(checkpoint, operation);
    if (undoes === null) this.#pathsOf.set(id, new Set(changes.flatMap(pathsIn)));
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
    this.#note(number, changes.flatMap(pathsIn));
  }

  fileOf({ id, path }: RecordedChange): TrackedFile {
    return this.#fileOf.get(id) ?? this.#fileAt(path);
  }

  /**
   * What a roll-back did to the places of files, oldest first. What was made went, and what had gone came back; but it may
   * have left a file where others moved it since, and of several moves in a row its own changes show the first place and
   * the last.
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
      // A file that went with the act made room for another one.
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
   * Each path that changed has the file again that it had then, unless that is elsewhere by now.
   * @param within only these; an undo changes a file also where others moved it to
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
      // One that is said to be at this very path went in a checkpoint that is gone.
      const isFree = (file: TrackedFile | null | undefined): boolean =>
        file != null && (!file.isThere || file.path === path);
      const file = candidates.find(isFree) ?? newFile(path);
      if (after !== null) this.#moveTo(file, path);
      const own = after === null ? occupant : file;
      if (own !== undefined) this.#fileOf.set(id, own);
    }
  }

  /** All at once: what goes makes room before anything comes. */
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
   * All of a roll-back, its undo or its redo: only where each file is in the end counts. A place that it comes through on
   * the way may be somebody else's by now.
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

  /** The last one that went from there, if it has the same bytes or somebody goes back; else a new one. */
  #fileAppearing(path: TreePath, after: Entry, isGoingBack: boolean): TrackedFile {
    return this.#lastGone(path, isGoingBack ? null : after) ?? newFile(path);
  }

  /** @param content null: whatever it held */
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

/** The number of the checkpoint whose state an operation brings back where it changes anything; null for the others. */
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
    // Others may have moved what was made: it comes where it was.
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
