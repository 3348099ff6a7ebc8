/**
 * Computes which changes are in effect, and which operation reverted each of the others. History, stats, rollback and
 * exports all use this module. `operations.ts` has the stack for `undo` and `redo`.
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
 *    change. It is in effect while it is in effect in one of them.
 * 8. A restore to a dropped checkpoint counts as a restore to the newest older one. If a path is again as an older
 *    checkpoint had it after a gap of dropped checkpoints, the gap counts as its restore. Otherwise it is unknown what
 *    the gap reverted, and those changes count as in effect. The same holds if the path no longer existed after the
 *    gap, because its file may have moved.
 *
 * Whether a change is in effect depends only on later checkpoints. The timeline is therefore read from newest to
 * oldest, and a page of changes needs no checkpoints older than the page.
 */

import type { Checkpoint, RecordedChange } from '../../model/checkpoint.ts';
import { isOperation } from '../../model/checkpoint.ts';
import { sameEntry } from '../../model/entries.ts';
import { type CheckpointId, checkpointNumber, parseChangeId, parseHunkId } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';
import {
  EffectsByPath,
  type FileEffects,
  type NamedReversion,
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
}

const NO_HUNKS: ReadonlyMap<number, Reversion> = new Map();

export class Activity {
  readonly #effects = new EffectsByPath();
  /** The checkpoint whose changes `effectOf` accepts. Its own effect on older changes is not applied yet. */
  #current: Checkpoint | null = null;

  constructor(private readonly source: ActivitySource) {}

  /** Moves on to the next checkpoint. Every readable checkpoint is visited once, newest first. */
  visit(checkpoint: Checkpoint): void {
    if (this.#current !== null) {
      this.#stepBack(this.#current);
      this.#stepOverGap(this.#current, checkpoint);
    }
    this.#current = checkpoint;
    this.#effects.resume(checkpoint.number);
  }

  /** @param change a change of the checkpoint visited last */
  effectOf(change: RecordedChange): Effect {
    const checkpoint = this.#current;
    if (checkpoint === null) return { reversion: null, hunks: NO_HUNKS };
    const { live, passed } = this.#effects.at(change.path);
    let taken: Effect | null = null;
    for (const view of live) {
      const effect = this.#effectIn(view, change, checkpoint);
      if (effect.reversion === null) return effect;
      taken ??= effect;
    }
    if (taken !== null) return taken;
    return {
      reversion: passed === null || this.#isKept(passed, checkpoint) ? null : passed.reversion,
      hunks: NO_HUNKS,
    };
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
    const then = this.source.entryAt(by.target, path);
    return then !== undefined && !sameEntry(then, own.after);
  }

  #effectIn(view: FileEffects, change: RecordedChange, checkpoint: Checkpoint): Effect {
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
    const isRestored = (view: FileEffects, change: RecordedChange): boolean => {
      const back = fullReversion(view, change, checkpoint);
      // For a rollback or a restore of named changes, `#followMoves` has already moved the file.
      return back !== null && back.kind !== 'rollback' && back.kind !== 'restore';
    };
    this.#effects.move(checkpoint, isRestored);
  }

  #invert(checkpoint: Checkpoint, undoes: CheckpointId): void {
    const back: Reversion = { by: checkpoint.id, kind: checkpoint.trigger === 'redo' ? 'redo' : 'undo' };
    const own = ownChanges(checkpoint);
    for (const path of own.keys()) this.#effects.set(path, this.#effects.at(path));
    this.#effects.replaceAll((view, path) => {
      const isInactive = isReverted(view, checkpoint, path === null ? undefined : own.get(path));
      const isTouched = checkpoint.changes === null || (path !== null && own.has(path));
      return isInactive ? view : { ...view, inverted: { undoes, reversion: back, isTouched, newer: view.inverted } };
    });
  }

  #revertNamed(checkpoint: Checkpoint, names: Pick<NamedReversion, 'changes' | 'hunks' | 'callAfter'>): void {
    const how = checkpoint.trigger === 'freeze' || checkpoint.trigger === 'restore' ? checkpoint.trigger : 'rollback';
    const back: Reversion = { by: checkpoint.id, kind: how };
    const own = ownChanges(checkpoint);
    for (const path of this.#touchedPaths(checkpoint)) {
      const { live, passed } = this.#effects.at(path);
      const after = live.map((view) =>
        isReverted(view, checkpoint, own.get(path))
          ? view
          : { ...view, named: { ...names, reversion: back, newer: view.named } },
      );
      this.#effects.set(path, { live: after, passed });
    }
    this.#followMoves(checkpoint, back);
  }

  /**
   * A rollback can bring a file back to a path that another file must leave first. Its own changes then list both paths
   * as written, without a rename. The renames and deletions that it reverts show what moved.
   */
  #followMoves(checkpoint: Checkpoint, back: Reversion): void {
    const own = ownChanges(checkpoint);
    const isInEffect = (view: FileEffects, path: TreePath | null): boolean =>
      path !== null && !isReverted(view, checkpoint, own.get(path));
    const named = checkpoint.rolledBack.flatMap((id) => this.source.changeOf(id) ?? []);
    const returned = named.filter(({ path, after }) => after === null && (own.get(path)?.before ?? null) !== null);
    const moves = netMoves(named)
      .filter(
        ({ from, path }) => own.has(from) && own.has(path) && !isRename(own.get(path)) && !isRename(own.get(from)),
      )
      .map(({ from, path }) => {
        const there = this.#effects.at(from);
        return { path, from: there, views: there.live.filter((view) => isInEffect(view, from)) };
      });
    for (const { id, path } of returned) {
      this.#effects.resetTo(
        [path],
        parseChangeId(id)?.checkpoint ?? 0,
        () => ({ reversion: back, restored: null }),
        isInEffect,
      );
    }
    // Before the rollback, the moved file was at `path`. The file that is there now came from elsewhere.
    for (const { path, from, views } of moves) {
      const { live, passed } = this.#effects.at(path);
      const after = [
        ...views.map((view) => withMove(view, checkpoint.number)),
        ...live.filter((view) => !isInEffect(view, path)),
      ];
      this.#effects.set(path, { live: after, passed: from.passed ?? passed });
    }
  }

  #restore(checkpoint: Checkpoint, target: CheckpointId): void {
    const own = ownChanges(checkpoint);
    const isInEffect = (view: FileEffects, path: TreePath | null): boolean =>
      !isReverted(view, checkpoint, path === null ? undefined : own.get(path));
    const then = this.source.snapshotOf(target);
    const { files, side } = checkpoint.snapshot;
    const back: Reversion = { by: checkpoint.id, kind: 'restore' };
    const to = checkpointNumber(target);
    if (then !== undefined && then.files === files && then.side === side) {
      this.#effects.resetAllTo(to, { reversion: back, restored: null }, isInEffect);
    } else {
      const passed = (path: TreePath): PathReset => ({ reversion: back, restored: { by: checkpoint, path } });
      this.#effects.resetTo(this.#touchedPaths(checkpoint), to, passed, isInEffect);
    }
  }

  /** If checkpoints between the two were dropped and a path is again as before, they count as a restore of it. */
  #stepOverGap(newer: Checkpoint, older: Checkpoint): void {
    if (newer.previous === null || newer.previous === older.id) return;
    const back: Reversion = { by: newer.previous, kind: 'dropped' };
    for (const [path, to] of this.source.revertedPaths(newer, older)) {
      this.#effects.resetTo(
        [path],
        to,
        () => ({ reversion: back, restored: null }),
        () => true,
      );
    }
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

/** Returns the checkpoint's changes by path. A rename is listed under both of its paths. */
function ownChanges({ changes }: Checkpoint): ReadonlyMap<TreePath, RecordedChange> {
  const own = new Map<TreePath, RecordedChange>();
  for (const change of changes ?? []) if (change.from !== null) own.set(change.from, change);
  for (const change of changes ?? []) own.set(change.path, change);
  return own;
}

/** Returns the net move of each file; several moves in a row count as one. @param changes oldest first */
function netMoves(changes: readonly RecordedChange[]): readonly { readonly from: TreePath; readonly path: TreePath }[] {
  const moves: { readonly from: TreePath; path: TreePath }[] = [];
  for (const { from, path } of changes) {
    if (from === null) continue;
    const before = moves.findLast((move) => move.path === from);
    if (before === undefined) moves.push({ from, path });
    else before.path = path;
  }
  return moves;
}

function isRename(change: RecordedChange | undefined): boolean {
  return change !== undefined && change.from !== null;
}

function isReverted(view: FileEffects, checkpoint: Checkpoint, change: RecordedChange | undefined): boolean {
  return fullReversion(view, change ?? null, checkpoint) !== null;
}

function fullReversion(
  view: FileEffects,
  change: RecordedChange | null,
  { id, trigger, previous }: Checkpoint,
): Reversion | null {
  if (change !== null) {
    for (let named: NamedReversion | null = view.named; named !== null; named = named.newer) {
      if (named.changes.has(change.id)) return named.reversion;
      if (named.callAfter !== null && named.callAfter === previous) return named.reversion;
    }
  }
  if (!isOperation(trigger)) return null;
  for (let { inverted } = view; inverted !== null; inverted = inverted.newer) {
    if (inverted.undoes !== id) continue;
    const { isTouched, reversion: back } = inverted;
    // If a file moved between the operation and its undo, and the undo left it alone, the
    // operation still applies to it.
    const isAtPlace = view.movedIn === null || view.movedIn > checkpointNumber(back.by);
    if (isTouched || isAtPlace) return back;
  }
  return null;
}
