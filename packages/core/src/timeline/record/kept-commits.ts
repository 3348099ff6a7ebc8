/**
 * Keeps what a repository loses when an operation moves its branch: commits that become unreachable, and the
 * previous index with its staged contents. `refs/savepoint/kept/<n>` names a commit of ours with these in its tree
 * and those commits as its parents. It is kept as long as checkpoint n. No older history of those commits is kept:
 * objects.git/shallow records where it ends.
 */

import type { GitObjects } from '../../git/objects.ts';
import type { Pace } from '../../io/pace.ts';
import type { ObjectId } from '../../model/ids.ts';
import { nameOf } from '../../model/names.ts';
import { decodeCommit, encodeCommit } from '../../store/objects/commit.ts';
import type { ObjectBatch } from '../../store/objects/object-reader.ts';
import type { ObjectStore } from '../../store/objects/object-store.ts';
import { readShallow, writeShallow } from '../../store/objects/shallow.ts';
import { decodeTree, encodeTree } from '../../store/objects/tree.ts';
import type { Refs } from '../../store/refs/refs.ts';
import type { Workspace } from '../capture/workspace.ts';

const PREFIX = 'refs/savepoint/kept/';
const FILE = 0o100644 as const;
const FOLDER = 0o40000 as const;
const SUBMODULE = 0o160000;

export interface KeptCommits {
  /** The kept commits, and those of them with a parent that is not kept. */
  readonly commits: readonly ObjectId[];
  readonly shallow: readonly ObjectId[];
}

/** Copies the commits with their trees and blobs. @param commits newest first */
export async function keepCommits(
  batch: ObjectBatch,
  from: GitObjects,
  commits: readonly string[],
  pace: Pace,
): Promise<KeptCommits> {
  const all = new Set(commits as readonly ObjectId[]);
  const shallow: ObjectId[] = [];
  const seen = new Set<ObjectId>();
  for (const id of all) {
    const { data } = from.readerFor(id).read(id);
    batch.add('commit', data);
    const { tree, parents } = decodeCommit(data, id);
    if (parents.some((parent) => !all.has(parent))) shallow.push(id);
    await keepTree(batch, from, tree, seen, pace);
  }
  return { commits: [...all], shallow };
}

/**
 * Adds the commit that a kept ref names, and returns its id.
 * @param commits what is kept: each is a parent of the new commit
 * @param indexes by name
 * @param staged lists of contents that only an index names, by name
 */
export function keptCommit(
  batch: ObjectBatch,
  commits: readonly ObjectId[],
  indexes: ReadonlyMap<string, ObjectId>,
  staged: ReadonlyMap<string, readonly ObjectId[]>,
  time: number,
): ObjectId {
  const who = { name: 'Savepoint', email: 'savepoint@savepoint.invalid', time: Math.floor(time / 1000), zone: '+0000' };
  const files = [...indexes].map(([name, id]) => ({ name: nameOf(name), mode: FILE, id }));
  const folders = [...staged].map(([name, ids]) => {
    const tree = encodeTree(ids.map((id) => ({ name: nameOf(id), mode: FILE, id })));
    return { name: nameOf(name), mode: FOLDER, id: batch.add('tree', tree) };
  });
  const entries = [...files, ...folders];
  const message = 'Kept: indexes, and commits that no branch of their repository leads to\n';
  const tree = batch.add('tree', encodeTree(entries));
  return batch.add(
    'commit',
    encodeCommit({ tree, parents: [...new Set(commits)], author: who, committer: who, message }),
  );
}

/** Replaces any ref with that number: it belongs to an operation that did not complete. */
export function writeKept(
  { ports, store }: Workspace,
  number: number,
  commit: ObjectId,
  kept: readonly KeptCommits[],
): void {
  const shallow = [...readShallow(ports.fs, store.layout.objects), ...kept.flatMap((one) => one.shallow)];
  writeShallow(ports.fs, store.layout.objects, new Set(shallow));
  const name = PREFIX + number;
  const { refs, damaged } = store.refs.listWithDamage(PREFIX);
  // Only if it is there: damaged packed refs prevent deletions that they may undo.
  if ([...refs, ...damaged].some((one) => one.name === name)) store.refs.delete([name]);
  store.refs.create(name, commit);
}

export function dropKept(refs: Refs, isDropped: (number: number) => boolean): void {
  refs.delete(keptRefs(refs).flatMap(({ number }) => (isDropped(number) ? [PREFIX + number] : [])));
}

/** Removes commits that the store no longer has from the shallow file. */
export function tidyShallow({ ports, store }: Workspace): void {
  const before = readShallow(ports.fs, store.layout.objects);
  const after = before.filter((id) => store.objects.has(id));
  if (after.length < before.length) writeShallow(ports.fs, store.layout.objects, new Set(after));
}

/** Whether one of the kept refs leads to this commit. */
export function isKeptCommit(
  { objects, refs }: { readonly objects: ObjectStore; readonly refs: Refs },
  wanted: string,
): boolean {
  const seen = new Set<ObjectId>();
  // Newest first: an undo asks for what the last operation kept.
  let open: readonly ObjectId[] = keptRefs(refs)
    .map(({ commit }) => commit)
    .reverse();
  while (open.length > 0) {
    const parents = new Set<ObjectId>();
    for (const commit of open) {
      seen.add(commit);
      for (const parent of decodeCommit(objects.read(commit).data, commit).parents) {
        if (parent === wanted) return true;
        if (!seen.has(parent) && objects.has(parent)) parents.add(parent);
      }
    }
    // While the pack of a repository is linked, the store also has its history, which is not kept.
    if (objects.hasLinkedPacks) return false;
    open = [...parents];
  }
  return false;
}

/** Adds everything that the kept refs of these checkpoints need to `seen`. */
export async function addReachableKept(
  { objects, refs }: { readonly objects: ObjectStore; readonly refs: Refs },
  isKept: (number: number) => boolean,
  pace: Pace,
  seen: Set<ObjectId>,
): Promise<void> {
  const kept = new Set(keptRefs(refs).flatMap(({ number, commit }) => (isKept(number) ? [commit] : [])));
  // While the pack of a repository is linked, the store also has its history, which is not kept.
  const hasHistory = objects.hasLinkedPacks;
  const open = [...kept];
  for (let commit = open.pop(); commit !== undefined; commit = open.pop()) {
    if (seen.has(commit)) continue;
    seen.add(commit);
    const { tree, parents } = decodeCommit(objects.read(commit).data, commit);
    if (!hasHistory || kept.has(commit)) open.push(...parents.filter((parent) => objects.has(parent)));
    const trees = [tree];
    for (let next = trees.pop(); next !== undefined; next = trees.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      if (pace.isDue()) await pace.yieldNow();
      for (const { mode, id } of decodeTree(objects.read(next).data, { foreign: true, id: next })) {
        if (mode === FOLDER) trees.push(id);
        else if (mode !== SUBMODULE) seen.add(id);
      }
    }
  }
}

async function keepTree(
  batch: ObjectBatch,
  from: GitObjects,
  top: ObjectId,
  seen: Set<ObjectId>,
  pace: Pace,
): Promise<void> {
  const open = [top];
  for (let tree = open.pop(); tree !== undefined; tree = open.pop()) {
    if (seen.has(tree)) continue;
    seen.add(tree);
    batch.add('tree', from.readerFor(tree).read(tree).data);
    for (const { mode, id } of from.tree(tree)) {
      if (mode === FOLDER) open.push(id);
      else if (mode !== SUBMODULE && !seen.has(id)) {
        seen.add(id);
        if (!batch.has(id)) batch.add('blob', from.readerFor(id).read(id).data);
      }
      if (pace.isDue()) await pace.yieldNow();
    }
  }
}

function keptRefs(refs: Refs): readonly { readonly number: number; readonly commit: ObjectId }[] {
  return refs.list(PREFIX).map(({ name, id }) => ({ number: Number(name.slice(PREFIX.length)), commit: id }));
}
