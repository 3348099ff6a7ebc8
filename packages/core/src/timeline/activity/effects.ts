/**
 * What of the past counts for each path, while the timeline is read from the newest checkpoint to the oldest: the changes
 * that were made to it, followed through renames, and the operations that are in effect on it.
 */

import type { Checkpoint, RecordedChange } from '../../model/checkpoint.ts';
import type { CheckpointId } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';

export interface Reversion {
  /** The operation that took it back. */
  readonly by: CheckpointId;
  /** `dropped`: the checkpoint is gone, so that nobody knows how. */
  readonly kind: 'rollback' | 'undo' | 'redo' | 'restore' | 'freeze' | 'dropped';
}

/** An operation that takes back what it names. */
export interface NamedReversion {
  readonly reversion: Reversion;
  readonly changes: ReadonlySet<string>;
  readonly hunks: ReadonlyMap<string, readonly number[]>;
  /** All changes of the checkpoint that was made after this one. */
  readonly callAfter: CheckpointId | null;
  readonly newer: NamedReversion | null;
}

/** An undo or a redo. */
export interface Inversion {
  readonly undoes: CheckpointId;
  readonly reversion: Reversion;
  /** It changed the file. */
  readonly isTouched: boolean;
  readonly newer: Inversion | null;
}

/** The operations in effect on one file, the oldest first. Never changed: files that part share what they had. */
export interface FileEffects {
  readonly named: NamedReversion | null;
  readonly inverted: Inversion | null;
  /** Number of the oldest checkpoint so far that moved the file. */
  readonly movedIn: number | null;
}

export interface PathEffects {
  /** One for each file of today that goes back to this path. */
  readonly live: readonly FileEffects[];
  /** What put something older in the place of what was here. */
  readonly passed: PathReset | null;
}

export interface PathReset {
  readonly reversion: Reversion;
  /** Where a restore did it: the path as it calls it. */
  readonly restored: { readonly by: Checkpoint; readonly path: TreePath } | null;
}

/** Views that count again from checkpoint `at` on. */
interface DeferredEffects {
  readonly at: number;
  readonly paths: ReadonlyMap<TreePath, readonly FileEffects[]>;
  /** Of all other paths. */
  readonly rest: readonly FileEffects[];
}

/** Whether the restore is in effect on the view of a path; null: of any path that nothing is known of. */
type IsInEffect = (view: FileEffects, path: TreePath | null) => boolean;

const NO_EFFECTS: FileEffects = { named: null, inverted: null, movedIn: null };

export class EffectsByPath {
  readonly #paths = new Map<TreePath, PathEffects>();
  /** Of the paths that no operation told apart. */
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

  /** What lies between here and checkpoint `to` does not count for these paths. */
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

  /** The checkpoint of that number is next. */
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
   * Before a rename its file lay at the old path. What lay at the new one before that is told by the same views, and what is
   * at the old one now only where it was put back there: the file then is at both.
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
