import { type DiskPath, onDisk, WORKSPACE_ITSELF } from '../../model/names.ts';
import type { OpenCopy } from '../copy.ts';
import { treeIn } from './folder-copy.ts';

/** A copy without its record. */
export type CopyView = Omit<OpenCopy, 'record' | 'drop'>;

const NOT_ISOLATED = ['the home folder, /tmp, the network, and the real folder under its absolute path'];

/** The copy whose working folder is `tree/` in `place`, without the processes that run in it. */
export function folderView(place: DiskPath): CopyView {
  const files = treeIn(place);
  return {
    files,
    seenAs: files,
    access: null,
    notIsolated: NOT_ISOLATED,
    command: ({ file, args, cwd = WORKSPACE_ITSELF, env }) => ({ file, args, cwd: onDisk(files, cwd), env }),
    processes: () => [],
    touched: () => null,
    close: async () => undefined,
  };
}
