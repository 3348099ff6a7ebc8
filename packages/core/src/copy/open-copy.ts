/** Makes a copy in the best way that works where it is to lie. */

import type { Pace } from '../io/pace.ts';
import { removeTree } from '../io/remove-tree.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Snapshot } from '../model/entries.ts';
import type { CopyId } from '../model/ids.ts';
import { type DiskPath, diskChild, onDisk, type TreePath } from '../model/names.ts';
import { makeFolders } from '../store/private-folders.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { CopyPurpose, CopyRecord, CopyRung, OpenCopy } from './copy.ts';
import { makeFolderCopy } from './folder/folder-copy.ts';
import { linkTargetInCopy } from './folder/link-targets.ts';
import { materialize } from './folder/materialize.ts';

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
  /** It is used for so long that the workspace will change meanwhile. An overlay then does not stand on the live folder. */
  readonly isLong?: boolean;
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
  const id = `copy_${ports.random.hex(4)}` as CopyId;
  const place = diskChild(diskChild(home, 'copies'), id);
  makeFolders(ports.fs, place, 0o700);
  const made = await makeFolderCopy({ workspace, home, place, rungs: ['reflink', 'copy'] }, pace);
  if (made === null) throw new Error('copying is always possible');
  const { files, rung, notIsolated } = made;
  await materialize(
    {
      fs: ports.fs,
      objects: workspace.store.objects,
      files,
      before: request.now.snapshot,
      after: request.state,
      linkTarget: (target) => linkTargetInCopy(target, root, files),
    },
    pace,
  );
  const record: CopyRecord = {
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
    holder: null,
  };
  const copy: OpenCopy = {
    record,
    files,
    seenAs: files,
    notIsolated,
    command: ({ file, args, cwd = '' as TreePath, env }) => ({ file, args, cwd: onDisk(files, cwd), env }),
    processes: () => [],
    touched: () => null,
    close: async () => undefined,
    drop: async () => removeTree(ports.fs, place),
  };
  return { copy, notes: [] };
}
