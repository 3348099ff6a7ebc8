/** A copy: a state of a workspace in another place, isolated from the workspace, in which commands run. */

import type { ProcessIdentity } from '../io/ports.ts';
import type { BelowId, CheckpointId, CopyId, PlanId, WorkspaceId } from '../model/ids.ts';
import type { DiskPath, TreePath } from '../model/names.ts';
import type { PathSet } from '../model/path-set.ts';

/**
 * How a copy is made.
 * - `overlay`: an overlay mount on the workspace's own path, visible only to the processes in the copy
 * - `reflink`: a folder whose files share their blocks with the originals until they are written
 * - `copy`: a folder with copied files
 */
export type CopyRung = 'overlay' | 'reflink' | 'copy';

export type CopyPurpose = 'try' | 'isolated' | 'check' | 'fork' | 'bisect' | 'replay' | 'guard' | 'plan';

/**
 * What commands in a copy may do. The system enforces it, so only an overlay can have less than everything.
 * - `list`: see the names of captured files, and read nothing
 * - `read`: read everything, and write nothing
 */
export type CopyAccess = 'list' | 'read';

/** A repository of a fork that is a worktree of the workspace's repository. */
export interface ForkWorktree {
  readonly path: TreePath;
  /** The commit that it started from. */
  readonly commit: string;
  /** The branch was created with the fork. */
  readonly createdBranch: boolean;
}

/** What only the copy of a fork has. */
export interface ForkRecord {
  /** The branch of its worktrees; null if none was asked for. */
  readonly branch: string | null;
  readonly worktrees: readonly ForkWorktree[];
  /** The first of its ports. */
  readonly port: number;
  /** The plan that it started with; null: it started without one. */
  readonly plan: PlanId | null;
  /** Of what it had of the plan. Null: without a plan, or not known. */
  readonly planFingerprint: string | null;
}

/**
 * What a copy that is a folder gets of dependency folders, which no checkpoint contains. An overlay shows those of the
 * real folder, and keeps what commands write there.
 * - `auto`: all of them, like `copy`. Their blocks are shared if the file system can do that.
 * - `link`: packages in `node_modules` are links to those of the real folder. Commands can write through them.
 * - `none`: nothing
 */
export type DependencyPolicy = 'auto' | 'copy' | 'link' | 'none';

/** A revision of a plan that a copy has, or that was made of what the copy has. */
export interface PlanInCopy {
  readonly plan: PlanId;
  readonly revision: number;
}

/** What the store keeps about a copy. */
export interface CopyRecord {
  readonly id: CopyId;
  readonly purpose: CopyPurpose;
  readonly rung: CopyRung;
  readonly workspace: WorkspaceId;
  /** The folder of the workspace. */
  readonly root: DiskPath;
  /** The folder of the copy, which contains all of its files. */
  readonly place: DiskPath;
  /** The checkpoint that the copy's changes are relative to. */
  readonly base: CheckpointId;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** The name of a fork. */
  readonly name: string | null;
  /** The process that uses the copy; null if none does. */
  readonly owner: ProcessIdentity | null;
  /** The process that keeps an overlay mounted. */
  readonly holder: ProcessIdentity | null;
  /** Bytes that were copied to make it, or what is below it. 0 for an overlay on the folder, and for clones. */
  readonly bytes: number;
  /**
   * The folder of the files below what an overlay contains, which it shares with copies made together. Null: it is an
   * overlay on the folder itself, or not an overlay.
   */
  readonly below: BelowId | null;
  /** Null if the copy is not a fork. */
  readonly fork: ForkRecord | null;
  /** Packages in `node_modules` are links to those of the real folder. */
  readonly hasLinkedPackages: boolean;
  /** The revision of a plan that its changes go on from. Null: they are part of no plan, or it is not known. */
  readonly plan: PlanInCopy | null;
}

/** A command in a copy. */
export interface CommandInCopy {
  /** A path, or a name to search for in the PATH of `env`. */
  readonly file: string;
  readonly args: readonly string[];
  /** Default: the folder of the workspace. */
  readonly cwd?: TreePath;
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

/** How to start a command in a copy from outside. */
export interface StartInCopy {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: DiskPath;
  readonly env: Readonly<Record<string, string>>;
}

export interface OpenCopy {
  readonly record: CopyRecord;
  /** Where this process, outside of the copy, finds the copy's files. */
  readonly files: DiskPath;
  /** The path of the workspace for commands in the copy. */
  readonly seenAs: DiskPath;
  /** Where this process finds an absolute path that commands in the copy use. */
  find(path: DiskPath): DiskPath;
  /** Null: commands may do everything. */
  readonly access: CopyAccess | null;
  /** What the copy does not isolate, for display. */
  readonly notIsolated: readonly string[];
  command(command: CommandInCopy): StartInCopy;
  /** The processes that run in the copy now. */
  processes(): readonly ProcessIdentity[];
  /** The paths that commands may have written. Null: it is not known. */
  touched(): PathSet | null;
  /** Ends the processes in the copy. Its files stay. */
  close(): Promise<void>;
  /** Closes the copy and removes its files. */
  drop(): Promise<void>;
}
