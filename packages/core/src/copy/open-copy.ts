/** Makes a copy in the best way that works where it is to lie. */

import { showName } from '../content/show-name.ts';
import type { Pace } from '../io/pace.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Snapshot } from '../model/entries.ts';
import { type DiskPath, onDisk, type TreePath } from '../model/names.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { CopyPurpose, CopyRecord, CopyRung, OpenCopy } from './copy.ts';
import { type FolderCopy, makeFolderCopy } from './folder/folder-copy.ts';
import { linkTargetInCopy } from './folder/link-targets.ts';
import { materialize } from './folder/materialize.ts';
import { beginCopy, removeCopy, removeDeadCopies } from './records.ts';

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
  removeDeadCopies(ports, home);
  const making = beginCopy(ports, home);
  const { id, place } = making;
  let made: FolderCopy;
  let record: CopyRecord;
  try {
    made = await makeFolderOf(request, place, pace);
    record = {
      id,
      purpose,
      rung: made.rung,
      workspace: workspace.id,
      root,
      place,
      base: base.id,
      created: ports.clock.now(),
      name,
      owner: ports.processes.self(),
      holder: null,
      bytes: made.rung === 'copy' ? made.copied.bytes : 0,
    };
    making.publish(record);
  } catch (error) {
    making.abandon();
    throw error;
  }
  const { files, notIsolated } = made;
  const copy: OpenCopy = {
    record,
    files,
    seenAs: files,
    notIsolated,
    command: ({ file, args, cwd = '' as TreePath, env }) => ({ file, args, cwd: onDisk(files, cwd), env }),
    processes: () => [],
    touched: () => null,
    close: async () => undefined,
    drop: async () => removeCopy(ports, place),
  };
  const notes = made.repositoriesElsewhere.map(
    (path) => `${showName(path)} is not in the copy: its repository is outside of the folder`,
  );
  return { copy, notes };
}

async function makeFolderOf(request: CopyRequest, place: DiskPath, pace: Pace): Promise<FolderCopy> {
  const { workspace, home, now, state } = request;
  const { ports, root, store } = workspace;
  const made = await makeFolderCopy({ workspace, home, place, rungs: ['reflink', 'copy'] }, pace);
  if (made === null) throw new Error('copying is always possible');
  const linkTarget = (target: string): string => linkTargetInCopy(target, root, made.files);
  const { files } = made;
  await materialize(
    { fs: ports.fs, objects: store.objects, files, before: now.snapshot, after: state, linkTarget },
    pace,
  );
  return made;
}
