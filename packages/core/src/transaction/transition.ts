import type { FileEntry, FolderEntry, LinkEntry } from '../model/entries.ts';
import type { ObjectId, TransactionId, WorkspaceId } from '../model/ids.ts';
import type { DiskPath, Name, TreePath } from '../model/names.ts';
import type { FolderIdentity } from '../store/folder-identity.ts';

/**
 * What one path is to become, and what it is expected to be now. Equal, both null, is only what a journal that was taken
 * back in part has to say no more about: the others keep their slots.
 */
export interface Transition {
  readonly path: TreePath;
  readonly from: FileEntry | LinkEntry | FolderEntry | null;
  readonly to: FileEntry | LinkEntry | FolderEntry | null;
}

/** A folder that stays and whose permissions keep its owner from changing what is in it. */
export interface ClosedFolder {
  readonly path: TreePath;
  readonly mode: number;
}

/**
 * A folder inside the workspace where another file system begins, or the same one a second time: no rename leads across,
 * so a transaction has a staging folder in each that it changes something in.
 */
export interface Mount {
  readonly path: TreePath;
  /** The folder that was mounted there; while another one is there, nothing can be settled in it. */
  readonly identity: FolderIdentity;
}

/** A transaction past its commit point, as its journal holds it (docs/format.md, "journal"). */
export interface Journal {
  readonly transaction: TransactionId;
  readonly workspace: WorkspaceId;
  readonly root: DiskPath;
  /** The folder that `root` was; another one at the same path is not ours to settle in. */
  readonly identity: FolderIdentity;
  /** Name of the staging folders: at the top of the workspace, and of each mount. */
  readonly stage: Name;
  readonly mounts: readonly Mount[];
  readonly transitions: readonly Transition[];
  /** Folders that had to be opened to their owner, with the permissions they get back. */
  readonly closed: readonly ClosedFolder[];
  /** The checkpoint that is published when every path has become what it should. */
  readonly checkpoint: { readonly number: number; readonly commit: ObjectId };
  /** Somebody decided that it is to be taken back; what is left here waits for a mount that was not there. */
  readonly isRolledBack: boolean;
}

/** The act of publishing the checkpoint after; it can be asked about and taken back, so that a failure can be settled. */
export interface Publication {
  readonly checkpoint: Journal['checkpoint'];
  publish(): Promise<void>;
  isPublished(): boolean;
  withdraw(): void;
  /** Takes back what `publish` did besides, as far as it came: the transaction does not come to pass. Can be repeated. */
  rollBack?(): Promise<void>;
}

/** Written before the staging folder is made, so that a dead process's staging is always found. */
export interface Intent {
  readonly transaction: TransactionId;
  readonly root: DiskPath;
  readonly stage: Name;
  readonly mounts: readonly Pick<Mount, 'path'>[];
  /** The workspace folder itself was missing and is made by this transaction. */
  readonly makesRoot: boolean;
}
