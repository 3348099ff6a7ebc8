/** What scans of one workspace remember for the next one. It affects only their cost, never their result. */

import type { Fs } from '../../io/fs.ts';
import type { CaptureRules } from '../../model/checkpoint.ts';
import type { SkipReason } from '../../model/entries.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { DiskPath, TreePath } from '../../model/names.ts';
import type { OwnPaths } from '../../store/own-paths.ts';
import type { FolderRef } from '../../store/snapshot/snapshot.ts';
import type { Findings } from './findings.ts';
import type { KnownFolder } from './known-folder.ts';
import type { LastSnapshot } from './last-snapshot.ts';
import type { LinkedFile } from './linked-file.ts';
import type { TrackedLookup } from './position.ts';
import type { WrittenFolder } from './written-folder.ts';

/** A folder that a scan entered, with what it found there and below. */
export interface VisitedFolder {
  readonly written: WrittenFolder;
  readonly findings: Findings;
  readonly context: FolderContext;
  /** Something in the folder itself may change unnoticed, or could not be captured reliably. */
  readonly inDoubt: boolean;
  /** Files in the folder itself that have further hard links. Null if there are none. */
  readonly linked: readonly LinkedFile[] | null;
}

/** What the parent passes to the folder. The scan's result depends on it. */
export interface FolderContext {
  /** Key of the parent's ignore rules. '' if there are none. */
  readonly rules: string;
  /** An ignore rule covers the folder. */
  readonly covered: boolean;
  /** Why only tracked and required paths are captured in the parent. Null if it is captured whole. */
  readonly dependencyAbove: SkipReason | null;
  readonly isMount: boolean;
  readonly inode: number;
  /** Compared by identity, and only if something below depends on it. */
  readonly tracked: TrackedLookup['names'];
}

/** Key for {@link RecalledScan.still}: the rules above the workspace. It is never a path in the workspace. */
export const ABOVE_WORKSPACE = '..';

/** What every part of a scan depends on. */
export interface ScanDependencies {
  readonly root: DiskPath;
  readonly rules: CaptureRules;
  readonly own: OwnPaths;
  /** Whether the commit is a checkpoint: if so, everything reachable from it is in the store. */
  readonly isCheckpoint: (commit: ObjectId) => boolean;
  /** Whether the last checkpoint has these trees at the path. */
  readonly isCaptured: (path: TreePath, ref: FolderRef) => boolean;
}

/** All of it that no proof covers, as one text. */
export function dependenciesOf(fs: Fs, { root, rules }: Pick<ScanDependencies, 'root' | 'rules'>): string {
  const stat = fs.lstat(root);
  return JSON.stringify([stat?.dev, stat?.ino, rules, fs.mountPoints()]);
}

/** The memory's state at the beginning of one scan. */
export interface RecalledScan {
  /** The folder's record. Its objects are in the store. */
  known(path: TreePath): KnownFolder | undefined;
  /** Returns the folder with everything below it, if nothing there can have changed. Null: it must be scanned. */
  unchangedFolder(path: TreePath): VisitedFolder | null;
  /**
   * Must be called before a folder is listed.
   * @returns false if changes in the folder will go unnoticed
   */
  watch(folder: DiskPath): boolean;
  /** Whether the folder is known to be watched and unchanged since the recall. False if unknown. */
  isQuiet(folder: TreePath): boolean;
  /**
   * Returns what `make` returned in an earlier scan, if nothing that it read through its `fs` has changed. Otherwise
   * calls it again.
   * @param make receives its earlier result if something changed
   * @param isSame whether the findings below the key's folder are valid for both results
   */
  still<Result>(
    key: string,
    make: (fs: Fs, before: Result | null) => Result,
    isSame?: (before: Result, now: Result) => boolean,
  ): Result;
  /**
   * Whether to recall and scan again. A file was found that has another link in a folder that was not scanned, where a
   * change through this link is not reported.
   */
  mustRescan(visited: ReadonlyMap<TreePath, VisitedFolder>): boolean;
}

export interface ScanMemory {
  /** Called before the first `recall` of a scan: a memory may have to ask another process. */
  prepare?(frame: ScanDependencies): Promise<void>;
  recall(frame: ScanDependencies): RecalledScan;
  /**
   * Records that the findings are in the trees of `commit`, a checkpoint. The caller holds the workspace's lock.
   * @param changedSince paths that have changed since the scan read them
   */
  keep(
    commit: ObjectId,
    recalled: RecalledScan,
    visited: ReadonlyMap<TreePath, VisitedFolder>,
    changedSince: readonly TreePath[],
  ): void;
  /**
   * Records the findings of a scan that makes no checkpoint, as far as a checkpoint has them. Needs no lock, and writes
   * nothing.
   * @param commit the last checkpoint when the scan began @param last its snapshot
   */
  keepUncaptured(
    commit: ObjectId,
    last: Pick<LastSnapshot, 'holds' | 'holdsLeaf'>,
    recalled: RecalledScan,
    visited: ReadonlyMap<TreePath, VisitedFolder>,
  ): void;
  /** Makes the next scan read every file. */
  forget(): void;
}
