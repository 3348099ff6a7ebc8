/** Operations that also move branches: saves what would be lost, and moves branches with the files or not at all. */

import { problemOf } from '../git/file.ts';
import type { HeadMove } from '../git/head-moves.ts';
import { buildIndex } from '../git/index-write.ts';
import { GitObjects } from '../git/objects.ts';
import { findGit } from '../git/program.ts';
import { type GitState, readRepository } from '../git/repository.ts';
import { stagedBlobsIn } from '../git/staged.ts';
import { readEntireFile } from '../io/durable-write.ts';
import { isFsError } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import type { MovedHead, RootState } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import { isObjectId, type ObjectId } from '../model/ids.ts';
import { type DiskPath, diskChild, joinPaths, onDisk, type TreePath } from '../model/names.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import { withoutIndex } from '../timeline/capture/record-index.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { dropKept, type KeptCommits, keepCommits, keptCommit, writeKept } from '../timeline/record/kept-commits.ts';
import type { CheckpointRef } from '../timeline/record/timeline.ts';
import { type HeadStep, readHeads, removeHeads, writeHeads } from '../transaction/heads-file.ts';
import { type HeadsInput, moveHeads, moveHeadsBack } from '../transaction/move-heads.ts';
import { isExpectedError } from '../transaction/outcome.ts';
import type { Publication } from '../transaction/transition.ts';
import { ChosenPaths } from '../workspace/rules/chosen-paths.ts';

export interface PreparedHeads {
  /** For the checkpoint after. */
  readonly moved: readonly MovedHead[];
  /** Called after the batch is finished and before the transaction. */
  makeDurable(ref: CheckpointRef): void;
  complete(): void;
  /** Called if the transaction did not take place or is pending. */
  fail(error: unknown): void;
}

const INDEX_BYTES = 1024 * 1024 * 1024;
/** Without a limit, a folder that was staged by mistake would be copied. */
const MAX_STAGED = 10_000;

/** @throws SavepointError GIT_REFUSED if part of a repository cannot be read */
export async function prepareHeads(
  workspace: Workspace,
  moves: readonly HeadMove[],
  batch: ObjectBatch,
  pace: Pace,
): Promise<PreparedHeads> {
  const { ports, store } = workspace;
  const kept: KeptCommits[] = [];
  const steps: HeadStep[] = [];
  const indexes = new Map<string, ObjectId>();
  const stagedBefore = new Map<string, readonly ObjectId[]>();
  for (const [number, move] of moves.entries()) {
    const state = readRepository(ports.fs, onDisk(workspace.root, move.path));
    if (state === null || 'problem' in state) throw repositoryGoneError(move);
    const objects = new GitObjects(ports, state, move.bringsBack ? store.objects : null);
    try {
      kept.push(
        await keepCommits(
          batch,
          objects,
          move.unreachable.map(({ commit }) => commit),
          pace,
        ),
      );
      const index = move.movesIndex ? await storeIndexes(workspace, move, { state, objects }, batch, pace) : null;
      if (index !== null) indexes.set(`index-${number}-after`, index.after);
      if (index?.before != null) indexes.set(`index-${number}-before`, index.before);
      if (index?.before != null) {
        const ids = await keepStaged(workspace, move, { index: batch.read(index.before).data, objects }, batch, pace);
        if (ids.length > 0) stagedBefore.set(`staged-${number}-before`, ids);
      }
      const staged = index !== null && index.after === move.index ? move.staged : [];
      const { path, before, after, refs, bringsBack } = move;
      steps.push({ path, before, after, refs, bringsBack, index, staged });
    } finally {
      objects.close();
    }
  }
  const commits = kept.flatMap((one) => one.commits);
  const commit = moves.length === 0 ? null : keptCommit(batch, commits, indexes, stagedBefore, ports.clock.now());
  let number = 0;
  return {
    moved: steps.map(({ path, before, after, index }) => ({ path, before, after, index: index?.before ?? null })),
    makeDurable: (ref) => {
      if (commit === null) return;
      number = ref.number;
      writeKept(workspace, ref.number, commit, kept);
      writeHeads(ports, store.layout, ref.commit, steps);
    },
    complete: () => {
      if (commit !== null) tidyUp(() => removeHeads(ports, store.layout));
    },
    fail: (error) => {
      if (commit === null || (error instanceof SavepointError && error.code === 'PENDING')) return;
      tidyUp(() => removeHeads(ports, store.layout));
      tidyUp(() => dropKept(store.refs, (one) => one === number));
    },
  };
}

/** Moves branches just before the checkpoint exists. If that fails, everything is rolled back. */
export function publicationWithHeads(workspace: Workspace, publication: Publication): Publication {
  const input = (): HeadsInput => ({
    ports: workspace.ports,
    root: workspace.root,
    git: findGit(workspace.ports, workspace.searchPath, workspace.root),
    objects: workspace.store.objects,
  });
  const steps = (): readonly HeadStep[] =>
    readHeads(workspace.ports, workspace.store.layout, publication.checkpoint.commit);
  return {
    ...publication,
    publish: async () => {
      await moveHeads(input(), steps());
      await publication.publish();
    },
    rollBack: async () => moveHeadsBack(input(), steps()),
  };
}

/** Returns the roots as they are after the operation. */
export function rootsAfter(roots: readonly RootState[], moves: readonly HeadMove[]): readonly RootState[] {
  const after = new Map(moves.map((move) => [move.path, move]));
  return roots.map((root) => {
    const move = after.get(root.path);
    if (move === undefined) return root;
    const moved = { ...root, ...move.after };
    if (!move.movesIndex) return moved;
    return move.recorded === null ? withoutIndex(moved) : { ...moved, index: move.recorded };
  });
}

/** Stores the current index and the new one: a recorded index, or one built from the commit. */
async function storeIndexes(
  { ports, store }: Workspace,
  move: HeadMove,
  { state, objects }: { readonly state: GitState; readonly objects: GitObjects },
  batch: ObjectBatch,
  pace: Pace,
): Promise<HeadStep['index']> {
  const before = readIndexFile(ports.fs, diskChild(state.gitDir, 'index'));
  const isThere = move.index !== null && store.objects.has(move.index);
  const after = isThere
    ? store.objects.read(move.index as ObjectId).data
    : await buildIndex(objects, move.after.commit, pace);
  return { before: before === null ? null : batch.add('blob', before), after: batch.add('blob', after) };
}

/**
 * Stores the staged contents that the index before names. Only that index leads to them, so `git gc` drops them once it
 * is replaced. What the rules leave out is not stored, and an index that cannot be parsed has nothing to store.
 */
async function keepStaged(
  { rules }: Workspace,
  { path, before }: HeadMove,
  { index, objects }: { readonly index: Buffer; readonly objects: GitObjects },
  batch: ObjectBatch,
  pace: Pace,
): Promise<readonly ObjectId[]> {
  let staged: ReadonlyMap<string, TreePath>;
  try {
    staged = (await stagedBlobsIn(index, objects, before.commit, pace)) ?? new Map();
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'STORE_DAMAGED') return [];
    problemOf(error);
    return [];
  }
  const chosen = new ChosenPaths(rules);
  const kept: ObjectId[] = [];
  for (const [id, name] of staged) {
    if (pace.isDue()) await pace.yieldNow();
    if (!isObjectId(id) || !objects.has(id) || chosen.excludes(joinPaths(path, name), false)) continue;
    const info = objects.readerFor(id).info(id);
    if (info?.type !== 'blob' || info.size > rules.maxFileBytes) continue;
    if (!batch.has(id)) batch.add('blob', objects.readerFor(id).read(id).data);
    kept.push(id);
    if (kept.length >= MAX_STAGED) break;
  }
  return kept.sort();
}

/** The operation has ended by now, so a failure must not change its answer. The next operation replaces what remains. */
function tidyUp(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!isExpectedError(error)) throw error;
  }
}

function readIndexFile(fs: Workspace['ports']['fs'], path: DiskPath): Buffer | null {
  try {
    return readEntireFile(fs, path, INDEX_BYTES);
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return null;
    throw error;
  }
}

function repositoryGoneError({ path }: HeadMove): SavepointError {
  const why = 'the repository no longer exists';
  return new SavepointError('GIT_REFUSED', `Branches cannot be restored: ${why}.`, { repositories: [{ path, why }] });
}
