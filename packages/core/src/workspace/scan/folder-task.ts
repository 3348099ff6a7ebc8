/** A folder that is to be scanned, and whether a memory of it holds for it. */

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
  /** Inside a dependency folder only tracked and required paths are captured; this is on record for the rest. */
  readonly onlyNamed: Skip | null;
  /** It is on another file system than its parent. */
  readonly isMount: boolean;
}

export function folderContextOf({ above, ignored, isMount, stat }: FolderTask): FolderContext {
  return { rules: above.chain?.key ?? '', ignored, isMount, inode: stat.ino, tracked: above.tracked.names };
}

/** Whether the folder was looked at under the same circumstances. */
export function hasSameContext({ context: under, findings }: VisitedFolder, task: FolderTask): boolean {
  const now = folderContextOf(task);
  return (
    task.onlyNamed === null &&
    under.rules === now.rules &&
    under.ignored === now.ignored &&
    under.isMount === now.isMount &&
    under.inode === now.inode &&
    (!findings.dependsOnTracked || under.tracked === now.tracked)
  );
}
