/** A fork's folder as an open copy. */

import type { OpenCopy } from '../copy/copy.ts';
import { containingFolder, syncFolder } from '../io/durable-write.ts';
import type { Ports } from '../io/ports.ts';
import { removeTree } from '../io/remove-tree.ts';
import { type DiskPath, diskChild, onDisk, type TreePath } from '../model/names.ts';
import type { Fork } from './fork.ts';
import { endProcesses, processesIn } from './fork-processes.ts';

export function treeOf({ copy }: Pick<Fork, 'copy'>): DiskPath {
  return diskChild(copy.place, 'tree');
}

export function openFork(ports: Ports, fork: Fork): OpenCopy {
  const files = treeOf(fork);
  return {
    record: fork.copy,
    files,
    seenAs: files,
    access: null,
    notIsolated: ['the home folder, /tmp, the network and absolute paths of the workspace'],
    command: ({ file, args, cwd = '' as TreePath, env }) => ({ file, args, cwd: onDisk(files, cwd), env }),
    processes: () => processesIn(ports, fork.copy),
    touched: () => null,
    close: () => endProcesses(ports, fork.copy),
    drop: async () => {
      await endProcesses(ports, fork.copy);
      removeTree(ports.fs, fork.copy.place);
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
