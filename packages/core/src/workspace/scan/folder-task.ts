/** A folder to scan, and whether a remembered scan of it still applies. */

import type { ListedStat } from '../../io/fs.ts';
import type { Skip } from '../../model/entries.ts';
import type { DiskPath, TreePath } from '../../model/names.ts';
import type { WalkPosition } from './position.ts';
import type { FolderContext, VisitedFolder } from './scan-memory.ts';

export interface FolderTask {
  readonly path: TreePath;
  readonly disk: DiskPath;
  readonly stat: ListedStat;
  /** Repository and ignore rules of the parent. */
  readonly above: WalkPosition;
  readonly ignored: boolean;
  /**
   * Set inside a dependency folder, where only tracked and required paths are captured: the skip recorded for the rest.
   */
  readonly onlyNamed: Skip | null;
  /** The folder is on another file system than its parent. */
  readonly isMount: boolean;
}

export function folderContextOf({ above, ignored, isMount, stat }: FolderTask): FolderContext {
  return { rules: above.chain?.key ?? '', ignored, isMount, inode: stat.ino, tracked: above.tracked.names };
}

/** Whether the folder was scanned in the same context. */
export function hasSameContext({ context, findings }: VisitedFolder, task: FolderTask): boolean {
  const now = folderContextOf(task);
  return (
    task.onlyNamed === null &&
    context.rules === now.rules &&
    context.ignored === now.ignored &&
    context.isMount === now.isMount &&
    context.inode === now.inode &&
    (!findings.dependsOnTracked || context.tracked === now.tracked)
  );
}
