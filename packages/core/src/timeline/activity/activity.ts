/**
 * Which changes are in effect, and which operation took the others back. Every view asks this module: history, stats,
 * roll-back, exports. The stack that `undo` and `redo` walk over is in `operations.ts`.
 *
 * A change is in effect when its result is on disk, or when changes in effect were built on its result.
 *
 * 1. A change is in effect from the checkpoint that lists it. A later change of the same lines, a deletion or a rename is
 *    built on it and takes nothing back; nor does a change from outside that happens to restore the same bytes.
 * 2. A restore of a path to checkpoint N puts the path's changes into the state that they had at N: those that were in
 *    effect at N are in effect again, later ones are taken back. It concerns the paths that it changed. If the whole
 *    workspace equals N afterwards, it concerns all paths.
 * 3. A roll-back takes back the changes and hunks that it names. A restore that names changes kept what others did, and
 *    does the same. A change of which every hunk is back is back.
 * 4. An undo inverts its operation: the operation's own changes and its effect on older changes. A redo inverts the undo.
 * 5. A put-back of frozen paths takes back what the call before it changed in them.
 * 6. An operation whose own change of a path was taken back has no effect on that path. An operation that a restore
 *    passed over (it lies between the restore and its target) has none on the restored path.
 *    Nor has an undo on a file that moved after the operation, and that it left alone.
 * 7. Changes follow their file through renames. If a restore brings back the old path as well, both files hold the change;
 *    it is in effect while one of them does.
 * 8. A restore to a checkpoint that is gone counts as one to the newest older one. If a path was, after checkpoints that are
 *    gone, again as an older checkpoint had it, they count as a restore of it. Else what they took back is not known, and
 *    counts as in effect; so it does where the path was gone after them, since its file may have moved.
 *
 * Whether a change is in effect depends on later checkpoints only, so the timeline is read from the newest to the oldest,
 * and a page of changes needs no more of it than the page itself.
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

export type { Reversion as Back } from './effects.ts';

export interface Effect {
  /** What took the change back; null where it is in effect. */
  readonly reversion: Reversion | null;
  /** Hunks that are back, by number, where the change is in effect otherwise. */
  readonly hunks: ReadonlyMap<number, Reversion>;
}

const NO_HUNKS: ReadonlyMap<number, Reversion> = new Map();

export class Activity {
  readonly #effects = new EffectsByPath();
  /** Its changes can be asked about; its own effect on older ones is still to come. */
  #current: Checkpoint | null = null;

  constructor(private readonly source: ActivitySource) {}

  /** Every checkpoint that can be read is shown once, the newest first. */
  visit(checkpoint: Checkpoint): void {
    if (this.#current !== null) {
      this.#stepBack(this.#current);
      this.#stepOverGap(this.#current, checkpoint);
    }
    this.#current = checkpoint;
    this.#effects.resume(checkpoint.number);
  }

  /** @param change of the checkpoint that was shown last */
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

  /** What changed since the last checkpoint is kept by a restore that merges: then the path is not as in the target. */
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

  /** From the state after a checkpoint to the one before it. */
  #stepBack(checkpoint: Checkpoint): void {
    const { trigger, undoes, rolledBack, target } = checkpoint;
    if (undoes !== null) this.#invert(checkpoint, undoes);
    else if (rolledBack.length > 0) this.#revertNamed(checkpoint, namedReversionOf(checkpoint));
    else if (trigger === 'restore' && target !== null) this.#restore(checkpoint, target);
    else if (trigger === 'freeze' && target !== null)
      this.#revertNamed(checkpoint, { ...NO_NAMED_CHANGES, callAfter: target });
    const isRestored = (view: FileEffects, change: RecordedChange): boolean => {
      const back = fullReversion(view, change, checkpoint);
      // A roll-back says itself where it brought the file from.
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
   * A roll-back can bring a file back to a path that another file has to leave for it. Its own changes list both as written,
   * and no rename: that is told by the renames and deletions that it takes back.
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
    // What is at the old path by now came from elsewhere.
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

  /** Between the two are checkpoints that are gone. Where a path is again as it was before, they count as a restore of it. */
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

/** By each path that it is about. */
function ownChanges({ changes }: Checkpoint): ReadonlyMap<TreePath, RecordedChange> {
  const own = new Map<TreePath, RecordedChange>();
  for (const change of changes ?? []) if (change.from !== null) own.set(change.from, change);
  for (const change of changes ?? []) own.set(change.path, change);
  return own;
}

/** From where to where each file was moved, several times in a row as once. @param changes oldest first */
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
    // A file that moved after the operation, and that its undo left alone, keeps what the operation did to it.
    const isAtPlace = view.movedIn === null || view.movedIn > checkpointNumber(back.by);
    if (isTouched || isAtPlace) return back;
  }
  return null;
}
