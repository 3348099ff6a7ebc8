/**
 * What of the past counts for each path, while the timeline is read from the newest checkpoint to the oldest: the changes
 * that were made to it, followed through renames, and the operations that are in effect on it.
 */

import type { Checkpoint, RecordedChange } from '../../model/checkpoint.ts';
import type { CheckpointId } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';

export interface Back {
  /** The operation that took it back. */
  readonly by: CheckpointId;
  /** `dropped`: the checkpoint is gone, so that nobody knows how. */
  readonly how: 'rollback' | 'undo' | 'redo' | 'restore' | 'freeze' | 'dropped';
}

/** An operation that takes back what it names. */
export interface Named {
  readonly back: Back;
  readonly changes: ReadonlySet<string>;
  readonly hunks: ReadonlyMap<string, readonly number[]>;
  /** All changes of the checkpoint that was made after this one. */
  readonly callAfter: CheckpointId | null;
  readonly newer: Named | null;
}

/** An undo or a redo. */
export interface Inverted {
  readonly undoes: CheckpointId;
  readonly back: Back;
  /** It changed the file. */
  readonly isTouched: boolean;
  readonly newer: Inverted | null;
}

/** The operations in effect on one file, the oldest first. Never changed: files that part share what they had. */
export interface View {
  readonly named: Named | null;
  readonly inverted: Inverted | null;
  /** Number of the oldest checkpoint so far that moved the file. */
  readonly movedIn: number | null;
}

export interface PathViews {
  /** One for each file of today that goes back to this path. */
  readonly live: readonly View[];
  /** What put something older in the place of what was here. */
  readonly passed: Passed | null;
}

export interface Passed {
  readonly back: Back;
  /** Where a restore did it: the path as it calls it. */
  readonly restored: { readonly by: Checkpoint; readonly path: TreePath } | null;
}

/** Views that count again from checkpoint `at` on. */
interface Waiting {
  readonly at: number;
  readonly paths: ReadonlyMap<TreePath, readonly View[]>;
  /** Of all other paths. */
  readonly rest: readonly View[];
}

/** Whether the restore is in effect on the view of a path; null: of any path that nothing is known of. */
type IsOn = (view: View, path: TreePath | null) => boolean;

const NOTHING_SINCE: View = { named: null, inverted: null, movedIn: null };

export class Views {
  readonly #paths = new Map<TreePath, PathViews>();
  /** Of the paths that no operation told apart. */
  #rest: PathViews = { live: [NOTHING_SINCE], passed: null };
  #waiting: readonly Waiting[] = [];

  at(path: TreePath): PathViews {
    return this.#paths.get(path) ?? this.#rest;
  }

  set(path: TreePath, views: PathViews): void {
    this.#paths.set(path, views);
  }

  replaceAll(replace: (view: View, path: TreePath | null) => View): void {
    for (const [path, { live, passed }] of this.#paths) {
      this.#paths.set(path, { live: live.map((view) => replace(view, path)), passed });
    }
    this.#rest = { live: this.#rest.live.map((view) => replace(view, null)), passed: this.#rest.passed };
  }

  /** What lies between here and checkpoint `to` does not count for these paths. */
  passOver(paths: Iterable<TreePath>, to: number, passed: (path: TreePath) => Passed, isOn: IsOn): void {
    const waiting = new Map<TreePath, readonly View[]>();
    for (const path of paths) {
      const { live } = this.at(path);
      const on = live.filter((view) => isOn(view, path));
      if (on.length === 0) continue;
      waiting.set(path, on);
      this.#paths.set(path, { live: live.filter((view) => !on.includes(view)), passed: passed(path) });
    }
    if (waiting.size > 0) this.#waiting = [...this.#waiting, { at: to, paths: waiting, rest: [] }];
  }

  passOverAll(to: number, passed: Passed, isOn: IsOn): void {
    const { live } = this.#rest;
    const rest = live.filter((view) => isOn(view, null));
    const paths = new Map<TreePath, readonly View[]>();
    for (const [path, views] of this.#paths) {
      const on = views.live.filter((view) => isOn(view, path));
      paths.set(path, on);
      const now = on.length === 0 ? views.passed : passed;
      this.#paths.set(path, { live: views.live.filter((view) => !on.includes(view)), passed: now });
    }
    if (rest.length > 0) {
      this.#rest = { live: live.filter((view) => !rest.includes(view)), passed };
    }
    this.#waiting = [...this.#waiting, { at: to, paths, rest }];
  }

  /** The checkpoint of that number is next. */
  resume(number: number): void {
    const due = this.#waiting.filter(({ at }) => at >= number);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter(({ at }) => at < number);
    for (const { paths, rest } of due) {
      for (const path of new Set([...paths.keys(), ...(rest.length > 0 ? this.#paths.keys() : [])])) {
        this.#paths.set(path, joined(this.at(path), paths.get(path) ?? rest));
      }
      this.#rest = joined(this.#rest, rest);
    }
  }

  /**
   * Before a rename its file lay at the old path. What lay at the new one before that is told by the same views, and what is
   * at the old one now only where it was put back there: the file then is at both.
   */
  move({ number, changes }: Checkpoint, isPutBack: (view: View, change: RecordedChange) => boolean): void {
    const before = (changes ?? []).flatMap((change) => {
      if (change.from === null) return [];
      const { live, passed } = this.at(change.path);
      const stayed = this.at(change.from).live.filter((view) => isPutBack(view, change));
      return [{ from: change.from, views: { live: [...live.map((view) => moved(view, number)), ...stayed], passed } }];
    });
    for (const { from, views } of before) this.#paths.set(from, views);
  }
}

export function moved(view: View, number: number): View {
  return { ...view, movedIn: number };
}

function joined({ live, passed }: PathViews, more: readonly View[]): PathViews {
  return { live: [...live, ...more.filter((view) => !live.includes(view))], passed };
}
