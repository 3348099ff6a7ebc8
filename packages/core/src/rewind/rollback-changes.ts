/**
 * Rollback: reverts the chosen changes and keeps later ones.
 *
 * All chosen changes that affect one current file form a lineage. They are reverted newest first, each starting from
 * the result of the previous one. Changes that directly follow each other are reverted in one step. The path of a file
 * is merged like its content: a later move wins. Lineages that share a path succeed or fail together.
 */

import type { Pace } from '../io/pace.ts';
import { type Entry, type Snapshot, sameEntry } from '../model/entries.ts';
import type { ChangeId, HunkId } from '../model/ids.ts';
import { isWithin, parentPath, type TreePath } from '../model/names.ts';
import {
  addUncaptured,
  type ChangeSet,
  ChangeSetDraft,
  type PathConflict,
  type ThreeSides,
} from '../operation/change-set.ts';
import { cachedFolderReader, type FolderReader } from '../store/snapshot/snapshot.ts';
import { type PathDifference, type PathState, stateAt } from '../timeline/diff/snapshot-diff.ts';
import { type Lineage, type LineageInput, revertedLineages } from './lineage.ts';
import { planRemovals, type Removal } from './removal.ts';
import type { ChosenChange } from './selection.ts';

export interface RollbackInput extends LineageInput {
  /** Leave paths alone that do not merge, and revert the rest. */
  readonly skipConflicts: boolean;
  /** Returns why a path that would be removed must stay, or null. */
  readonly keep: (difference: PathDifference) => string | null;
}

/** The result for one path, or the expected result in a preview. */
export interface PathResult {
  /** The path of the file afterwards. */
  readonly path: TreePath;
  readonly result: 'restored' | 'merged' | 'skipped' | 'conflict';
  readonly why: string | null;
  readonly changes: readonly ChangeId[];
  readonly sides: ThreeSides | null;
  readonly lines?: NonNullable<PathConflict['lines']>;
}

export interface RollbackChangeSet {
  readonly changeSet: ChangeSet;
  readonly results: readonly PathResult[];
  /** The changes and hunks that are reverted once the change set is applied. */
  readonly rolledBack: readonly (ChangeId | HunkId)[];
}

export async function rollbackChanges(input: RollbackInput, pace: Pace): Promise<RollbackChangeSet> {
  const draft = new ChangeSetDraft();
  const folders = cachedFolderReader(input.current.objects);
  const lineages = await revertedLineages(input, folders, pace);
  resolveOccupiedPaths(lineages, input, folders);
  const conflicting = lineagesInConflict(lineages);
  const applicable = lineages.filter((lineage) => !conflicting.has(lineage));
  addToChangeSet(applicable, input, folders, draft);
  for (const { conflict, currentPath } of lineages) {
    if (conflict !== null && !input.skipConflicts) draft.conflicts.push({ path: currentPath, ...conflict });
  }
  const kept = new Map(draft.kept.map(({ path, why }) => [path, why]));
  const effective = applicable.filter((lineage) => lineage.hasEffect && !kept.has(lineage.currentPath));
  return {
    changeSet: draft.finish(),
    results: lineages.map((lineage) => resultOf(lineage, conflicting, kept)).sort((a, b) => (a.path < b.path ? -1 : 1)),
    rolledBack: rolledBackIds(input.chosen, effective),
  };
}

/** If a change is reverted in one file and its hunks in another, only the hunks count as reverted. */
function rolledBackIds(chosen: readonly ChosenChange[], lineages: readonly Lineage[]): readonly (ChangeId | HunkId)[] {
  const reverted = new Map<ChangeId, Set<ChangeId | HunkId>>();
  for (const { revertedIds } of lineages) {
    for (const [{ change }, ids] of revertedIds)
      reverted.set(change.id, new Set([...(reverted.get(change.id) ?? []), ...ids]));
  }
  return chosen.flatMap(({ change: { id } }) => {
    const ids = reverted.get(id) ?? new Set();
    if (ids.size > 1) ids.delete(id);
    return [...ids];
  });
}

/** Finds lineages whose target path is occupied. A path that another lineage vacates in the same operation is free. */
function resolveOccupiedPaths(lineages: readonly Lineage[], { current }: RollbackInput, folders: FolderReader): void {
  const leaving = new Set(
    lineages
      .filter(({ state, entry, path, currentPath }) => state.entry !== null && (entry === null || path !== currentPath))
      .map(({ currentPath }) => currentPath),
  );
  const taken = new Map<TreePath, Lineage>();
  for (const lineage of lineages) {
    if (lineage.conflict !== null || lineage.entry === null) continue;
    const { path } = lineage;
    const stays = lineage.state.entry !== null && path === lineage.currentPath;
    const state = stateAt(folders, current.snapshot, path);
    const there = current.entries === null ? state.entry : current.entries.without(path, state.entry);
    const isFree = stays || leaving.has(path) || (there === null && state.skip === null);
    const first = taken.get(path);
    if (first === undefined && isFree) {
      taken.set(path, lineage);
      continue;
    }
    if (!lineage.hasEffect) continue;
    if (first === undefined && lineage.isOverwriting) {
      taken.set(path, lineage);
      lineage.discarded.push({ path, base: null, lines: null });
    } else lineage.resolveOccupied(first?.entry ?? state.entry);
  }
}

/** Returns the lineages in conflict, and those that share a path with one of them. */
function lineagesInConflict(lineages: readonly Lineage[]): ReadonlySet<Lineage> {
  const byPath = new Map<TreePath, Lineage[]>();
  for (const lineage of lineages) {
    for (const path of lineage.paths) byPath.set(path, [...(byPath.get(path) ?? []), lineage]);
  }
  const conflicting = new Set<Lineage>();
  const open = lineages.filter(({ conflict }) => conflict !== null);
  for (let lineage = open.pop(); lineage !== undefined; lineage = open.pop()) {
    if (conflicting.has(lineage)) continue;
    conflicting.add(lineage);
    for (const path of lineage.paths) open.push(...(byPath.get(path) ?? []));
  }
  return conflicting;
}

function addToChangeSet(
  lineages: readonly Lineage[],
  { current, keep }: RollbackInput,
  folders: FolderReader,
  draft: ChangeSetDraft,
): void {
  const { objects, snapshot, own } = current;
  const results = new Map<TreePath, { readonly entry: Entry | null; readonly lineage: Lineage }>();
  for (const { state, currentPath: path } of lineages) if (state.skip !== null) addUncaptured(draft, path, state.skip);
  const changed = lineages.filter(({ hasEffect }) => hasEffect);
  draft.discarded.push(...changed.flatMap(({ discarded }) => discarded));
  for (const lineage of changed) {
    const leaves = lineage.state.entry !== null && (lineage.entry === null || lineage.path !== lineage.currentPath);
    if (leaves) results.set(lineage.currentPath, { entry: null, lineage });
  }
  for (const lineage of changed) {
    if (lineage.entry === null) continue;
    results.set(lineage.path, { entry: lineage.entry, lineage });
    const isMoved = lineage.path !== lineage.currentPath && lineage.state.entry !== null;
    if (isMoved) draft.moves.push({ from: lineage.currentPath, to: lineage.path });
  }
  const removals: Removal[] = [];
  for (const [path, { entry, lineage }] of results) {
    const now = stateAt(folders, snapshot, path);
    if (sameEntry(now.entry, entry)) continue;
    const then = stateBefore(folders, lineage, path);
    const ignored = then?.ignored ?? now.ignored;
    const goes = now.entry !== null && (entry === null || (now.entry.kind === 'folder' && entry.kind !== 'folder'));
    if (!goes) draft.change(path, now.entry, entry, ignored, lineage.merged);
    else {
      const gone: PathDifference = { path, before: now, after: { entry, skip: null, ignored } };
      const stays = entry === null && path === lineage.path ? keep(gone) : null;
      removals.push({ path, entry: now.entry as Entry, to: entry, ignored, reasonToKeep: stays });
    }
  }
  const implied = emptiedFolders(lineages, removals, folders, snapshot);
  planRemovals(objects, snapshot, own, [...removals, ...implied], draft);
  const impliedPaths = new Set(implied.map(({ path }) => path));
  const explicit = draft.kept.filter(({ path }) => !impliedPaths.has(path));
  draft.kept.splice(0, draft.kept.length, ...explicit);
  addMissingFolders(lineages, folders, snapshot, draft);
}

/** The state of a path before the change, or null if no change of the lineage mentions the path. */
function stateBefore(folders: FolderReader, { chosen }: Lineage, path: TreePath): PathState | null {
  const oldest = [...chosen].reverse().find(({ change }) => (change.from ?? change.path) === path);
  return oldest === undefined ? null : stateAt(folders, oldest.before, path);
}

/** Finds folders that were created with a file that is now removed, and that contain nothing else. */
function emptiedFolders(
  lineages: readonly Lineage[],
  removals: readonly Removal[],
  folders: FolderReader,
  now: Snapshot,
): readonly Removal[] {
  const going = new Set(removals.map(({ path }) => path));
  const found = new Map<TreePath, Removal>();
  for (const { currentPath, chosen } of lineages) {
    if (!going.has(currentPath)) continue;
    for (const { change, before } of chosen) {
      for (let path = parentPath(change.path); path !== ''; path = parentPath(path)) {
        if (going.has(path) || found.has(path) || !isWithin(currentPath, path)) continue;
        if (stateAt(folders, before, path).entry !== null) break;
        const { entry, ignored } = stateAt(folders, now, path);
        if (entry?.kind === 'folder') found.set(path, { path, entry, to: null, ignored, reasonToKeep: null });
      }
    }
  }
  return [...found.values()];
}

/** Adds the parent folders of the files that come back, with their earlier permissions. */
function addMissingFolders(
  lineages: readonly Lineage[],
  folders: FolderReader,
  now: Snapshot,
  draft: ChangeSetDraft,
): void {
  const planned = new Map(draft.paths.map(({ path, to }) => [path, to]));
  const befores = new Map(lineages.map((lineage) => [lineage.path, lineage.chosen.at(-1)?.before]));
  for (const { path: coming, to } of [...draft.paths]) {
    if (to === null) continue;
    for (let path = parentPath(coming); path !== ''; path = parentPath(path)) {
      if (planned.has(path)) {
        if (planned.get(path)?.kind !== 'folder') draft.conflicts.push({ path, why: 'a folder is needed there' });
        break;
      }
      const present = stateAt(folders, now, path);
      if (present.entry?.kind === 'folder') break;
      const before = befores.get(coming);
      const then = before === undefined ? null : stateAt(folders, before, path);
      const folder: Entry = then?.entry?.kind === 'folder' ? then.entry : { kind: 'folder', mode: 0o755 };
      if (present.entry === null && present.skip === null) {
        draft.change(path, null, folder, then?.ignored ?? false);
        planned.set(path, folder);
      } else {
        draft.conflicts.push({ path, why: `a ${present.entry?.kind ?? 'path'} is now where a folder is needed` });
        break;
      }
    }
  }
}

function resultOf(
  lineage: Lineage,
  conflicting: ReadonlySet<Lineage>,
  kept: ReadonlyMap<TreePath, string>,
): PathResult {
  const { currentPath, path, conflict, why } = lineage;
  const common = { changes: lineage.chosen.map(({ change }) => change.id).reverse(), sides: null };
  if (conflict !== null) return { ...common, path: currentPath, result: 'conflict', ...conflict };
  if (conflicting.has(lineage)) {
    return { ...common, path: currentPath, result: 'skipped', why: 'it belongs to a path that does not merge' };
  }
  const stays = kept.get(currentPath);
  if (stays !== undefined) return { ...common, path: currentPath, result: 'skipped', why: stays };
  if (!lineage.hasEffect)
    return { ...common, path: currentPath, result: 'skipped', why: why ?? 'already in that state' };
  return {
    ...common,
    path: lineage.entry === null ? currentPath : path,
    result: lineage.merged ? 'merged' : 'restored',
    why,
  };
}
