import type { FileEntry, FolderEntry, LinkEntry } from '../model/entries.ts';
import type { ObjectId, TransactionId, WorkspaceId } from '../model/ids.ts';
import type { DiskPath, Name, TreePath } from '../model/names.ts';
import type { FolderIdentity } from '../store/folder-identity.ts';

/**
 * What one path will become, and what it is expected to be now. Both are null only in a partly rolled-back journal, for
 * paths that are finished: the others keep their slots.
 */
export interface Transition {
  readonly path: TreePath;
  readonly from: FileEntry | LinkEntry | FolderEntry | null;
  readonly to: FileEntry | LinkEntry | FolderEntry | null;
  /**
   * Set if only the permissions of the file change and the file has other names. These may be outside the workspace, and
   * must not change, so this name gets a new file. Default: false.
   */
  readonly isShared?: boolean;
}

/** A folder that stays, and whose permissions keep its owner from changing its contents. */
export interface ClosedFolder {
  readonly path: TreePath;
  readonly mode: number;
}

/**
 * A folder inside the workspace where another file system begins, or the same one is mounted again. Renames do not work
 * across it, so a transaction has a staging folder in each mount in which it changes something.
 */
export interface Mount {
  readonly path: TreePath;
  /** The folder that was mounted there. While another folder is there, nothing in it can be recovered. */
  readonly identity: FolderIdentity;
}

/** A committed transaction, as its journal stores it (docs/format.md, "journal"). */
export interface Journal {
  readonly transaction: TransactionId;
  readonly workspace: WorkspaceId;
  readonly root: DiskPath;
  /** Identity of the folder at `root`. If another folder is at the same path, recovery must not touch it. */
  readonly identity: FolderIdentity;
  /** Name of the staging folders: in the workspace's own folder, and in each mount. */
  readonly stage: Name;
  readonly mounts: readonly Mount[];
  readonly transitions: readonly Transition[];
  /** Folders that had to be opened to their owner, with the permissions to restore. */
  readonly closed: readonly ClosedFolder[];
  /** The checkpoint to publish once every path has its new state. */
  readonly checkpoint: { readonly number: number; readonly commit: ObjectId };
  /** The user decided to roll back. What is left here waits for a missing mount. */
  readonly isRolledBack: boolean;
}

/** How to publish the checkpoint after. After a failure it can be queried and withdrawn. */
export interface Publication {
  readonly checkpoint: Journal['checkpoint'];
  publish(): Promise<void>;
  isPublished(): boolean;
  withdraw(): void;
  /** Rolls back what else `publish` did, as far as it got, if the transaction does not take place. Can be repeated. */
  rollBack?(): Promise<void>;
}

/** Written before the staging folder is created, so that the staging folder of a dead process is always found. */
export interface Intent {
  readonly transaction: TransactionId;
  readonly root: DiskPath;
  readonly stage: Name;
  readonly mounts: readonly Pick<Mount, 'path'>[];
  /** Whether the workspace's folder was missing and this transaction creates it. */
  readonly makesRoot: boolean;
}
