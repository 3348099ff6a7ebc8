/** Makes a copy in the best way that works where it is to lie. */

import { showName } from '../content/show-name.ts';
import { removeIfExists } from '../io/if-exists.ts';
import type { Pace } from '../io/pace.ts';
import type { Ports, ProcessIdentity } from '../io/ports.ts';
import { removeTree } from '../io/remove-tree.ts';
import { type Checkpoint, repositoriesOf } from '../model/checkpoint.ts';
import type { Snapshot } from '../model/entries.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, nameToJson, type TreePath } from '../model/names.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import { editSnapshot } from '../store/snapshot/edit-snapshot.ts';
import { cachedFolderReader } from '../store/snapshot/snapshot.ts';
import { scanWorkspace } from '../timeline/capture/capture.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';

import { type PathState, stateAt } from '../timeline/diff/snapshot-diff.ts';
import type {
  CopyAccess,
  CopyPurpose,
  CopyRecord,
  CopyRung,
  DependencyPolicy,
  ForkRecord,
  OpenCopy,
  PlanInCopy,
} from './copy.ts';
import type { TreeCopy } from './folder/copy-tree.ts';

import {
  type FolderCopy,
  type FolderCopyRequest,
  type FolderRung,
  makeFolderCopy,
  treeIn,
} from './folder/folder-copy.ts';
import { type CopyView, folderView } from './folder/folder-view.ts';
import { linkTargetInCopy } from './folder/link-targets.ts';
import { materialize, unfinishedIn } from './folder/materialize.ts';
import { makeNamesOnly } from './folder/names-only.ts';
import { whyNoOverlay } from './overlay/open-overlay.ts';
import { outerRepositories } from './overlay/outer-repositories.ts';
import { openOverlayCopy } from './overlay/overlay-copy.ts';
import { type BelowInMaking, beginBelow, beginCopy, copiesIn, removeCopy, writeCopyRecord } from './records.ts';
import { removeDeadCopies } from './stale-copies.ts';

/** In the order in which they are tried. */
const RUNGS: readonly CopyRung[] = ['overlay', 'reflink', 'copy'];
const LIVE = 'what you change in the folder meanwhile';
const FOLDER_RUNGS: readonly FolderRung[] = ['reflink', 'copy'];

export interface CopyRequest {
  readonly workspace: Workspace;
  /** The folder that contains all stores. */
  readonly home: DiskPath;
  readonly purpose: CopyPurpose;
  /** The workspace as it is now: the checkpoint that was just taken. */
  readonly now: Checkpoint;
  /** The checkpoint that the copy's changes are relative to. */
  readonly base: Checkpoint;
  /** What the copy contains, apart from paths that are not captured: those are as in the folder. */
  readonly state: Snapshot;
  readonly name: string | null;
  /** The ways to try, best first. Default: all. */
  readonly rungs?: readonly CopyRung[];
  /** What a copy that is a folder gets of dependency folders. Default `auto`. */
  readonly dependencies?: DependencyPolicy;
  /** It is used for so long that the workspace will change meanwhile. An overlay then does not stand on the live folder. */
  readonly isLong?: boolean;
  /** What commands may do. Default: everything. Otherwise `state` is that of `now`. */
  readonly access?: CopyAccess;
  /** The revision of a plan that `state` has. Default: none. */
  readonly plan?: PlanInCopy;
  /** For a fork: completes its files before the copy exists. If it fails, it leaves nothing outside of the copy's folder. */
  readonly completeFork?: (copy: Pick<OpenCopy, 'record' | 'files'>) => Promise<ForkRecord>;
}

/** A copy, and why better ways were not possible, for display. */
export interface MadeCopy {
  readonly copy: OpenCopy;
  readonly notes: readonly string[];
}

/** @throws SavepointError IO, NO_SPACE, CANCELLED: nothing is left */
export async function makeCopy(request: CopyRequest, pace: Pace): Promise<MadeCopy> {
  const { workspace, home, purpose, base, name } = request;
  const { ports, root } = workspace;
  await removeDeadCopies(ports, home);
  const making = beginCopy(ports, home);
  const { id, place } = making;
  let files: CopiedFiles | null = null;
  try {
    files = await makeFiles(request, { id, place }, pace);
    const { opened, rung, bytes, hasLinkedPackages = false, notes } = files;
    const { holder, ...view } = opened;
    const made: CopyRecord = {
      id,
      purpose,
      rung,
      workspace: workspace.id,
      root,
      place,
      base: base.id,
      created: ports.clock.now(),
      name,
      owner: ports.processes.self(),
      holder,
      bytes,
      below: null,
      fork: null,
      hasLinkedPackages,
      plan: request.plan ?? null,
    };
    const { completeFork } = request;
    const record =
      completeFork === undefined
        ? made
        : { ...made, owner: null, fork: await completeFork({ record: made, files: opened.files }) };
    making.publish(record);
    return { copy: openCopy(ports, record, view), notes };
  } catch (error) {
    await files?.opened.close();
    making.abandon();
    throw error;
  }
}

/**
 * Uses a copy that exists. The caller has checked that no other process does.
 * @param home the folder that contains all stores
 * @param base the checkpoint that its changes are relative to
 * @throws SavepointError IO
 */
export async function reopenCopy(
  { ports, root, searchPath }: Pick<Workspace, 'ports' | 'root' | 'searchPath'>,
  home: DiskPath,
  found: CopyRecord,
  base: Checkpoint,
): Promise<OpenCopy> {
  const { id, place } = found;
  const owner = ports.processes.self();
  if (found.rung !== 'overlay') {
    const record = { ...found, owner };
    writeCopyRecord(ports, record);
    return cleaned(ports, openCopy(ports, record, folderView(ports, record)));
  }
  const tree = treeIn(place);
  const layers = ports.fs.lstat(tree) === null ? [] : [tree];
  const repositories = outerRepositories(ports.fs, root, repositoriesOf(base.roots));
  const request = { id, root, place, home, layers, repositories };
  const opened = await openOverlayCopy(ports, searchPath, copiesIn(home), request);
  if ('why' in opened) {
    const data = { path: nameToJson(place), operation: 'mount', code: 'ENOTSUP' };
    throw new SavepointError('IO', `The copy ${id} cannot be mounted again: ${opened.why}`, data);
  }
  const { holder, ...view } = opened;
  const record = { ...found, owner, holder };
  writeCopyRecord(ports, record);
  return cleaned(ports, openCopy(ports, record, view));
}

/** A folder for overlays to stand on, which nothing changes: they may be used for long. */
export interface FolderBelow extends BelowInMaking {
  /** Bytes that were copied to make it. */
  readonly bytes: number;
}

/** @throws SavepointError IO, NO_SPACE, CANCELLED: nothing is left */
export async function makeFolderBelow(
  request: Pick<CopyRequest, 'workspace' | 'home' | 'now' | 'state'> & { readonly dependencies: 'all' | 'none' },
  pace: Pace,
): Promise<FolderBelow> {
  const { workspace, home, now } = request;
  const making = beginBelow(workspace.ports, home);
  try {
    const dependencies = request.dependencies === 'all' ? 'copy' : 'none';
    const place = { home, place: making.place, rungs: FOLDER_RUNGS, isSeenInPlace: true };
    const given = { workspace, ...place, dependencies, stateOf: stateIn(workspace, now) } as const;
    const made = await copyOfFolder(given, pace);
    await correct(request, made, (target) => target, pace);
    return { ...making, bytes: bytesOf(made) };
  } catch (error) {
    making.abandon();
    throw error;
  }
}

function cleaned({ fs }: Ports, copy: OpenCopy): OpenCopy {
  removeIfExists(fs, unfinishedIn(copy.files));
  return copy;
}

function openCopy(ports: Ports, record: CopyRecord, view: CopyView): OpenCopy {
  const drop = async (): Promise<void> => {
    await view.close();
    removeCopy(ports, record.place);
  };
  return { record, ...view, drop };
}

/** The files of a copy before it has its record. */
interface CopiedFiles {
  readonly opened: CopyView & { readonly holder: ProcessIdentity | null };
  readonly rung: CopyRung;
  /** Of the copied files. */
  readonly bytes: number;
  readonly hasLinkedPackages?: boolean;
  readonly notes: readonly string[];
}

type CopyFolder = Pick<CopyRecord, 'id' | 'place'>;

async function makeFiles(request: CopyRequest, folder: CopyFolder, pace: Pace): Promise<CopiedFiles> {
  const { rungs = RUNGS, access } = request;
  if (access !== undefined) return makeWithAccess(request, folder, access, pace);
  if (!rungs.includes('overlay')) return makeFolder(request, folder, rungs, pace);
  const overlay = await makeOverlay(request, folder, pace);
  if (!('why' in overlay)) return overlay;
  const made = await makeFolder(request, folder, rungs, pace);
  return { ...made, notes: [`no overlay is possible: ${overlay.why}`, ...made.notes] };
}

/** @throws SavepointError USAGE if only the good will of commands would keep them from more */
async function makeWithAccess(
  request: CopyRequest,
  folder: CopyFolder,
  access: CopyAccess,
  pace: Pace,
): Promise<CopiedFiles> {
  const { rungs = RUNGS } = request;
  const made = rungs.includes('overlay') ? await makeOverlay(request, folder, pace) : { why: 'it was not asked for' };
  if (!('why' in made)) return made;
  const message = `Only an overlay can keep commands from more than to ${access}, and none is possible: ${made.why}.`;
  throw new SavepointError('USAGE', message, { argument: 'access' }, { hint: 'Nothing was run.' });
}

async function makeOverlay(
  request: CopyRequest,
  { id, place }: CopyFolder,
  pace: Pace,
): Promise<CopiedFiles | { readonly why: string }> {
  const { workspace, home, now, state, isLong = false, access = null } = request;
  const { ports, root, searchPath, store } = workspace;
  // Before anything is copied.
  const why = await whyNoOverlay(ports, searchPath, root, copiesIn(home));
  if (why !== null) return { why };
  const names = access === 'list' ? treeIn(place) : null;
  if (names !== null)
    await makeNamesOnly({ fs: ports.fs, objects: store.objects, snapshot: state, files: names }, pace);
  const below =
    isLong && names === null
      ? await copyOfFolder({ workspace, home, place, rungs: FOLDER_RUNGS, isSeenInPlace: true }, pace)
      : null;
  const layers = [names, below?.files ?? null].filter((layer) => layer !== null);
  const repositories = outerRepositories(ports.fs, root, repositoriesOf(now.roots));
  const given = { id, root, place, home, layers, repositories, access };
  const opened = await openOverlayCopy(ports, searchPath, copiesIn(home), given);
  if ('why' in opened) {
    for (const layer of layers) removeTree(ports.fs, layer);
    return opened;
  }
  if (access !== null) return { opened, rung: 'overlay', bytes: bytesOf(below), notes: [] };
  try {
    const states = { fs: ports.fs, objects: store.objects, files: opened.files, before: now.snapshot, after: state };
    await materialize({ ...states, linkTarget: (target) => target }, pace);
  } catch (error) {
    await opened.close();
    throw error;
  }
  const notIsolated = below === null ? [...opened.notIsolated, LIVE] : opened.notIsolated;
  return { opened: { ...opened, notIsolated }, rung: 'overlay', bytes: bytesOf(below), notes: [] };
}

/** What a checkpoint says about paths. */
function stateIn({ store }: Workspace, { snapshot }: Checkpoint): (path: TreePath) => PathState {
  const read = cachedFolderReader(store.objects);
  return (path) => stateAt(read, snapshot, path);
}

function bytesOf(made: FolderCopy | null): number {
  return made?.rung === 'copy' ? made.copied.bytes : 0;
}

async function makeFolder(
  request: CopyRequest,
  { id, place }: CopyFolder,
  rungs: readonly CopyRung[],
  pace: Pace,
): Promise<CopiedFiles> {
  const { workspace, home, now, dependencies = 'auto' } = request;
  const { ports, root } = workspace;
  const stateOf = stateIn(workspace, now);
  const wanted = FOLDER_RUNGS.filter((rung) => rungs.includes(rung));
  const made = await copyOfFolder(
    {
      ...{ workspace, home, place, dependencies, stateOf },
      rungs: wanted.length > 0 ? wanted : FOLDER_RUNGS,
      mounts: mountsOf(now),
    },
    pace,
  );
  const { files, rung, copied } = made;
  await correct(request, made, (target) => linkTargetInCopy(target, root, files), pace);
  const hasLinkedPackages = copied.linkedFolders > 0;
  const notes = [
    ...made.repositoriesElsewhere.map(
      (path) => `${showName(path)} is not in the copy: its repository is outside of the folder`,
    ),
    ...made.environments.map(
      (path) =>
        `${showName(path)} has absolute paths: its programs, and packages that are installed as editable, are those of the folder`,
    ),
    ...(hasLinkedPackages
      ? [
          `${copied.linkedFolders} packages are links to those of the folder: what is written into them changes the folder`,
        ]
      : []),
  ];
  const opened = { holder: null, ...folderView(ports, { id, place, created: ports.clock.now(), hasLinkedPackages }) };
  return { opened, rung, bytes: rung === 'copy' ? copied.bytes : 0, hasLinkedPackages, notes };
}

/**
 * Gives a copy the state that it is to have. What changed in the folder while it was copied would look like a change of the
 * copy, and what could not be copied like a deletion.
 */
async function correct(
  { workspace, now, state }: Pick<CopyRequest, 'workspace' | 'now' | 'state'>,
  { files, copied }: FolderCopy,
  linkTarget: (target: string) => string,
  pace: Pace,
): Promise<void> {
  const { ports, store } = workspace;
  const { scan, objects } = await scanWorkspace(workspace, pace);
  const copiedState = withoutLeftOut(objects, scan.snapshot, copied);
  for (const before of [copiedState, now.snapshot]) {
    const reader = before === copiedState ? objects : store.objects;
    await materialize({ fs: ports.fs, objects: reader, files, before, after: state, linkTarget }, pace);
  }
}

/** The state without the captured paths that could not be copied. */
function withoutLeftOut(objects: ObjectBatch, snapshot: Snapshot, { leftOut }: TreeCopy): Snapshot {
  const read = cachedFolderReader(objects);
  const lacking = leftOut.filter(
    ({ path, why }) => (why === 'unreadable' || why === 'changed') && stateAt(read, snapshot, path).entry !== null,
  );
  return editSnapshot(
    objects,
    snapshot,
    lacking.map(({ path }) => ({ path, to: null, ignored: false })),
  );
}

/** Roots on file systems of their own. Without them, they would look deleted. */
function mountsOf({ roots }: Checkpoint): ReadonlySet<TreePath> {
  return new Set(roots.filter(({ mount }) => mount === true).map(({ path }) => path));
}

/** Copying is always possible. */
async function copyOfFolder(request: FolderCopyRequest, pace: Pace): Promise<FolderCopy> {
  const rungs = request.rungs.includes('copy') ? request.rungs : [...request.rungs, 'copy' as const];
  const made = await makeFolderCopy({ ...request, rungs }, pace);
  if (made === null) throw new Error('copying is always possible');
  return made;
}
