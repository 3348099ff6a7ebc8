/** What a scan knows of a folder and its names while it scans them. */

import type { ListedStat } from '../../io/fs.ts';
import type { FileEntry, LinkEntry, Skip } from '../../model/entries.ts';
import type { DiskPath, Name, TreePath } from '../../model/names.ts';
import type { Findings } from './findings.ts';
import type { FolderDraft } from './folder-draft.ts';
import type { FolderTask } from './folder-task.ts';
import type { EnteredFolder } from './position.ts';

/** A folder that the scan does not enter. */
export interface SkippedFolder {
  readonly skip: Skip;
  /** A change inside it could end the skip, but would go unnoticed. */
  readonly isUnwatched: boolean;
}

/** `done`: captured or skipped. `gone`: when opened, it no longer existed or was something else. */
export type CaptureStatus = 'gone' | 'done';

/** A file or link. It is not `stable` if it kept changing while it was being read. */
export type CapturedLeaf = {
  readonly entry: FileEntry | LinkEntry;
  readonly stat: ListedStat;
  readonly stable: boolean;
};

/** A folder whose names are being scanned. */
export interface FolderInProgress {
  readonly task: FolderTask;
  readonly position: EnteredFolder['position'];
  /** The skip recorded for everything in it that is not captured. Null outside dependency folders. */
  readonly dependency: Skip | null;
  readonly draft: FolderDraft;
  /** Those of a dependency folder are dropped if it turns out to be skipped, apart from its being a root. */
  readonly findings: Findings;
  /** It has paths that are captured for this scan alone, or Savepoint's own. */
  readonly hasExceptions: boolean;
  /** See `VisitedFolder.inDoubt`. */
  inDoubt: boolean;
}

/** What is captured in it depends only on the rules, so known entries can be kept without applying them again. */
export function isPlain({
  dependency,
  hasExceptions,
}: Pick<FolderInProgress, 'dependency' | 'hasExceptions'>): boolean {
  return dependency === null && !hasExceptions;
}

export interface ScanEntry {
  /** Position in the folder's listing. */
  readonly index: number;
  readonly name: Name;
  readonly path: TreePath;
  readonly disk: DiskPath;
}
