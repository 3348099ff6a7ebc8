/**
 * Finds what git brought back: `git switch`, `reset`, `merge` and others put files of commits into the working tree. If
 * HEAD of a repository moved, and a path of it is then exactly as an older checkpoint had it, the path came from there.
 * If HEAD is on another branch, other paths came from the last checkpoint on this branch, and were changed there since.
 *
 * Only the checkpoints with which HEAD moved look at older records. All of them share one index of older states.
 */

import { type Checkpoint, isOperation, isReversion, type RecordedChange } from '../../model/checkpoint.ts';
import { type Entry, sameEntry } from '../../model/entries.ts';
import { type CheckpointId, checkpointNumber, PURGED } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';
import { statesBefore } from '../diff/gap.ts';
import { rootChanges, rootOf } from '../diff/root-changes.ts';
import type { CheckpointReader } from './reader.ts';

/** Where a path comes from that git brought back. */
export interface CheckedOutState {
  /** The number of the checkpoint that had it last. It may have been dropped. */
  readonly number: number;
  /** What it was there: what it is now, or what became of it on the branch. */
  readonly entry: Entry | null;
}

export type CheckedOut = ReadonlyMap<TreePath, CheckedOutState>;

const NOTHING: CheckedOut = new Map();

export class Checkouts {
  readonly #known = new Map<CheckpointId, CheckedOut>();
  readonly #states: OlderStates;

  /**
   * @param entryAt returns undefined if the entry is unknown
   * @param mostStates how many older states are kept at a time, about
   */
  constructor(
    private readonly readable: CheckpointReader,
    private readonly entryAt: (checkpoint: CheckpointId, path: TreePath) => Entry | null | undefined,
    mostStates = MOST_STATES,
  ) {
    this.#states = new OlderStates(readable, mostStates);
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
    const found = new Map<TreePath, CheckedOutState>();
    for (const change of changes) {
      if (!mayBeOfGit(change) || !pathsOf(change).every(isMoved)) continue;
      for (const path of pathsOf(change)) {
        const entry = after.get(path) ?? null;
        const at = this.#states.newestWith(path, entry, number);
        if (at !== null) found.set(path, { number: at, entry });
      }
      const onBranch = found.has(change.path) ? null : moved.get(rootOf(change.path, checkpoint.roots));
      const state = onBranch == null ? null : this.#stateOn(onBranch, change);
      if (state !== null) found.set(change.path, state);
    }
    return withoutParts(changes, found);
  }

  /** Returns the file as it was on the branch, if it has changed there since. */
  #stateOn(last: CheckpointId, { path, from, before, after }: RecordedChange): CheckedOutState | null {
    if (from !== null || after?.kind !== 'file') return null;
    const entry = this.entryAt(last, path);
    if (entry?.kind !== 'file' || sameEntry(entry, before)) return null;
    return { number: checkpointNumber(last), entry };
  }

  /** Returns the roots whose HEAD moved, with the last checkpoint on the branch if it is another one. */
  #movedRoots({ number, previous, roots }: Checkpoint): ReadonlyMap<TreePath | null, CheckpointId | null> {
    const moved = new Map<TreePath, CheckpointId | null>();
    if (previous === null || !roots.some(({ kind }) => kind === 'repository')) return moved;
    const older = this.readable.find(previous);
    if (older === undefined) return moved; // whether HEAD moved is not known
    for (const { path, what, before, after } of rootChanges(older.roots, roots)) {
      if (what !== 'moved') continue;
      const branch = after?.branch === before?.branch ? null : (after?.branch ?? null);
      moved.set(path, branch === null ? null : this.#states.newestOn(path, branch, number));
    }
    return moved;
  }
}

/** A path was like this up to the checkpoint before this number. */
interface OlderState {
  readonly entry: Entry | null;
  readonly number: number;
}

/** A record that was read. */
type ReadRecord = Pick<Checkpoint, 'id' | 'number' | 'roots'>;

/** How many checkpoints before the one with which HEAD moved are looked at. */
const MOST_CHECKPOINTS = 1_000;
const MOST_STATES = 200_000;

/**
 * Reads records from newest to oldest, as far as is needed. If they list more states than may be kept, what is older is not
 * found from the newer half of them. From the older half, reading begins again: so each record is read about twice.
 */
class OlderStates {
  readonly #byPath = new Map<TreePath, OlderState[]>();
  #read: ReadRecord[] = [];
  #count = 0;
  /** The number of the first record that was read. */
  #newest = 0;
  /** The number of the last record that was read. */
  #oldest = 0;
  /** The number of the last record in the newer half of the states. */
  #middle = 0;
  #left: Iterator<Checkpoint> | null = null;

  constructor(
    private readonly readable: CheckpointReader,
    private readonly most: number,
  ) {}

  /** Returns the number of the newest checkpoint before `number` after which the path was like this. */
  newestWith(path: TreePath, entry: Entry | null, number: number): number | null {
    this.#beginFor(number);
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

  /** Returns the newest checkpoint before `number` at which the branch was checked out. */
  newestOn(root: TreePath, branch: string, number: number): CheckpointId | null {
    this.#beginFor(number);
    for (let next = 0; ; ) {
      for (; next < this.#read.length; next++) {
        const one = this.#read[next] as ReadRecord;
        if (one.number <= number - MOST_CHECKPOINTS) return null;
        if (one.number >= number) continue;
        if (one.roots.some((each) => each.path === root && each.branch === branch)) return one.id;
      }
      if (this.#oldest <= number - MOST_CHECKPOINTS || !this.#readNext()) return null;
    }
  }

  /** @param number of the checkpoint whose older states will be asked for */
  #beginFor(number: number): void {
    const isUsable = this.#left !== null && number - 1 <= this.#newest;
    if (isUsable && (!this.#isFull || number > this.#middle)) return;
    const newest = number - 1;
    this.#byPath.clear();
    this.#read = [];
    this.#count = 0;
    this.#newest = newest;
    this.#oldest = newest;
    this.#middle = newest;
    this.#left = this.readable.upTo(newest)[Symbol.iterator]();
  }

  get #isFull(): boolean {
    return this.#count > this.most;
  }

  #readNext(): boolean {
    if (this.#isFull) return false;
    const { value, done } = this.#left?.next() ?? { done: true };
    if (done === true) return false;
    const { id, number, roots, changes } = value as Checkpoint;
    this.#oldest = number;
    this.#read.push({ id, number, roots });
    for (const change of changes ?? []) {
      for (const [path, entry] of statesBefore(change)) if (entry !== undefined) this.#add(path, { entry, number });
    }
    if (this.#count <= this.most / 2) this.#middle = number;
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
function withoutParts(changes: readonly RecordedChange[], found: Map<TreePath, CheckedOutState>): CheckedOut {
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const change of changes) {
      const paths = pathsOf(change);
      if (!paths.every((path) => found.has(path))) for (const path of paths) found.delete(path);
    }
  }
  return found;
}
