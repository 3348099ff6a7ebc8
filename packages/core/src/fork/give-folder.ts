/** Turns a fork that is an overlay into one with a folder of its own. */

import { showName } from '../content/show-name.ts';
import type { CopyRecord } from '../copy/copy.ts';
import { makeFolderCopy, treeIn } from '../copy/folder/folder-copy.ts';
import { removeLeftovers, writeCopyRecord } from '../copy/records.ts';
import type { Pace } from '../io/pace.ts';
import { removeTree } from '../io/remove-tree.ts';
import { syncTree } from '../io/sync-tree.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { Fork } from './fork.ts';
import { endProcessesIn } from './fork-processes.ts';
import { lookAtFork } from './open-fork.ts';
import { runsOf } from './runs.ts';

export interface ForkFolder {
  readonly folder: DiskPath;
  /** For display. */
  readonly notes: readonly string[];
}

/**
 * The record says that it is an overlay until the folder is complete and durable. A crash leaves the one or the other. The
 * caller holds the lock of the workspace.
 * @param home the folder that contains all stores
 * @throws SavepointError USAGE if a command runs in it, IO, NO_SPACE
 */
export async function giveFolder(workspace: Workspace, home: DiskPath, fork: Fork, pace: Pace): Promise<ForkFolder> {
  const { ports, searchPath, root } = workspace;
  const { copy, name } = fork;
  const { place } = copy;
  if (runsOf(ports, fork).some(({ state }) => state === 'running')) {
    const hint = 'Wait until it ends. `savepoint fork show` shows what it printed.';
    throw new SavepointError('USAGE', `A command runs in fork ${name}.`, { argument: 'name' }, { hint });
  }
  // What the last command left running ends with its mount.
  await endProcessesIn(ports, copy);
  const files = treeIn(place);
  removeTree(ports.fs, files);
  const made = await lookAtFork(workspace, fork, ({ files: from }) =>
    makeFolderCopy({ workspace, home, place, from, rungs: ['copy'] }, pace),
  );
  if (made === null) throw new Error('copying is always possible');
  await syncTree(ports, searchPath, root, files);
  const record: CopyRecord = { ...copy, rung: made.rung, holder: null, bytes: made.copied.bytes, below: null };
  writeCopyRecord(ports, record);
  for (const part of ['upper', 'work', 'held']) removeTree(ports.fs, diskChild(place, part));
  removeLeftovers(ports, home);
  const notes = made.repositoriesElsewhere.map(
    (path) => `${showName(path)} is not in the folder: its repository is outside of the workspace`,
  );
  return { folder: files, notes };
}
