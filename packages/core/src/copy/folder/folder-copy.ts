/** Makes the working folder of a copy: `tree/` in the folder of the copy. */

import type { Pace } from '../../io/pace.ts';
import {
  baseName,
  type DiskPath,
  diskChild,
  isInside,
  nameOf,
  onDisk,
  parentPath,
  type TreePath,
} from '../../model/names.ts';
import { stagingFolders } from '../../store/staging-names.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { PathState } from '../../timeline/diff/snapshot-diff.ts';
import type { CopyRung, DependencyPolicy } from '../copy.ts';
import { copyTree, type TreeCopy } from './copy-tree.ts';
import { GitFolders } from './git-folder.ts';
import { linkTargetInCopy } from './link-targets.ts';
import { LinkedPackages } from './linked-packages.ts';
import { canClone } from './probe-clone.ts';

export type FolderRung = Exclude<CopyRung, 'overlay'>;

export interface FolderCopyRequest {
  readonly workspace: Pick<Workspace, 'ports' | 'root' | 'store'>;
  /** The folder that contains all stores. */
  readonly home: DiskPath;
  /** The folder of the copy. It exists and is private. */
  readonly place: DiskPath;
  /** The ways to try, best first. */
  readonly rungs: readonly FolderRung[];
  /** Roots on file systems of their own, which are copied as well. */
  readonly mounts?: ReadonlySet<TreePath>;
  /** What it gets of dependency folders. Default `auto`. */
  readonly dependencies?: DependencyPolicy;
  /** What a checkpoint says about a path. Needed to link or leave out dependency folders. */
  readonly stateOf?: (path: TreePath) => PathState;
  /** Commands will see it at the path of the workspace, so links and repositories stay as they are. Default false. */
  readonly isSeenInPlace?: boolean;
  /** Another place where the same folder is seen, which is copied. Default: the folder of the workspace. */
  readonly from?: DiskPath;
}

export interface FolderCopy {
  readonly rung: FolderRung;
  readonly files: DiskPath;
  readonly copied: TreeCopy;
  /** `.git` files that the copy lacks, because git would write into a repository outside of the folder. */
  readonly repositoriesElsewhere: readonly TreePath[];
  /** Virtual environments of Python: they contain absolute paths, which lead into the original. */
  readonly environments: readonly TreePath[];
}

/**
 * @returns null if none of the ways works here
 * @throws FsError of the copy's side (ENOSPC, EROFS, …); the caller removes `place` then
 * @throws SavepointError CANCELLED
 */
export async function makeFolderCopy(request: FolderCopyRequest, pace: Pace): Promise<FolderCopy | null> {
  const { workspace, home, place, mounts, isSeenInPlace = false, dependencies = 'auto', stateOf } = request;
  const { ports, root, store } = workspace;
  const rung = await bestRung(request);
  if (rung === null) return null;
  const files = treeIn(place);
  const repositories = new GitFolders(ports.fs, root, files);
  const staging = stagingFolders(ports, store.layout.journal);
  const isDependency = (path: TreePath): boolean => stateOf?.(path).skip?.reason === 'dependency-folder';
  const packages = new LinkedPackages(ports.fs, root, (path) => !isDependency(path));
  const environments: TreePath[] = [];
  const copied = await copyTree({
    fs: ports.fs,
    from: request.from ?? root,
    to: files,
    method: rung === 'reflink' ? 'clone' : 'copy',
    pace,
    ...(mounts === undefined ? {} : { mounts }),
    leavesOut: (path, kind) => {
      if (kind === 'folder' && (staging.has(baseName(path)) || isInside(onDisk(root, path), home))) return true;
      if (kind === 'folder' && dependencies === 'none' && isDependency(path)) return true;
      if (kind === 'file' && baseName(path) === ENVIRONMENT) environments.push(parentPath(path));
      return !isSeenInPlace && repositories.leavesOut(path, kind);
    },
    linkInstead: (path) => (dependencies === 'link' ? packages.targetOf(path) : null),
    linkTarget: (target) => (isSeenInPlace ? target : linkTargetInCopy(target, root, files)),
  });
  if (!isSeenInPlace) repositories.correct();
  const repositoriesElsewhere = repositories.elsewhere;
  return { rung, files, copied, repositoriesElsewhere, environments: isSeenInPlace ? [] : environments };
}

const ENVIRONMENT = nameOf('pyvenv.cfg');

/** Where a copy has its working folder, if it is not an overlay. */
export function treeIn(place: DiskPath): DiskPath {
  return diskChild(place, 'tree');
}

async function bestRung({ workspace, place, rungs }: FolderCopyRequest): Promise<FolderRung | null> {
  const { ports, root } = workspace;
  for (const rung of rungs) if (rung === 'copy' || (await canClone(ports.fs, root, place))) return rung;
  return null;
}
