/**
 * Tracks what applies to each path while the timeline is read from newest to oldest: the changes made to it, followed
 * through renames, and the operations in effect on it.
 */

import type { Checkpoint, RecordedChange } from '../../model/checkpoint.ts';
import type { CheckpointId } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';

export interface Reversion {
  /** The operation that reverted the change. */
  readonly by: CheckpointId;
  /** `dropped`: the checkpoint was dropped, so the kind of the operation is unknown. */
  readonly kind: 'rollback' | 'undo' | 'redo' | 'restore' | 'freeze' | 'dropped';
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
  /** Whether the operation changed the file. */
  readonly isTouched: boolean;
  readonly newer: Inversion | null;
}

/** The operations in effect on one file, oldest first. Immutable, because files with a common history share them. */
export interface FileEffects {
  readonly named: NamedReversion | null;
  readonly inverted: Inversion | null;
  /** Number of the oldest checkpoint so far that moved the file. */
  readonly movedIn: number | null;
}

export interface PathEffects {
  /** One per current file whose history leads back to this path. */
  readonly live: readonly FileEffects[];
  /** The operation that replaced what was here with an older state. */
  readonly passed: PathReset | null;
}

export interface PathReset {
  readonly reversion: Reversion;
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

const NO_EFFECTS: FileEffects = { named: null, inverted: null, movedIn: null };

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
  resetTo(paths: Iterable<TreePath>, to: number, passed: (path: TreePath) => PathReset, isInEffect: IsInEffect): void {
    const waiting = new Map<TreePath, readonly FileEffects[]>();
    for (const path of paths) {
      const { live } = this.at(path);
      const on = live.filter((view) => isInEffect(view, path));
      if (on.length === 0) continue;
      waiting.set(path, on);
      this.#paths.set(path, { live: live.filter((view) => !on.includes(view)), passed: passed(path) });
    }
    if (waiting.size > 0) this.#deferred = [...this.#deferred, { at: to, paths: waiting, rest: [] }];
  }

  resetAllTo(to: number, passed: PathReset, isInEffect: IsInEffect): void {
    const { live } = this.#rest;
    const rest = live.filter((view) => isInEffect(view, null));
    const paths = new Map<TreePath, readonly FileEffects[]>();
    for (const [path, views] of this.#paths) {
      const on = views.live.filter((view) => isInEffect(view, path));
      paths.set(path, on);
      const now = on.length === 0 ? views.passed : passed;
      this.#paths.set(path, { live: views.live.filter((view) => !on.includes(view)), passed: now });
    }
    if (rest.length > 0) {
      this.#rest = { live: live.filter((view) => !rest.includes(view)), passed };
    }
    this.#deferred = [...this.#deferred, { at: to, paths, rest }];
  }

  /** Announces the number of the next checkpoint, and reactivates the views deferred until then. */
  resume(number: number): void {
    const due = this.#deferred.filter(({ at }) => at >= number);
    if (due.length === 0) return;
    this.#deferred = this.#deferred.filter(({ at }) => at < number);
    for (const { paths, rest } of due) {
      for (const path of new Set([...paths.keys(), ...(rest.length > 0 ? this.#paths.keys() : [])])) {
        this.#paths.set(path, joinEffects(this.at(path), paths.get(path) ?? rest));
      }
      this.#rest = joinEffects(this.#rest, rest);
    }
  }

  /**
   * Steps back over the renames of a checkpoint: before a rename, its file was at the old path. The views of the new
   * path stay, for what was there earlier. The current views of the old path stay only if the file was brought back
   * there (`isPutBack`). The file is then at both paths.
   */
  move({ number, changes }: Checkpoint, isPutBack: (view: FileEffects, change: RecordedChange) => boolean): void {
    const before = (changes ?? []).flatMap((change) => {
      if (change.from === null) return [];
      const { live, passed } = this.at(change.path);
      const stayed = this.at(change.from).live.filter((view) => isPutBack(view, change));
      return [
        { from: change.from, views: { live: [...live.map((view) => withMove(view, number)), ...stayed], passed } },
      ];
    });
    for (const { from, views } of before) this.#paths.set(from, views);
  }
}

export function withMove(view: FileEffects, number: number): FileEffects {
  return { ...view, movedIn: number };
}

function joinEffects({ live, passed }: PathEffects, more: readonly FileEffects[]): PathEffects {
  return { live: [...live, ...more.filter((view) => !live.includes(view))], passed };
}
