/** The repositories in the working folder of a copy. */

import { GIT_FOLDER, pathComponents, type TreePath } from '../../model/names.ts';

/** Whether the file is a lock of git. The process that holds it does not work in the copy. */
export function isGitLock(path: TreePath): boolean {
  return path.endsWith('.lock') && pathComponents(path).includes(GIT_FOLDER);
}
