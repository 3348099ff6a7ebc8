/**
 * Finds what git brought back: `git switch`, `reset`, `merge` and others put files of commits into the working tree. If
 * HEAD of a repository moved, and a path of it is then exactly as an older checkpoint had it, the path came from there.
 *
 * Only the checkpoints with which HEAD moved look at older records. All of them share one index of older states, which
 * reads each record once.
 */

import { type Checkpoint, isOperation, isReversion, type RecordedChange } from '../../model/checkpoint.ts';
import { type Entry, sameEntry } from '../../model/entries.ts';
import { type CheckpointId, PURGED } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';
import { statesBefore } from '../diff/gap.ts';
import { rootChanges, rootOf } from '../diff/root-changes.ts';
import type { CheckpointReader } from './source.ts';

/** Paths that are again as an older checkpoint had them, with its number. It may have been dropped. */
export type CheckedOut = ReadonlyMap<TreePath, number>;

const NOTHING: CheckedOut = new Map();

export class Checkouts {
  readonly #known = new Map<CheckpointId, CheckedOut>();
  readonly #states: OlderStates;

  constructor(private readonly readable: CheckpointReader) {
    this.#states = new OlderStates(readable);
  }

  /** If the state that git brought back is older than a bound, or its checkpoint lists no changes, it is not found. */
  of(checkpoint: Checkpoint): CheckedOut {
    const known = this.#known.get(checkpoint.id);
    if (known !== undefined) return known;
    const found = this.#find(this.readable.find(checkpoint.id) ?? checkpoint);
    this.#known.set(checkpoint.id, found);
    return found;
  }

  #find(checkpoint: Checkpoint): CheckedOut {
    const { number, trigger, changes } = checkpoint;
    if (changes === null || changes.length === 0 || isOperation(trigger) || isReversion(trigger)) return NOTHING;
    const moved = this.#movedRoots(checkpoint);
    if (moved.size === 0) return NOTHING;
    const after = statesAfter(changes);
    const isMoved = (path: TreePath): boolean => moved.has(rootOf(path, checkpoint.roots));
    const found = new Map<TreePath, number>();
    for (const change of changes) {
      if (!mayBeOfGit(change) || !pathsOf(change).every(isMoved)) continue;
      for (const path of pathsOf(change)) {
        const at = this.#states.newestWith(path, after.get(path) ?? null, number);
        if (at !== null) found.set(path, at);
      }
    }
    return withoutParts(changes, found);
  }

  #movedRoots({ previous, roots }: Checkpoint): ReadonlySet<TreePath | null> {
    if (previous === null || !roots.some(({ kind }) => kind === 'repository')) return new Set();
    const before = this.readable.find(previous);
    if (before === undefined) return new Set(); // whether HEAD moved is not known
    return new Set(rootChanges(before.roots, roots).flatMap(({ path, what }) => (what === 'moved' ? [path] : [])));
  }
}

/** A path was like this up to the checkpoint before this number. */
interface OlderState {
  readonly entry: Entry | null;
  readonly number: number;
}

/** How many checkpoints before the one with which HEAD moved are looked at. */
const MOST_CHECKPOINTS = 1_000;
/** States that are kept at a time, about. */
const MOST_STATES = 200_000;

/** Reads records from newest to oldest, each once, as far as is needed. */
class OlderStates {
  readonly #byPath = new Map<TreePath, OlderState[]>();
  #count = 0;
  /** The number of the first record that was read. */
  #newest = 0;
  /** The number of the last record that was read. */
  #oldest = 0;
  #left: Iterator<Checkpoint> | null = null;

  constructor(private readonly readable: CheckpointReader) {}

  /** Returns the number of the newest checkpoint before `number` after which the path was like this. */
  newestWith(path: TreePath, entry: Entry | null, number: number): number | null {
    if (this.#left === null || number - 1 > this.#newest || this.#count > MOST_STATES) this.#restart(number - 1);
    for (let next = 0; ; ) {
      const states = this.#byPath.get(path) ?? [];
      for (; next < states.length; next++) {
        const state = states[next] as OlderState;
        if (state.number <= number - MOST_CHECKPOINTS) return null;
        if (state.number < number && sameEntry(state.entry, entry)) return state.number - 1;
      }
      if (this.#oldest <= number - MOST_CHECKPOINTS || !this.#readNext()) return null;
    }
  }

  #restart(newest: number): void {
    this.#byPath.clear();
    this.#count = 0;
    this.#newest = newest;
    this.#oldest = newest;
    this.#left = this.readable.upTo(newest)[Symbol.iterator]();
  }

  #readNext(): boolean {
    const { value, done } = this.#left?.next() ?? { done: true };
    if (done === true) return false;
    const { number, changes } = value as Checkpoint;
    this.#oldest = number;
    for (const change of changes ?? []) {
      for (const [path, entry] of statesBefore(change)) if (entry !== undefined) this.#add(path, { entry, number });
    }
    return true;
  }

  #add(path: TreePath, state: OlderState): void {
    const known = this.#byPath.get(path);
    if (known === undefined) this.#byPath.set(path, [state]);
    else known.push(state);
    this.#count++;
  }
}

/** Git keeps no folders, and a file tool that reported what it wrote has written it. */
function mayBeOfGit({ by, before, after, uncapturedAfter }: RecordedChange): boolean {
  if (uncapturedAfter !== undefined || (after ?? before)?.kind === 'folder') return false;
  if (after !== null && after.kind !== 'folder' && after.id === PURGED) return false;
  return by.grade !== 'sure' || by.authors.some(({ actor }) => actor.kind !== 'agent');
}

function pathsOf({ path, from }: RecordedChange): readonly TreePath[] {
  return from === null ? [path] : [path, from];
}

function statesAfter(changes: readonly RecordedChange[]): ReadonlyMap<TreePath, Entry | null> {
  const after = new Map<TreePath, Entry | null>();
  for (const { from } of changes) if (from !== null) after.set(from, null);
  for (const change of changes) after.set(change.path, change.after);
  return after;
}

/** Leaves out the paths of changes of which not every path was found: a file that moved was not brought back. */
function withoutParts(changes: readonly RecordedChange[], found: Map<TreePath, number>): CheckedOut {
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const change of changes) {
      const paths = pathsOf(change);
      if (!paths.every((path) => found.has(path))) for (const path of paths) found.delete(path);
    }
  }
  return found;
}
