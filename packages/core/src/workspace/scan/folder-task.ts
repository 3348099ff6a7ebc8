/** A folder to scan, and whether a remembered scan of it still applies. */

import type { ListedStat } from '../../io/fs.ts';
import type { Skip } from '../../model/entries.ts';
import type { DiskPath, TreePath } from '../../model/names.ts';
import type { LastSnapshot } from './last-snapshot.ts';
import type { WalkPosition } from './position.ts';
import type { FolderContext, VisitedFolder } from './scan-memory.ts';

export interface FolderTask {
  readonly path: TreePath;
  readonly disk: DiskPath;
  readonly stat: ListedStat;
  /** Repository and ignore rules of the parent. */
  readonly above: WalkPosition;
  /** An ignore rule covers the folder or one above it, and the settings do not include it. */
  readonly covered: boolean;
  /**
   * Set inside a dependency folder, where only tracked and required paths are captured: the skip recorded for the rest.
   */
  readonly dependencyAbove: Skip | null;
  /** The folder is on another file system than its parent. */
  readonly isMount: boolean;
}

export function folderContextOf({ above, covered, dependencyAbove, isMount, stat }: FolderTask): FolderContext {
  return {
    rules: above.chain?.key ?? '',
    covered,
    dependencyAbove: dependencyAbove?.reason ?? null,
    isMount,
    inode: stat.ino,
    tracked: above.tracked.names,
  };
}

/** Whether the folder was scanned in the same context. */
export function hasSameContext(
  { context, findings, written }: VisitedFolder,
  task: FolderTask,
  lastSnapshot: LastSnapshot,
): boolean {
  const now = folderContextOf(task);
  return (
    context.dependencyAbove === now.dependencyAbove &&
    context.rules === now.rules &&
    context.covered === now.covered &&
    context.isMount === now.isMount &&
    context.inode === now.inode &&
    // What is entered also depends on the last checkpoint, which another process may have taken.
    (!findings.dependsOnTracked || (context.tracked === now.tracked && lastSnapshot.holds(task.path, written.ref)))
  );
}
