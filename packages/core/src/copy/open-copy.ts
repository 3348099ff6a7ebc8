/** Makes a copy in the best way that works where it is to lie. */

import { type Fs, kindOf, permissions } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import { removeTree } from '../io/remove-tree.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Snapshot } from '../model/entries.ts';
import type { CopyId } from '../model/ids.ts';
import { type DiskPath, diskChild, onDisk, type TreePath } from '../model/names.ts';
import { makeFolders } from '../store/private-folders.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { CopyPurpose, CopyRecord, CopyRung, OpenCopy } from './copy.ts';

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
  const files = diskChild(place, 'tree');
  await copyFolder(ports.fs, root, files, pace);
  const record: CopyRecord = {
    id,
    purpose,
    rung: 'copy',
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
    notIsolated: ['the home folder, /tmp, the network and absolute paths of the workspace'],
    command: ({ file, args, cwd = '' as TreePath, env }) => ({ file, args, cwd: onDisk(files, cwd), env }),
    processes: () => [],
    touched: () => null,
    close: async () => undefined,
    drop: async () => removeTree(ports.fs, place),
  };
  return { copy, notes: [] };
}

async function copyFolder(fs: Fs, from: DiskPath, to: DiskPath, pace: Pace): Promise<void> {
  if (pace.isDue()) await pace.yieldNow();
  const stat = fs.lstat(from);
  if (stat === null) return;
  fs.makeFolder(to, 0o700);
  for (const name of fs.list(from)) {
    const [source, target] = [diskChild(from, name), diskChild(to, name)];
    const found = fs.lstat(source);
    const kind = found === null ? null : kindOf(found);
    if (found === null) continue;
    if (kind === 'folder') await copyFolder(fs, source, target, pace);
    else if (kind === 'link') fs.makeLink(fs.readLink(source), target);
    else if (kind === 'file') {
      const fd = fs.openRead(source);
      try {
        fs.close(await fs.copyFile(fd, target, permissions(found), 'copy'));
      } finally {
        fs.close(fd);
      }
    }
  }
  fs.chmod(to, permissions(stat));
}
