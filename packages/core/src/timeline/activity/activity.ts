/**
 * Computes which changes are in effect and in which files, and which operation reverted each of the others. History,
 * stats, rollback and exports all use this module. `operations.ts` has the stack for `undo` and `redo`.
 *
 * A change is in effect if its result is on disk, or if changes in effect were built on its result.
 *
 * 1. A change is in effect from the checkpoint that lists it. A later change of the same lines, a deletion or a rename
 *    builds on it and does not revert it. A change from outside that happens to restore the same bytes does not revert
 *    it either.
 * 2. A restore of a path to checkpoint N gives the path's changes the state that they had at N. Changes in effect at N
 *    are in effect again; later ones are reverted. This applies to the paths that the restore changed. If the whole
 *    workspace equals N afterwards, it applies to all paths.
 * 3. A rollback reverts the changes and hunks that it names. A restore that names changes kept the work of others and
 *    does the same. A change is reverted once all of its hunks are.
 * 4. An undo inverts its operation: both the operation's own changes and its effect on older changes. A redo inverts
 *    the undo.
 * 5. Reverting frozen paths reverts what the call before it changed in them.
 * 6. If an operation's own change of a path was reverted, the operation has no effect on that path. If a restore skips
 *    an operation (it is between the restore and its target), the operation has no effect on the restored path. If a
 *    file moved between an operation and its undo, and the undo left the file alone, the undo has no effect on it.
 * 7. Changes follow their file through renames. If a restore brings back the old path as well, both files have the
 *    change. It is in effect while it is in effect in one of them. A file that was deleted is another file than one
 *    that was created at its path later, unless that one has the content with which it was deleted. Operations on the
 *    newer file have no effect on it, nor have operations between its deletion and the operation that brings it back.
 *    What the operation that deleted it reverted stays reverted, also if the newer file has its content.
 * 8. A restore to a dropped checkpoint counts as a restore to the newest older one. If a path is again as an older
 *    checkpoint had it after a gap of dropped checkpoints, the gap counts as its restore. Otherwise it is unknown what
 *    the gap reverted, and those changes count as in effect. The same holds if the path no longer existed after the
 *    gap, because its file may have moved.
 * 9. If HEAD of a repository moved, and a path of it is again as an older checkpoint had it, git brought it back. The
 *    checkpoint counts as a restore of the path, unless a file tool reported to have written it. A path that changed on
 *    a branch since the last checkpoint on it counts as restored to that one, and then changed.
 *
 * Whether a change is in effect depends only on later checkpoints. The timeline is therefore read from newest to
 * oldest, and a page of changes needs no checkpoints older than the page.
 */

import { type Checkpoint, isDeletion, isReversion, type RecordedChange } from '../../model/checkpoint.ts';
import { sameEntry, sameSnapshot } from '../../model/entries.ts';
import { type CheckpointId, checkpointNumber, parseChangeId, parseHunkId } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';
import { unlessDamaged } from '../../store/objects/damage.ts';
import { isGap } from '../diff/gap.ts';
import {
  beforeDeletion,
  EffectsByPath,
  type FileEffects,
  type NamedReversion,
  NO_EFFECTS,
  type PathEffects,
  type PathReset,
  type Reversion,
  withMove,
} from './effects.ts';
import type { ActivitySource } from './source.ts';

export type { Reversion } from './effects.ts';

export interface Effect {
  /** The operation that reverted the change; null if it is in effect. */
  readonly reversion: Reversion | null;
  /** The reverted hunks by number, if the rest of the change is in effect. */
  readonly hunks: ReadonlyMap<number, Reversion>;
  /** The files in which the change is in effect; empty if it is reverted. The first one determines `hunks`. */
  readonly files: readonly AffectedFile[];
}

/** A file that contains the result of a change, or contained it when it was deleted. */
export interface AffectedFile {
  /** Equal for two changes of the same file. */
  readonly id: string;
  /** The current path, or the last one if the file is gone. */
  readonly path: TreePath;
  /** False if another file is at its path. */
  readonly isThere: boolean;
  /** The reverted hunks by number. */
  readonly hunks: ReadonlyMap<number, Reversion>;
}

/** Returns the effect of a change of the visited checkpoint. */
type EffectOf = (change: RecordedChange) => Effect;

const NO_HUNKS: ReadonlyMap<number, Reversion> = new Map();

export class Activity {
  readonly #effects = new EffectsByPath();
  /** The checkpoint visited last. Its own effect on older changes is not applied yet. */
  #current: Checkpoint | null = null;

  constructor(private readonly source: ActivitySource) {}

  /**
   * Moves on to the next checkpoint. Every readable checkpoint is visited once, newest first.
   * @returns the effect of each of its changes; only valid until the next visit
   */
  visit(checkpoint: Checkpoint): EffectOf {
    if (this.#current !== null) {
      this.#stepBack(this.#current);
      this.#stepOverGap(this.#current, checkpoint);
    }
    this.#current = checkpoint;
    this.#effects.resume(checkpoint.number);
    for (const change of checkpoint.changes ?? []) {
      const isBack = (view: FileEffects): boolean => isReverted(view, checkpoint, change);
      if (isDeletion(change)) this.#effects.addDeletedFile(change, checkpoint.number, isBack);
    }
    return (change) => this.#effectOf(change, checkpoint);
  }

  #effectOf(change: RecordedChange, checkpoint: Checkpoint): Effect {
    const effects = this.#effects.at(change.path);
    const { passed } = effects;
    const files = new Map<string, AffectedFile>();
    let reversion: Reversion | null = null;
    for (const view of this.#viewsOf(change, effects, checkpoint)) {
      const effect = this.#effectIn(view, change, checkpoint);
      const file = affectedFile(view, change, effect.hunks);
      if (effect.reversion !== null) reversion ??= effect.reversion;
      else if (!files.has(file.id)) files.set(file.id, file);
    }
    const [first] = files.values();
    if (first !== undefined) return { reversion: null, hunks: first.hunks, files: [...files.values()] };
    if (reversion === null && passed !== null && !this.#isKept(passed, checkpoint)) {
      reversion = passed.reversion;
    }
    if (reversion !== null) return { reversion, hunks: NO_HUNKS, files: [] };
    const kept = passed !== null && passed.live.length > 0 ? passed.live : [NO_EFFECTS];
    return { reversion: null, hunks: NO_HUNKS, files: kept.map((view) => affectedFile(view, change, NO_HUNKS)) };
  }

  /**
   * Returns whether a merging restore kept the changes of this `before` checkpoint. If so, the path differs
   * from the restore's target.
   */
  #isKept({ restored }: PathReset, { id, trigger }: Checkpoint): boolean {
    if (restored === null || trigger !== 'before' || id !== restored.by.previous) return false;
    const { by, path } = restored;
    const own = by.changes?.find((change) => change.path === path);
    if (own === undefined || by.target === null) return false;
    const { target } = by;
    const then = unlessDamaged(undefined, () => ({ entry: this.source.entryAt(target, path) }))?.entry;
    return then !== undefined && !sameEntry(then, own.after);
  }

  #effectIn(view: FileEffects, change: RecordedChange, checkpoint: Checkpoint): Omit<Effect, 'files'> {
    const back = fullReversion(view, change, checkpoint);
    if (back !== null) return { reversion: back, hunks: NO_HUNKS };
    const hunks = new Map<number, Reversion>();
    for (let named: NamedReversion | null = view.named; named !== null; named = named.newer) {
      for (const hunk of named.hunks.get(change.id) ?? []) if (!hunks.has(hunk)) hunks.set(hunk, named.reversion);
    }
    const [first] = hunks.values();
    if (first !== undefined && hunks.size === this.source.countHunks(change))
      return { reversion: first, hunks: NO_HUNKS };
    return { reversion: null, hunks };
  }

  /** Goes from the state after a checkpoint to the state before it. */
  #stepBack(checkpoint: Checkpoint): void {
    const { trigger, undoes, rolledBack, target } = checkpoint;
    if (undoes !== null) this.#invert(checkpoint, undoes);
    else if (rolledBack.length > 0) this.#revertNamed(checkpoint, namedReversionOf(checkpoint));
    else if (trigger === 'restore' && target !== null) this.#restore(checkpoint, target);
    else if (trigger === 'freeze' && target !== null)
      this.#revertNamed(checkpoint, { ...NO_NAMED_CHANGES, callAfter: target });
    else this.#checkOut(checkpoint);
    const isRestored = (view: FileEffects, change: RecordedChange): boolean => {
      const back = fullReversion(view, change, checkpoint);
      // For a rollback or a restore of named changes, `#followMoves` has already moved the file.
      return back !== null && back.kind !== 'rollback' && back.kind !== 'restore';
    };
    const isReturn = (path: TreePath): boolean => this.#isReturn(checkpoint, path);
    this.#effects.stepOver(checkpoint, isReturn, isRestored, (view, change) => isReverted(view, checkpoint, change));
  }

  #invert(checkpoint: Checkpoint, undoes: CheckpointId): void {
    const back: Reversion = { by: checkpoint.id, kind: checkpoint.trigger === 'redo' ? 'redo' : 'undo' };
    const own = ownChanges(checkpoint);
    for (const path of own.keys()) this.#effects.set(path, this.#effects.at(path));
    this.#effects.replaceAll((view, path) => {
      const isInactive = hasNoEffect(view, checkpoint, path === null ? undefined : own.get(path));
      const isOwn = path !== null && own.has(path) && !view.isDeleted;
      const isTouched = checkpoint.changes === null || isOwn;
      const inverted = { undoes, reversion: back, isTouched, isDeleted: view.isDeleted, newer: view.inverted };
      return isInactive ? view : { ...view, inverted };
    });
  }

  #revertNamed(checkpoint: Checkpoint, names: Pick<NamedReversion, 'changes' | 'hunks' | 'callAfter'>): void {
    const how = checkpoint.trigger === 'freeze' || checkpoint.trigger === 'restore' ? checkpoint.trigger : 'rollback';
    const back: Reversion = { by: checkpoint.id, kind: how };
    const own = ownChanges(checkpoint);
    for (const path of this.#touchedPaths(checkpoint)) {
      const { live, passed } = this.#effects.at(path);
      const after = live.map((view) =>
        view.isDeleted || isReverted(view, checkpoint, own.get(path))
          ? view
          : { ...view, named: { ...names, reversion: back, newer: view.named } },
      );
      this.#effects.set(path, { live: after, passed });
    }
    this.#followMoves(checkpoint, { ...names, reversion: back, newer: null });
  }

  /**
   * A rollback can bring a file back to a path that another file must leave first. Its own changes then list both paths
   * as written, without a rename. The renames and deletions that it reverts show which file is where.
   */
  #followMoves(checkpoint: Checkpoint, named: NamedReversion): void {
    const own = ownChanges(checkpoint);
    const isInEffect = (view: FileEffects, path: TreePath): boolean =>
      !view.isDeleted && !isReverted(view, checkpoint, own.get(path));
    // To revert the remaining hunks of a rename also reverts the rename.
    const ids = new Set(checkpoint.rolledBack.map((id) => parseHunkId(id)?.change ?? id));
    const paths = revertedPaths([...ids].flatMap((id) => this.source.changeOf(id) ?? []));
    const moves = paths
      .filter(({ start, end, deletedIn }) => {
        const isMoved = deletedIn === null && start !== end && own.has(start) && own.has(end);
        return isMoved && !isRename(own.get(start)) && !isRename(own.get(end));
      })
      .map(({ start, end }) => {
        const there = this.#effects.at(start);
        return { start, end, passed: there.passed, views: there.live.filter((view) => isInEffect(view, start)) };
      });
    for (const { start, end, deletedIn } of paths) {
      const change = own.get(start);
      if (deletedIn === null || change === undefined || change.after === null || isRename(change)) continue;
      const other = { ...NO_EFFECTS, path: start, replacedIn: checkpoint.number };
      // If another file was here, the rollback removed it.
      const before = change.before === null ? other : { ...other, named };
      this.#effects.bringBack(start, { end, deletedIn }, before, isInEffect);
    }
    // Before the rollback, the moved file was at `end`. The file that is there now came from elsewhere.
    for (const { start, end, passed, views } of moves) {
      const there = this.#effects.at(end);
      const moved = views.map((view) => withMove(view, checkpoint.number, start));
      const stayed = there.live.filter((view) => !isInEffect(view, end));
      const reset = { reversion: named.reversion, restored: null, live: [] };
      this.#effects.set(end, { live: [...moved, ...stayed], passed: passed ?? there.passed ?? reset });
    }
  }

  #restore(checkpoint: Checkpoint, target: CheckpointId): void {
    const own = ownChanges(checkpoint);
    const isInEffect = (view: FileEffects, path: TreePath | null): boolean =>
      !hasNoEffect(view, checkpoint, path === null ? undefined : own.get(path));
    const then = this.source.snapshotOf(target);
    const back: Reversion = { by: checkpoint.id, kind: 'restore' };
    const to = checkpointNumber(target);
    if (then !== undefined && sameSnapshot(then, checkpoint.snapshot)) {
      this.#effects.resetAllTo(to, { reversion: back, restored: null }, isInEffect);
    } else {
      const passed = (path: TreePath): Omit<PathReset, 'live'> => ({
        reversion: back,
        restored: { by: checkpoint, path },
      });
      this.#effects.resetTo(this.#touchedPaths(checkpoint), to, passed, isInEffect);
    }
  }

  /** If checkpoints between the two were dropped and a path is again as before, they count as a restore of it. */
  #stepOverGap(newer: Checkpoint, older: Checkpoint): void {
    if (newer.previous === null || !isGap(older, newer)) return;
    const back: Reversion = { by: newer.previous, kind: 'dropped' };
    this.#resetEach(this.source.revertedPaths(newer, older), back, () => true);
  }

  /** What git brought back counts as restored. */
  #checkOut(checkpoint: Checkpoint): void {
    const paths = this.source.checkedOut(checkpoint);
    if (paths.size === 0) return;
    const own = ownChanges(checkpoint);
    const back: Reversion = { by: checkpoint.id, kind: 'checkout' };
    const targets = new Map([...paths].map(([path, { number }]) => [path, number]));
    this.#resetEach(targets, back, (view, path) => !hasNoEffect(view, checkpoint, own.get(path)));
  }

  /** @param targets the number of the checkpoint to whose state each path went back */
  #resetEach(
    targets: ReadonlyMap<TreePath, number>,
    reversion: Reversion,
    isInEffect: (view: FileEffects, path: TreePath) => boolean,
  ): void {
    const pathsOf = new Map<number, TreePath[]>();
    for (const [path, to] of targets) {
      const paths = pathsOf.get(to);
      if (paths === undefined) pathsOf.set(to, [path]);
      else paths.push(path);
    }
    for (const [to, paths] of pathsOf) {
      this.#effects.resetTo(paths, to, () => ({ reversion, restored: null }), isInEffect);
    }
  }

  /** Returns whether the checkpoint only brought an earlier state of the path back. */
  #isReturn(checkpoint: Checkpoint, path: TreePath): boolean {
    return isReversion(checkpoint.trigger) || this.source.checkedOut(checkpoint).has(path);
  }

  /** Returns the views of the files that a change may concern. */
  #viewsOf(change: RecordedChange, effects: PathEffects, checkpoint: Checkpoint): readonly FileEffects[] {
    const { live, passed } = effects;
    const present = live.filter(({ isDeleted }) => !isDeleted);
    if (!isDeletion(change)) return present.length > 0 || passed !== null ? present : live;
    const deletion = { id: checkpoint.id, isReturn: this.#isReturn(checkpoint, change.path) };
    const isBack = (view: FileEffects): boolean => isReverted(view, checkpoint, change);
    return beforeDeletion(live, change, deletion, isBack).filter(({ isDeleted }) => !isDeleted);
  }

  #touchedPaths(checkpoint: Checkpoint): Iterable<TreePath> {
    if (checkpoint.changes === null) return this.source.touchedBy(checkpoint);
    return new Set(checkpoint.changes.flatMap(({ path, from }) => (from === null ? [path] : [path, from])));
  }
}

const NO_NAMED_CHANGES: Pick<NamedReversion, 'changes' | 'hunks' | 'callAfter'> = {
  changes: new Set(),
  hunks: new Map(),
  callAfter: null,
};

function namedReversionOf({ rolledBack }: Checkpoint): Pick<NamedReversion, 'changes' | 'hunks' | 'callAfter'> {
  const changes = new Set<string>();
  const hunks = new Map<string, number[]>();
  for (const id of rolledBack) {
    const hunk = parseHunkId(id);
    if (hunk === null) changes.add(id);
    else hunks.set(hunk.change, [...(hunks.get(hunk.change) ?? []), hunk.hunk]);
  }
  return { changes, hunks, callAfter: null };
}

function affectedFile(view: FileEffects, change: RecordedChange, hunks: AffectedFile['hunks']): AffectedFile {
  const { path, replacedIn } = view;
  const current = path ?? change.path;
  return { id: `${replacedIn ?? ''}:${current}`, path: current, isThere: replacedIn === null, hunks };
}

/** Returns the checkpoint's changes by path. A rename is listed under both of its paths. */
function ownChanges({ changes }: Checkpoint): ReadonlyMap<TreePath, RecordedChange> {
  const own = new Map<TreePath, RecordedChange>();
  for (const change of changes ?? []) if (change.from !== null) own.set(change.from, change);
  for (const change of changes ?? []) own.set(change.path, change);
  return own;
}

/** The path of a file before reverted changes and after them. */
interface RevertedPath {
  readonly start: TreePath;
  end: TreePath;
  /** The number of the checkpoint that deleted the file; null if it still exists. */
  deletedIn: number | null;
}

/**
 * Returns the files that the changes concern, without those that they created.
 * @param changes oldest first
 */
function revertedPaths(changes: readonly RecordedChange[]): readonly RevertedPath[] {
  const older: RevertedPath[] = [];
  /** By the path after the changes so far. */
  const files = new Map<TreePath, RevertedPath>();
  for (const change of changes) {
    const { id, path, from, before } = change;
    const start = from ?? path;
    const known = before === null ? undefined : files.get(start);
    const file = known ?? { start, end: path, deletedIn: null };
    if (known === undefined && before !== null) older.push(file);
    file.end = path;
    files.delete(start);
    if (isDeletion(change)) file.deletedIn = parseChangeId(id)?.checkpoint ?? 0;
    else files.set(path, file);
  }
  return older;
}

function isRename(change: RecordedChange | undefined): boolean {
  return change !== undefined && change.from !== null;
}

/** Returns whether an operation has no effect on a file. @param change the operation's own change of the path */
function hasNoEffect(view: FileEffects, checkpoint: Checkpoint, change: RecordedChange | undefined): boolean {
  // While a file is deleted, the changes of its path are about other files, except for the deletion itself.
  return isReverted(view, checkpoint, change) || (view.isDeleted && isReverted(view, checkpoint, undefined));
}

function isReverted(view: FileEffects, checkpoint: Checkpoint, change: RecordedChange | undefined): boolean {
  return fullReversion(view, change ?? null, checkpoint) !== null;
}

function fullReversion(
  view: FileEffects,
  change: RecordedChange | null,
  { id, previous }: Checkpoint,
): Reversion | null {
  if (change !== null) {
    for (let named: NamedReversion | null = view.named; named !== null; named = named.newer) {
      if (named.changes.has(change.id)) return named.reversion;
      if (named.callAfter !== null && named.callAfter === previous) return named.reversion;
    }
  }
  for (let { inverted } = view; inverted !== null; inverted = inverted.newer) {
    if (inverted.undoes !== id) continue;
    const { isTouched, isDeleted, reversion: back } = inverted;
    // If a file moved between the operation and its undo, and the undo left it alone, the
    // operation still applies to it.
    const isAtPlace = view.movedIn === null || view.movedIn > checkpointNumber(back.by);
    const isLeftAlone = isDeleted && change !== null;
    if (isTouched || (isAtPlace && !isLeftAlone)) return back;
  }
  return null;
}
