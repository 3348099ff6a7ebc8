import { type DiskPath, onDisk } from '../../model/names.ts';
import type { TypePlace } from './type-errors.ts';

/** The folder itself as the place in which type checkers run. They write nothing there. */
export function inFolder(root: DiskPath): TypePlace['place'] {
  return {
    files: root,
    seenAs: root,
    command: ({ file, args, cwd, env }) => ({ file, args, cwd: cwd === undefined ? root : onDisk(root, cwd), env }),
  };
}
