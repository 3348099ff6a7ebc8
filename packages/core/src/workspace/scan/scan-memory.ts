/** What scans of one workspace leave for the next one. Nothing but their cost depends on it. */

import type { Fs } from '../../io/fs.ts';
import type { CaptureRules } from '../../model/checkpoint.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { DiskPath, TreePath } from '../../model/names.ts';
import type { OwnPaths } from '../../store/own-paths.ts';
import type { Findings } from './findings.ts';
import type { WrittenFolder } from './folder-draft.ts';
import type { KnownFolder } from './known-folder.ts';
import type { LinkedFile } from './linked-file.ts';
import type { TrackedLookup } from './position.ts';

/** A folder that a scan went into, with what it found there and below. */
export interface VisitedFolder {
  readonly written: WrittenFolder;
  readonly findings: Findings;
  readonly context: FolderContext;
  /** Something in the folder itself may change without a sign of it, or was not seen as it is. */
  readonly inDoubt: boolean;
  /** Files in the folder itself that have another name somewhere; null: none has. */
  readonly linked: readonly LinkedFile[] | null;
}

/** What the folder's parent hands down, on which depends what is found in it. */
export interface FolderContext {
  /** Key of the parent's ignore rules; '' where it has none. */
  readonly rules: string;
  readonly ignored: boolean;
  readonly isMount: boolean;
  readonly inode: number;
  /** Compared by identity, and only where something below asked it. */
  readonly tracked: TrackedLookup['names'];
}

/** Of {@link RecalledScan.still}: what lies above the workspace. No path in it. */
export const ABOVE_WORKSPACE = '..';

/** On what all of a scan depends. */
export interface ScanDependencies {
  readonly root: DiskPath;
  readonly rules: CaptureRules;
  readonly own: OwnPaths;
  /** Whether the commit is one of a checkpoint: then all that it leads to is in the store. */
  readonly isCheckpoint: (commit: ObjectId) => boolean;
}

/** What is remembered, at the beginning of one scan. */
export interface RecalledScan {
  /** As it was found; the objects are in the store. */
  known(path: TreePath): KnownFolder | undefined;
  /** The folder with all below it, if nothing there can have changed since; null: look. */
  unchangedFolder(path: TreePath): VisitedFolder | null;
  /**
   * To be called before a folder is listed.
   * @returns false where changes in it will not be noticed
   */
  watch(folder: DiskPath): boolean;
  /** Nothing changed in the folder, as it is known to be watched, since this was recalled. False: that is not known. */
  isQuiet(folder: TreePath): boolean;
  /**
   * What `make` returned in an earlier scan, if all that it looked at through its `fs` is as it was; else what it returns now.
   * @param make is told what it returned before, where something is not as it was
   * @param isSame whether what was found below the key's folder holds under both
   */
  still<Result>(
    key: string,
    make: (fs: Fs, before: Result | null) => Result,
    isSame?: (before: Result, now: Result) => boolean,
  ): Result;
  /**
   * Whether all has to be recalled and scanned once more: a file that was found has another name in a folder that was not
   * gone to, where nothing tells of a change through this one.
   */
  mustRescan(visited: ReadonlyMap<TreePath, VisitedFolder>): boolean;
}

export interface ScanMemory {
  recall(frame: ScanDependencies): RecalledScan;
  /**
   * What was found is in the trees of `commit`, a checkpoint. The caller holds the workspace's lock.
   * @param changedSince paths at which something else is now than the scan found
   */
  keep(
    commit: ObjectId,
    recalled: RecalledScan,
    visited: ReadonlyMap<TreePath, VisitedFolder>,
    changedSince: readonly TreePath[],
  ): void;
  /** The next scan reads every file. */
  forget(): void;
}
