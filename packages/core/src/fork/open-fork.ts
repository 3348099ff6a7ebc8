/** The files of a fork: a folder, or what an overlay shows to the commands in it. */

import { showName } from '../content/show-name.ts';
import type { OpenCopy } from '../copy/copy.ts';
import { treeIn } from '../copy/folder/folder-copy.ts';
import { type CopyView, folderView } from '../copy/folder/folder-view.ts';
import { type KeptMount, lookAtOverlay, useKeptOverlay } from '../copy/overlay/kept-overlay.ts';
import type { OverlayRequest } from '../copy/overlay/launch.ts';
import { belowIn, copiesIn, removeLeftovers, writeCopyRecord } from '../copy/records.ts';
import { containingFolder, syncFolder } from '../io/durable-write.ts';
import type { Ports } from '../io/ports.ts';
import { removeTree } from '../io/remove-tree.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, nameToJson } from '../model/names.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { Fork } from './fork.ts';
import { processesIn } from './fork-processes.ts';

/** @returns the folder of a fork; an overlay has none */
export function folderOf({ copy }: Pick<Fork, 'copy'>): DiskPath | null {
  return copy.rung === 'overlay' ? null : treeIn(copy.place);
}

/** The path of the workspace for commands in a fork. */
export function seenIn(fork: Pick<Fork, 'copy'>): DiskPath {
  return folderOf(fork) ?? fork.copy.root;
}

/** Whether somebody removed the folder of the fork. Its record, its own store and what the store of the workspace keeps stay. */
export function isGone({ fs }: Pick<Ports, 'fs'>, fork: Pick<Fork, 'copy'>): boolean {
  const folder = folderOf(fork);
  return folder !== null && fs.lstat(folder) === null;
}

/** @throws SavepointError IO */
export function assertThere(ports: Pick<Ports, 'fs'>, fork: Pick<Fork, 'copy'>): void {
  if (!isGone(ports, fork)) return;
  const name = fork.copy.name ?? fork.copy.id;
  const path = treeIn(fork.copy.place);
  throw new SavepointError(
    'IO',
    `The folder of fork ${name} is not there: ${showName(path)}`,
    { path: nameToJson(path), operation: 'open', code: 'ENOENT' },
    { hint: `\`savepoint fork drop ${name}\` removes the fork, and keeps the last state that was recorded.` },
  );
}

/** The files of a fork, for as long as `use` takes. Commands may run in it meanwhile. @throws SavepointError IO */
export async function lookAtFork<T>(
  { ports, searchPath, root }: Pick<Workspace, 'ports' | 'searchPath' | 'root'>,
  fork: Pick<Fork, 'copy'>,
  use: (copy: OpenCopy) => Promise<T>,
): Promise<T> {
  const { copy } = fork;
  assertThere(ports, fork);
  if (copy.rung !== 'overlay') return use(openCopy({ ports }, fork, folderView(ports, copy)));
  const mount = await lookAtOverlay(ports, searchPath, copiesOf(copy.place), overlayOf(fork, root));
  try {
    return await use(openCopy({ ports }, fork, mount.copy));
  } finally {
    await mount.release();
  }
}

export type OpenFork = OpenCopy & Pick<KeptMount, 'release'> & { readonly lock: KeptMount['lock'] | null };

/**
 * Opens a fork to run commands in it, until `release`. The caller holds the lock of the workspace while it opens it, and not
 * longer. @throws SavepointError IO
 */
export async function openFork(
  { ports, searchPath, root }: Pick<Workspace, 'ports' | 'searchPath' | 'root'>,
  fork: Pick<Fork, 'copy'>,
): Promise<OpenFork> {
  const { copy } = fork;
  assertThere(ports, fork);
  if (copy.rung !== 'overlay') {
    return { ...openCopy({ ports }, fork, folderView(ports, copy)), release: async () => undefined, lock: null };
  }
  const {
    copy: view,
    lock,
    release,
  } = await useKeptOverlay(ports, searchPath, copiesOf(copy.place), overlayOf(fork, root));
  writeCopyRecord(ports, { ...copy, holder: view.holder });
  return { ...openCopy({ ports }, fork, view), lock, release };
}

/** Durable on return. @param what its working folder, or everything that belongs to it */
export function removeFilesOf(
  { ports }: Pick<Workspace, 'ports'>,
  { copy }: Pick<Fork, 'copy'>,
  what: 'tree' | 'place',
): void {
  const { fs } = ports;
  const path = what === 'tree' ? treeIn(copy.place) : copy.place;
  removeTree(fs, path);
  const parent = containingFolder(path);
  if (fs.lstat(parent) !== null) syncFolder(fs, parent);
  if (what === 'place' && copy.below !== null) removeLeftovers(ports, homeOf(copy.place));
}

/** @param root the folder of the workspace, which may have been moved since the fork was made */
function overlayOf({ copy: { id, place, below } }: Pick<Fork, 'copy'>, root: DiskPath): OverlayRequest {
  const home = homeOf(place);
  if (below === null) throw new Error('a fork is never an overlay on the folder itself');
  return { id, root, place, home, layers: [treeIn(belowIn(home, below))], alone: 'work' };
}

/** A fork is closed and dropped by the calls for forks only. */
function openCopy(
  { ports }: Pick<Workspace, 'ports'>,
  { copy }: Pick<Fork, 'copy'>,
  { files, seenAs, access, notIsolated, find, command, touched }: CopyView,
): OpenCopy {
  const never = (): Promise<void> => Promise.reject(new Error('a fork outlives those who use it'));
  return {
    ...{ record: copy, files, seenAs, access, notIsolated, find, command, touched, close: never, drop: never },
    processes: () => processesIn(ports, copy),
  };
}

function copiesOf(place: DiskPath): DiskPath {
  return copiesIn(homeOf(place));
}

/** The folder that contains all stores. */
function homeOf(place: DiskPath): DiskPath {
  return containingFolder(containingFolder(place));
}
