/** Records what was staged in each repository when a checkpoint was taken, if the user asked for it. */
import { showName } from '../../content/show-name.ts';
import { problemOf, readGitFile, UnusableGitFile } from '../../git/file.ts';
import { type IndexFile, parseIndexFile } from '../../git/index-file.ts';
import { plainIndex } from '../../git/index-plain.ts';
import { GitObjects } from '../../git/objects.ts';
import { type GitState, readRepository } from '../../git/repository.ts';
import { stagedBlobs } from '../../git/staged.ts';
import { type TrackedPaths, trackedPathsOf } from '../../git/tracked.ts';
import { FsError } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import type { Ports } from '../../io/ports.ts';
import type { CaptureRules, RecordedIndex, RootState } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import type { ObjectId } from '../../model/ids.ts';
import { type DiskPath, diskChild, joinPaths, onDisk } from '../../model/names.ts';
import type { ObjectBatch } from '../../store/objects/object-reader.ts';
import { ChosenPaths } from '../../workspace/rules/chosen-paths.ts';

/** The parts of a workspace that are needed here. */
export interface IndexedWorkspace {
  readonly ports: Ports;
  readonly root: DiskPath;
  readonly rules: CaptureRules;
  readonly recordIndex: boolean;
}

export interface IndexedRoots {
  readonly roots: readonly RootState[];
  /** User-facing messages that say why an index is not recorded. */
  readonly problems: readonly string[];
}

const INDEX_BYTES = 256 * 1024 * 1024;
/** Without a limit, a folder that was staged by mistake would be listed in every checkpoint record. */
const MAX_STAGED = 10_000;
const TRIES = 3;
const ID_BYTES = 20;

/** Carries a user-facing reason why the index of a repository is not recorded. */
class IndexNotRecordedError extends Error {}

/**
 * Returns the roots, with their indexes if these are recorded. Adds the objects that the indexes need to the batch.
 * @param before roots of a checkpoint that is complete in the store; what it has is not read again
 */
export async function withIndexes(
  workspace: IndexedWorkspace,
  batch: ObjectBatch,
  roots: readonly RootState[],
  before: readonly RootState[],
  pace: Pace,
): Promise<IndexedRoots> {
  const problems: string[] = [];
  const known = new Map(before.map((root) => [root.path, root]));
  const indexed: RootState[] = [];
  for (const root of roots.map(withoutIndex)) {
    const isWanted = workspace.recordIndex && root.kind === 'repository' && root.failed === undefined;
    if (!isWanted) {
      indexed.push(root);
      continue;
    }
    try {
      const index = await recordIndexOf(workspace, batch, root, known.get(root.path), pace);
      indexed.push(index === null ? root : { ...root, index });
    } catch (error) {
      indexed.push(root);
      const name = root.path === '' ? 'the workspace’s repository' : showName(root.path);
      problems.push(`the index of ${name} is not recorded: ${reasonNotRecorded(error)}`);
    }
    await pace.yieldNow();
  }
  return { roots: indexed, problems };
}

export function withoutIndex({ index: _, ...root }: RootState): RootState {
  return root;
}

/** @returns null if the repository has no index */
async function recordIndexOf(
  workspace: IndexedWorkspace,
  batch: ObjectBatch,
  root: RootState,
  before: RootState | undefined,
  pace: Pace,
): Promise<RecordedIndex | null> {
  const { ports } = workspace;
  const state = readRepository(ports.fs, onDisk(workspace.root, root.path));
  if (state === null) return null;
  if ('problem' in state) throw new IndexNotRecordedError(state.problem.detail);
  if (state.objectFormat !== 'sha1')
    throw new IndexNotRecordedError(`object format ${state.objectFormat} is not supported`);
  const file = readStableIndex(workspace, state);
  if (file === null) return null;
  const tracked = trackedPathsOf(file);
  if (tracked === null) throw new IndexNotRecordedError('it is a split index');
  if (tracked.sparseFolders.length > 0) throw new IndexNotRecordedError('it belongs to a sparse checkout');
  const id = batch.add('blob', plainIndex(file));
  if (before?.index?.id === id && before.commit === root.commit) return before.index;
  return { id, staged: await storeStaged(workspace, batch, { state, root, tracked }, pace) };
}

/** git writes a new index next to the old one and renames it. Other programs may be in mid-write, so retry. */
function readStableIndex({ ports: { fs } }: IndexedWorkspace, { gitDir }: GitState): IndexFile | null {
  const path = diskChild(gitDir, 'index');
  for (let left = TRIES - 1; ; left--) {
    const data = readGitFile(fs, path, INDEX_BYTES);
    if (data === null) return null;
    try {
      return parseIndexFile(path, data, ID_BYTES);
    } catch (error) {
      if (left === 0 || !(error instanceof UnusableGitFile) || error.problem.why !== 'damaged') throw error;
    }
  }
}

async function storeStaged(
  { ports, rules }: IndexedWorkspace,
  batch: ObjectBatch,
  { state, root, tracked }: { readonly state: GitState; readonly root: RootState; readonly tracked: TrackedPaths },
  pace: Pace,
): Promise<readonly ObjectId[]> {
  const objects = new GitObjects(ports, state);
  try {
    const staged = await stagedBlobs(objects, root.commit, tracked, pace);
    if (staged.size > MAX_STAGED) throw new IndexNotRecordedError(`more than ${MAX_STAGED} files are staged`);
    const chosen = new ChosenPaths(rules);
    // Check everything first: nothing of an index that is not recorded may enter the store.
    for (const [id, path] of staged) {
      if (chosen.excludes(joinPaths(root.path, path), false))
        throw new IndexNotRecordedError(`${showName(path)} is excluded`);
      const size = objects.readerFor(id).info(id as ObjectId)?.size ?? 0;
      if (size > rules.maxFileBytes)
        throw new IndexNotRecordedError(`the staged content of ${showName(path)} is too large`);
    }
    const ids = [...staged.keys()].sort() as ObjectId[];
    for (const id of ids) {
      if (pace.isDue()) await pace.yieldNow();
      const { type, data } = objects.readerFor(id).read(id);
      if (type !== 'blob') throw new IndexNotRecordedError(`object ${id} is not a blob`);
      batch.add('blob', data);
    }
    return ids;
  } finally {
    objects.close();
  }
}

function reasonNotRecorded(error: unknown): string {
  if (error instanceof IndexNotRecordedError) return error.message;
  // STORE_DAMAGED means an object that is missing or unreadable in the repository. Failures of the store are rethrown.
  if (error instanceof SavepointError && error.code === 'STORE_DAMAGED') return error.message;
  if (error instanceof UnusableGitFile || error instanceof FsError) return problemOf(error).detail;
  throw error;
}
