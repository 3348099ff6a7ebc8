/**
 * States of forks that the store of their workspace keeps, each as a commit without parents with `fork.json`, `files/` and
 * `side/`:
 *
 * - `refs/savepoint/fork/<n>`: what a fork started from (`base`), or its last state when it was dropped (`dropped`, which
 *   has the tree `base/` as well).
 * - `refs/savepoint/merged/<n>`: what of a fork was merged in checkpoint n. It is written before the merge happens, so it
 *   counts only if that checkpoint exists and is a merge.
 */

import type { Snapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { COPY_ID, type CopyId, type ObjectId } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';
import { nameOf } from '../../model/names.ts';
import { integer, matching, objectOf, oneOf, orNull, text } from '../../store/json-shape.ts';
import { FormatProblem, unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectBatch, ObjectReader } from '../../store/objects/object-reader.ts';
import { encodeTree } from '../../store/objects/tree.ts';
import type { Ref } from '../../store/refs/ref-listing.ts';
import type { Refs } from '../../store/refs/refs.ts';
import { purgePaths } from '../../store/snapshot/purge-paths.ts';
import { readBlob } from '../../store/snapshot/snapshot.ts';
import { addCommit, BLOB, partsOf, partsOfCommit, snapshotIn, TREE, treesOf } from './kept-states.ts';

const FORKS = 'refs/savepoint/fork/';
const MERGED = 'refs/savepoint/merged/';
const RECORD = nameOf('fork.json');
const BASE = nameOf('base');

/** What `fork.json` of a state says. */
export interface ForkStateInfo {
  readonly kind: 'base' | 'merged' | 'dropped';
  /** The copy that was the fork. */
  readonly copy: CopyId;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Number of the checkpoint that the fork left the workspace at. */
  readonly checkpoint: number;
  /** The branch of its worktrees; null if it had none. */
  readonly branch: string | null;
}

export interface ForkState extends ForkStateInfo {
  readonly snapshot: Snapshot;
  /** For a dropped fork: what its changes are relative to. */
  readonly base: Snapshot | null;
}

/** A state with its ref. */
export interface StoredForkState extends ForkState {
  readonly number: number;
  readonly commit: ObjectId;
}

const SHAPE = objectOf({
  format: oneOf(1),
  kind: oneOf('base', 'merged', 'dropped'),
  copy: matching(COPY_ID),
  name: text(200),
  time: integer(0),
  checkpoint: integer(1),
  branch: orNull(text(1_000)),
});

/** Adds the commit of a state to the batch. */
export function writeForkState(batch: ObjectBatch, state: ForkState): ObjectId {
  const { snapshot, base, ...info } = state;
  const record = batch.add('blob', Buffer.from(`${JSON.stringify({ format: 1, ...info }, null, 2)}\n`));
  const entries = [{ name: RECORD, mode: BLOB, id: record } as const, ...treesOf(batch, snapshot)];
  const before =
    base === null ? [] : [{ name: BASE, mode: TREE, id: batch.add('tree', encodeTree(treesOf(batch, base))) }];
  const all = [...entries, ...before];
  return addCommit(batch, all, { time: info.time, message: `Fork ${info.name}: ${info.kind}\n` });
}

/** Durable on return, as is the commit before. The caller holds the store's lock. @returns the number of the state */
export function keepForkState(refs: Refs, commit: ObjectId): number {
  const number = Math.max(0, ...numbersOf(refs, FORKS).keys()) + 1;
  refs.create(FORKS + number, commit);
  return number;
}

/** The same for a merge in the checkpoint with that number. Replaces the state of a merge that did not take place. */
export function keepMergedState(refs: Refs, number: number, commit: ObjectId): void {
  if (numbersOf(refs, MERGED).has(number)) refs.delete([MERGED + number]);
  refs.create(MERGED + number, commit);
}

/** The bases and last states, by number; the merged states by the number of their checkpoint. Damaged ones are left out. */
export function forkStates(objects: ObjectReader, refs: Refs, which: 'own' | 'merged'): readonly StoredForkState[] {
  const prefix = which === 'own' ? FORKS : MERGED;
  return [...byNumber(refs.listWithDamage(prefix).refs, prefix)].flatMap(([number, commit]) => {
    const state = unlessDamaged(undefined, () => readForkState(objects, commit));
    return state === null ? [] : [{ ...state, number, commit }];
  });
}

export function deleteForkStates(refs: Refs, states: readonly Pick<StoredForkState, 'kind' | 'number'>[]): void {
  refs.delete(states.map(({ kind, number }) => (kind === 'merged' ? MERGED : FORKS) + number));
}

/** The commits of all states, which need their trees like checkpoints. @throws SavepointError STORE_DAMAGED */
export function forkCommits(refs: Refs): readonly ObjectId[] {
  return [FORKS, MERGED].flatMap((prefix) => refs.list(prefix).map(({ id }) => id));
}

/** For a purge: rewrites every state without the content of the paths. @returns new commits by old ones */
export function purgeForkStates(
  batch: ObjectBatch,
  refs: Refs,
  paths: readonly TreePath[],
): ReadonlyMap<ObjectId, ObjectId> {
  const moved = new Map<ObjectId, ObjectId>();
  for (const commit of forkCommits(refs)) {
    const state = readForkState(batch, commit);
    const snapshot = purgePaths(batch, state.snapshot, paths);
    const base = state.base === null ? null : purgePaths(batch, state.base, paths);
    if (snapshot !== state.snapshot || base !== state.base) {
      moved.set(commit, writeForkState(batch, { ...state, snapshot, base }));
    }
  }
  return moved;
}

/** @throws SavepointError STORE_DAMAGED */
export function readForkState(objects: ObjectReader, commit: ObjectId): ForkState {
  const parts = partsOfCommit(objects, commit);
  const [record, base] = [parts.get(RECORD), parts.get(BASE)];
  const snapshot = snapshotIn(parts);
  if (record === undefined || snapshot === null) throw damagedState(commit);
  const json = parsed(commit, readBlob(objects, record));
  const { kind, copy, name, time, checkpoint, branch } = json;
  return {
    kind,
    copy,
    name,
    time,
    checkpoint,
    branch,
    snapshot,
    base: base === undefined ? null : snapshotIn(partsOf(objects, base)),
  };
}

function parsed(commit: ObjectId, bytes: Buffer): ForkStateInfo {
  try {
    const json: unknown = JSON.parse(bytes.toString());
    SHAPE(json, 'fork.json');
    return json as ForkStateInfo;
  } catch (error) {
    if (error instanceof FormatProblem || error instanceof SyntaxError) throw damagedState(commit);
    throw error;
  }
}

/** @throws SavepointError STORE_DAMAGED if a number may be missing */
function numbersOf(refs: Refs, prefix: string): ReadonlyMap<number, ObjectId> {
  return byNumber(refs.list(prefix), prefix);
}

function byNumber(refs: readonly Ref[], prefix: string): ReadonlyMap<number, ObjectId> {
  return new Map(refs.map(({ name, id }) => [Number(name.slice(prefix.length)), id]));
}

function damagedState(commit: ObjectId): SavepointError {
  return new SavepointError('STORE_DAMAGED', `Object ${commit} is not the state of a fork.`, { object: commit });
}
