/**
 * Tracks what applies to each path while the timeline is read from newest to oldest: which current files its content
 * has become, followed through renames, and the operations in effect on them.
 */

import { type Checkpoint, isDeletion, type RecordedChange } from '../../model/checkpoint.ts';
import type { Entry } from '../../model/entries.ts';
import type { CheckpointId } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';

export interface Reversion {
  /** The operation that reverted the change. */
  readonly by: CheckpointId;
  /**
   * - `checkout`: git checked out another branch or commit, and the checkpoint was taken after that
   * - `dropped`: the checkpoint was dropped, so the kind of the operation is unknown
   */
  readonly kind: 'rollback' | 'undo' | 'redo' | 'restore' | 'freeze' | 'checkout' | 'dropped';
}

/** An operation that reverts the changes that it names. */
export interface NamedReversion {
  readonly reversion: Reversion;
  readonly changes: ReadonlySet<string>;
  readonly hunks: ReadonlyMap<string, readonly number[]>;
  /** Also reverts all changes of the checkpoint that follows this one. */
  readonly callAfter: CheckpointId | null;
  readonly newer: NamedReversion | null;
}

/** An undo or a redo. */
export interface Inversion {
  readonly undoes: CheckpointId;
  readonly reversion: Reversion;
  /** Whether it changed the file. */
  readonly isTouched: boolean;
  /** The file was deleted at the time. If the inverted operation changed it before, the file kept that change. */
  readonly isDeleted: boolean;
  readonly newer: Inversion | null;
}

/** One file and the operations in effect on it, oldest first. Immutable, because files with a common history share them. */
export interface FileEffects {
  readonly named: NamedReversion | null;
  readonly inverted: Inversion | null;
  /** Number of the oldest checkpoint so far that moved the file. */
  readonly movedIn: number | null;
  /** An operation brought the file back later. Here it is deleted. */
  readonly isDeleted: boolean;
  /** The current path; null if it is the path of which the effects are asked. */
  readonly path: TreePath | null;
  /** Null: the file exists, or nothing is at its path. Otherwise it is gone, and this checkpoint put another in its place. */
  readonly replacedIn: number | null;
  /** The next file created here. If it, or one after it, has the content with which this one was deleted, it is the same. */
  readonly later: LaterFile | null;
}

interface LaterFile {
  readonly content: Entry;
  readonly view: FileEffects;
}

export interface PathEffects {
  /** One per current file whose history leads back to this path. */
  readonly live: readonly FileEffects[];
  /** The operation that replaced what was here with an older state. */
  readonly passed: PathReset | null;
}

export interface PathReset {
  readonly reversion: Reversion;
  /** The files that have been here since. */
  readonly live: readonly FileEffects[];
  /** Set if a restore did it, with the path as the restore names it. */
  readonly restored: { readonly by: Checkpoint; readonly path: TreePath } | null;
}

/** Views that apply again from checkpoint `at` on. */
interface DeferredEffects {
  readonly at: number;
  readonly paths: ReadonlyMap<TreePath, readonly FileEffects[]>;
  /** For all other paths. */
  readonly rest: readonly FileEffects[];
}

/** Returns whether the restore is in effect on the view of a path. A null path means any path without its own entry. */
type IsInEffect = (view: FileEffects, path: TreePath | null) => boolean;

export const NO_EFFECTS: FileEffects = {
  named: null,
  inverted: null,
  movedIn: null,
  isDeleted: false,
  path: null,
  replacedIn: null,
  later: null,
};

export class EffectsByPath {
  readonly #paths = new Map<TreePath, PathEffects>();
  /** For all paths that have no entry in `#paths`. */
  #rest: PathEffects = { live: [NO_EFFECTS], passed: null };
  #deferred: readonly DeferredEffects[] = [];

  at(path: TreePath): PathEffects {
    return this.#paths.get(path) ?? this.#rest;
  }

  set(path: TreePath, views: PathEffects): void {
    this.#paths.set(path, views);
  }

  replaceAll(replace: (view: FileEffects, path: TreePath | null) => FileEffects): void {
    for (const [path, { live, passed }] of this.#paths) {
      this.#paths.set(path, { live: live.map((view) => replace(view, path)), passed });
    }
    this.#rest = { live: this.#rest.live.map((view) => replace(view, null)), passed: this.#rest.passed };
  }

  /** Makes these paths ignore everything between here and checkpoint `to`. */
  resetTo(
    paths: Iterable<TreePath>,
    to: number,
    passed: (path: TreePath) => Omit<PathReset, 'live'>,
    isInEffect: (view: FileEffects, path: TreePath) => boolean,
  ): void {
    const waiting = new Map<TreePath, readonly FileEffects[]>();
    for (const path of paths) {
      const { live } = this.at(path);
      const on = live.filter((view) => isInEffect(view, path));
      if (on.length === 0) continue;
      waiting.set(path, on);
      this.#paths.set(path, {
        live: live.filter((view) => !on.includes(view)),
        passed: { ...passed(path), live: on },
      });
    }
    if (waiting.size > 0) this.#deferred = [...this.#deferred, { at: to, paths: waiting, rest: [] }];
  }

  /** Adds the file that a checkpoint deleted, if only views of other deleted files are known at its path. */
  addDeletedFile({ path }: RecordedChange, number: number, isBack: (view: FileEffects) => boolean): void {
    const { live, passed } = this.at(path);
    if (passed !== null || live.some((view) => !view.isDeleted || isBack(view))) return;
    this.#paths.set(path, { live: [...live, { ...NO_EFFECTS, path, replacedIn: number }], passed });
  }

  /**
   * The file at `path` was deleted at `end` in checkpoint `deletedIn`, and an operation has brought it back.
   * @param before the file that was at `path` before the operation, or an older one that was deleted
   */
  bringBack(
    path: TreePath,
    { end, deletedIn }: { readonly end: TreePath; readonly deletedIn: number },
    before: FileEffects,
    isInEffect: (view: FileEffects, path: TreePath) => boolean,
  ): void {
    const { live, passed } = this.at(path);
    const back = live.filter((view) => isInEffect(view, path));
    if (back.length === 0) return;
    this.#paths.set(path, { live: [...live.filter((view) => !back.includes(view)), before], passed });
    const deleted = back.map((view) => ({ ...view, path: view.path ?? path, isDeleted: true }));
    this.#deferred = [...this.#deferred, { at: deletedIn, paths: new Map([[end, deleted]]), rest: [] }];
  }

  resetAllTo(to: number, passed: Omit<PathReset, 'live'>, isInEffect: IsInEffect): void {
    const { live } = this.#rest;
    const rest = live.filter((view) => isInEffect(view, null));
    const paths = new Map<TreePath, readonly FileEffects[]>();
    for (const [path, views] of this.#paths) {
      const on = views.live.filter((view) => isInEffect(view, path));
      paths.set(path, on);
      const now = on.length === 0 ? views.passed : { ...passed, live: on };
      this.#paths.set(path, { live: views.live.filter((view) => !on.includes(view)), passed: now });
    }
    if (rest.length > 0) {
      this.#rest = { live: live.filter((view) => !rest.includes(view)), passed: { ...passed, live: rest } };
    }
    this.#deferred = [...this.#deferred, { at: to, paths, rest }];
  }

  /** Announces the number of the next checkpoint, and reactivates the views deferred until then. */
  resume(number: number): void {
    const due = this.#deferred.filter(({ at }) => at >= number);
    this.#deferred = this.#deferred.filter(({ at }) => at < number);
    for (const { paths, rest } of due) {
      for (const path of new Set([...paths.keys(), ...(rest.length > 0 ? this.#paths.keys() : [])])) {
        this.#paths.set(path, joinEffects(this.at(path), paths.get(path) ?? rest));
      }
      this.#rest = joinEffects(this.#rest, rest);
    }
  }

  /**
   * Steps back over the changes of a checkpoint. Before a rename, its file was at the old path. The current views of the
   * old path stay only if the file was brought back there (`isPutBack`). The file is then at both paths. Before a file
   * was created, or moved here, an older file may have been at the path.
   * @param isReturn whether the checkpoint only brought an earlier state of the path back
   * @param isReverted whether an operation reverted the change in the file
   */
  stepOver(
    checkpoint: Checkpoint,
    isReturn: (path: TreePath) => boolean,
    isPutBack: (view: FileEffects, change: RecordedChange) => boolean,
    isReverted: (view: FileEffects, change: RecordedChange) => boolean,
  ): void {
    const { id, number, changes } = checkpoint;
    const before = new Map<TreePath, PathEffects>();
    for (const change of changes ?? []) {
      const { path, from, after } = change;
      const { live, passed } = this.at(path);
      if (isDeletion(change)) {
        before.set(path, { live: beforeDeletion(live, change, { id, isReturn: isReturn(path) }, isReverted), passed });
      } else if (after !== null && (from !== null || isCreation(change)) && !before.has(path)) {
        const isBroughtBack = from === null && isReturn(path);
        const older = live.map((view) => {
          const isOlder = view.isDeleted || view.replacedIn === number;
          if (isOlder || (isBroughtBack && isReverted(view, change))) return view;
          return isBroughtBack ? { ...view, isDeleted: true } : replaced(view, path, number, after);
        });
        before.set(path, { live: older, passed });
      }
    }
    for (const change of changes ?? []) {
      const { path, from } = change;
      if (from === null) continue;
      const { live, passed } = this.at(path);
      const moved = live.filter((view) => !view.isDeleted).map((view) => withMove(view, number, path));
      const stayed = this.at(from).live.flatMap((view) => {
        if (moved.some((one) => isSameFile(one, view, from))) return [];
        if (view.replacedIn === null && isPutBack(view, change)) return { ...view, isDeleted: false };
        return view.isDeleted ? view : [];
      });
      before.set(from, { live: [...moved, ...stayed], passed });
    }
    for (const [path, views] of before) this.#paths.set(path, views);
  }
}

/** @param to the path of the file after it moved */
export function withMove(view: FileEffects, number: number, to: TreePath): FileEffects {
  return { ...view, movedIn: number, path: view.path ?? to };
}

/**
 * Returns the views of a path before a file was deleted there. Operations after the deletion apply to the file only if
 * they revert it.
 */
export function beforeDeletion(
  live: readonly FileEffects[],
  change: RecordedChange,
  { id, isReturn }: Pick<Checkpoint, 'id'> & { readonly isReturn: boolean },
  isReverted: (view: FileEffects, change: RecordedChange) => boolean,
): readonly FileEffects[] {
  const deleted = live.filter(({ isDeleted }) => isDeleted);
  const isBack = (view: FileEffects): boolean => isReverted(view, change);
  if (deleted.some(isBack)) return deleted.map((view) => (isBack(view) ? { ...view, isDeleted: false } : view));
  const before = live
    .filter(({ isDeleted }) => !isDeleted)
    .map((view) => {
      if (isBack(view)) return view;
      const same = laterFileWith(view, change.before);
      if (same !== null) return withEffectsOf(id, view, same);
      const { path, replacedIn, later } = view;
      return isReturn ? view : { ...NO_EFFECTS, path, replacedIn, later };
    });
  return [...before, ...deleted];
}

function isCreation({ before, uncapturedBefore }: RecordedChange): boolean {
  return before === null && uncapturedBefore === undefined;
}

function laterFileWith(view: FileEffects, content: Entry | null): FileEffects | null {
  for (let { later } = view; later !== null; later = later.view.later) {
    if (sameContent(content, later.content)) return later.view;
  }
  return null;
}

/** The operation that deleted a file is in effect on it, also if a later file has its content. */
function withEffectsOf(deletedBy: CheckpointId, { named, inverted }: FileEffects, same: FileEffects): FileEffects {
  return {
    ...same,
    named: named?.reversion.by === deletedBy ? { ...named, newer: same.named } : same.named,
    inverted: inverted?.reversion.by === deletedBy ? { ...inverted, newer: same.inverted } : same.inverted,
  };
}

function isSameFile(moved: FileEffects, stayed: FileEffects, path: TreePath): boolean {
  return moved.path === (stayed.path ?? path) && moved.replacedIn === stayed.replacedIn;
}

/** Returns a file that was at the path before another one came. Later operations do not apply to it. */
function replaced(view: FileEffects, path: TreePath, number: number, content: Entry): FileEffects {
  const later = { content, view: { ...view, path: view.path ?? path } };
  return { ...NO_EFFECTS, path, replacedIn: number, later };
}

function joinEffects({ live, passed }: PathEffects, more: readonly FileEffects[]): PathEffects {
  return { live: [...live, ...more.filter((view) => !live.includes(view))], passed };
}

function sameContent(a: Entry | null, b: Entry): boolean {
  return a !== null && a.kind !== 'folder' && b.kind === a.kind && a.id === b.id;
}
