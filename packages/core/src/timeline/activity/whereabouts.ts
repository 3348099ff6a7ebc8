/**
 * Which file each change was about, and where that file is now: told by going through all changes of the timeline. A file
 * stays the same one when it is moved, and when it comes back; another one that is made under its name is not it.
 */

import { type Checkpoint, goesBack, type RecordedChange } from '../../model/checkpoint.ts';
import type { Entry } from '../../model/entries.ts';
import type { ChangeId, CheckpointId } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';

/** One file through its life. */
export interface TrackedFile {
  /** Where it is, or where it was last. */
  path: TreePath;
  isThere: boolean;
  /** What it held when it went. */
  lastSeen: Entry | null;
}

type Event = Pick<Checkpoint, 'id' | 'trigger' | 'undoes' | 'rolledBack'>;

/** A roll-back, its undo and its redo tell of places by the changes that they take back or bring again. */
export class Whereabouts {
  readonly #there = new Map<TreePath, TrackedFile>();
  readonly #gone = new Map<TreePath, TrackedFile[]>();
  readonly #fileOf = new Map<ChangeId, TrackedFile>();
  readonly #changes = new Map<string, RecordedChange>();
  readonly #rolledBack = new Map<CheckpointId, readonly RecordedChange[]>();
  readonly #actOf = new Map<CheckpointId, CheckpointId>();

  /** In the order of the timeline. */
  add(checkpoint: Event, changes: readonly RecordedChange[]): void {
    const { id, trigger, undoes } = checkpoint;
    const act = undoes === null ? id : (this.#actOf.get(undoes) ?? undoes);
    this.#actOf.set(id, act);
    if (trigger === 'rollback') this.#rolledBack.set(id, this.#placesTakenBack(checkpoint, changes));
    const inverted = this.#rolledBack.get(act);
    if (inverted === undefined) this.#happened(changes, goesBack(trigger));
    else if (trigger === 'undo') this.#inverted(inverted, again);
    else this.#inverted([...inverted].reverse(), back);
    for (const change of changes) {
      this.#changes.set(change.id, change);
      if (!this.#fileOf.has(change.id)) this.#fileOf.set(change.id, this.#at(change.path));
    }
  }

  fileOf({ id, path }: RecordedChange): TrackedFile {
    return this.#fileOf.get(id) ?? this.#at(path);
  }

  /**
   * What a roll-back did to the places of files, oldest first. What was made went, and what had gone came back; but it may
   * have left a file where others moved it since, and of several moves in a row its own changes show the first place and
   * the last.
   */
  #placesTakenBack({ rolledBack }: Event, changes: readonly RecordedChange[]): readonly RecordedChange[] {
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
      const occupant = this.#there.get(path);
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

  /** All at once: what goes makes room before anything comes. */
  #happened(changes: readonly RecordedChange[], isGoingBack: boolean): void {
    for (const { id, path, from, before, after } of changes) {
      if (from === null && after !== null) continue;
      const file = this.#at(from ?? path);
      this.#fileOf.set(id, file);
      this.#remove(file, before);
    }
    for (const { id, path, from, before, after } of changes) {
      if (after === null) continue;
      const file =
        from !== null ? this.#fileOf.get(id) : before === null ? this.#coming(path, after, isGoingBack) : null;
      if (file === undefined) continue;
      if (file !== null) this.#put(file, path);
      this.#fileOf.set(id, file ?? this.#at(path));
    }
  }

  /**
   * All of a roll-back, its undo or its redo: only where each file is in the end counts. A place that it comes through on
   * the way may be somebody else's by now.
   */
  #inverted(changes: readonly RecordedChange[], step: (file: TrackedFile, change: RecordedChange) => void): void {
    const files = new Set(changes.map((change) => this.fileOf(change)));
    for (const file of files) if (this.#there.get(file.path) === file) this.#there.delete(file.path);
    for (const change of changes) step(this.fileOf(change), change);
    for (const file of files) {
      if (file.isThere) this.#put(file, file.path);
      else this.#remove(file, file.lastSeen);
    }
  }

  #at(path: TreePath): TrackedFile {
    const known = this.#there.get(path);
    if (known !== undefined) return known;
    const file: TrackedFile = { path, isThere: true, lastSeen: null };
    this.#there.set(path, file);
    return file;
  }

  /** The last one that went from there, if it has the same bytes or somebody goes back; else a new one. */
  #coming(path: TreePath, after: Entry, isGoingBack: boolean): TrackedFile {
    const gone = (this.#gone.get(path) ?? []).filter((file) => !file.isThere && file.path === path);
    const same = gone.findLast(({ lastSeen }) => sameContent(lastSeen, after));
    return same ?? (isGoingBack ? gone.at(-1) : undefined) ?? { path, isThere: true, lastSeen: null };
  }

  #put(file: TrackedFile, path: TreePath): void {
    if (this.#there.get(file.path) === file) this.#there.delete(file.path);
    const other = this.#there.get(path);
    if (other !== undefined && other !== file) this.#remove(other, null);
    file.path = path;
    file.isThere = true;
    this.#there.set(path, file);
  }

  #remove(file: TrackedFile, lastSeen: Entry | null): void {
    if (this.#there.get(file.path) === file) this.#there.delete(file.path);
    file.isThere = false;
    file.lastSeen = lastSeen;
    const gone = this.#gone.get(file.path);
    if (gone === undefined) this.#gone.set(file.path, [file]);
    else gone.push(file);
  }
}

function again(file: TrackedFile, { path, from, before, after }: RecordedChange): void {
  if (after === null) {
    file.isThere = false;
    file.lastSeen = before;
  } else if (from !== null || before === null) {
    file.isThere = true;
    // Others may have moved what was made: it comes where it was.
    if (from !== null) file.path = path;
  }
}

function back(file: TrackedFile, { from, before, after }: RecordedChange): void {
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
