import type { FileEntry, FolderEntry, LinkEntry } from '../model/entries.ts';
import type { ObjectId, TransactionId, WorkspaceId } from '../model/ids.ts';
import type { DiskPath, Name, TreePath } from '../model/names.ts';
import type { FolderIdentity } from '../store/records.ts';

/** What one path is to become, and what it is expected to be now. `from` and `to` are never equal. */
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

/** A transaction past its commit point, as its journal holds it (docs/format.md, "journal"). */
export interface Journal {
  readonly transaction: TransactionId;
  readonly workspace: WorkspaceId;
  readonly root: DiskPath;
  /** The folder that `root` was; another one at the same path is not ours to settle in. */
  readonly identity: FolderIdentity;
  /** Name of the staging folder at the top of the workspace. */
  readonly stage: Name;
  readonly transitions: readonly Transition[];
  /** Folders that had to be opened to their owner, with the permissions they get back. */
  readonly closed: readonly ClosedFolder[];
  /** The checkpoint that is published when every path has become what it should. */
  readonly checkpoint: { readonly number: number; readonly commit: ObjectId };
}

/** Written before the staging folder is made, so that a dead process's staging is always found. */
export interface Intent {
  readonly transaction: TransactionId;
  readonly root: DiskPath;
  readonly stage: Name;
  /** The workspace folder itself was missing and is made by this transaction. */
  readonly makesRoot: boolean;
}
