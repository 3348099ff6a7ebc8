/** A fork's folder as an open copy. */

import type { OpenCopy } from '../copy/copy.ts';
import { treeIn } from '../copy/folder/folder-copy.ts';
import { folderView } from '../copy/folder/folder-view.ts';
import { containingFolder, syncFolder } from '../io/durable-write.ts';
import type { Ports } from '../io/ports.ts';
import { removeTree } from '../io/remove-tree.ts';
import type { DiskPath } from '../model/names.ts';
import type { Fork } from './fork.ts';
import { endProcessesIn, processesIn } from './fork-processes.ts';

export function treeOf({ copy }: Pick<Fork, 'copy'>): DiskPath {
  return treeIn(copy.place);
}

export function openFork(ports: Ports, { copy }: Pick<Fork, 'copy'>): OpenCopy {
  const close = (): Promise<void> => endProcessesIn(ports, copy);
  return {
    ...folderView(ports, copy),
    record: copy,
    processes: () => processesIn(ports, copy),
    close,
    drop: async () => {
      await close();
      removeTree(ports.fs, copy.place);
    },
  };
}

/** Durable on return. @param what its working folder, or everything that belongs to it */
export function removeFilesOf({ fs }: Pick<Ports, 'fs'>, fork: Pick<Fork, 'copy'>, what: 'tree' | 'place'): void {
  const path = what === 'tree' ? treeOf(fork) : fork.copy.place;
  removeTree(fs, path);
  const parent = containingFolder(path);
  if (fs.lstat(parent) !== null) syncFolder(fs, parent);
}
