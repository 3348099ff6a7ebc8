import type { Entry, Skip, Snapshot } from './entries.ts';
import type { CheckpointId, ObjectId, WorkspaceId } from './ids.ts';
import type { TreePath } from './names.ts';

/** Who did something. `outside`: seen through no hook, so nobody may be called its author. */
export interface Actor {
  readonly kind: 'user' | 'agent' | 'outside';
  readonly name: string;
  readonly version?: string;
}

/**
 * What made a checkpoint.
 * - `manual`: someone asked for it
 * - `before`: taken before an act, because something had changed since the last checkpoint
 * - `restore`, `edit`, `undo`, `redo`: the state after that act
 */
export type Trigger = 'manual' | 'before' | 'restore' | 'edit' | 'undo' | 'redo';

/** The acts that `undo` and `redo` walk over. */
export function isAct(trigger: Trigger): boolean {
  return trigger === 'restore' || trigger === 'edit' || trigger === 'undo' || trigger === 'redo';
}

export type TestResult = 'pass' | 'fail';

/** A repository (or the plain workspace folder) as a checkpoint found it. */
export interface RootState {
  /** Inside the workspace; '' is the workspace itself. */
  readonly path: TreePath;
  readonly kind: 'repository' | 'folder';
  /** Branch name, null when detached or not a repository. One character per byte. */
  readonly branch: string | null;
  /** The commit HEAD stands on, hex; null when unborn, unknown or not a repository. */
  readonly commit: string | null;
  /** A rebase, merge, … that is in flight. */
  readonly operation: string | null;
}

export type Operation = 'create' | 'write' | 'delete' | 'mode' | 'kind';

/** What happened to one path between two snapshots. */
export interface Change {
  readonly path: TreePath;
  readonly operation: Operation;
  readonly before: Entry | null;
  readonly after: Entry | null;
  /** Lines; null where the contents are binary, too large to compare cheaply, or not text files. */
  readonly added: number | null;
  readonly removed: number | null;
  /** From the first to the last line of the text after that differ; null where none is left, or they were not counted. */
  readonly lines: { readonly first: number; readonly last: number } | null;
  /** Bytes; null where nothing was there, or a folder, or it is not on record. */
  readonly beforeSize: number | null;
  readonly afterSize: number | null;
}

/** A path that could not be captured, or only in doubt. */
export interface Gap {
  readonly path: TreePath;
  readonly skip: Skip;
}

export interface CaptureCounts {
  readonly files: number;
  readonly links: number;
  readonly folders: number;
  /** Sum of the captured files' sizes. */
  readonly bytes: number;
  /** Skipped paths of any reason. */
  readonly skipped: number;
}

/** The rules a snapshot was taken under. */
export interface CaptureRules {
  /** Bytes; larger files are skipped. */
  readonly maxFileBytes: number;
  /** Bytes; larger files that an ignore rule covers are skipped. */
  readonly maxIgnoredBytes: number;
}

export interface ConversationPosition {
  readonly messages: number;
  readonly lastUser?: string;
  readonly lastAssistant?: string;
  readonly model?: string;
  /** Tokens. */
  readonly contextSize?: number;
}

/** A snapshot with its story. What `checkpoint.json` holds, as the engine uses it. */
export interface Checkpoint {
  readonly id: CheckpointId;
  readonly number: number;
  readonly commit: ObjectId;
  readonly workspace: WorkspaceId;
  readonly previous: CheckpointId | null;
  /** Milliseconds since 1970 by the wall clock of its making; for people, never for order. */
  readonly time: number;
  readonly trigger: Trigger;
  readonly actor: Actor;
  readonly description: string;
  readonly session: string | null;
  readonly conversation: ConversationPosition | null;
  readonly testResult: TestResult | null;
  /** For an act: the checkpoint it brought back. */
  readonly target: CheckpointId | null;
  /** For undo and redo: the act it inverts. */
  readonly undoes: CheckpointId | null;
  /** The id that an agent gave the call that this came of; null where none is known. */
  readonly toolCall: string | null;
  readonly roots: readonly RootState[];
  readonly rules: CaptureRules;
  readonly counts: CaptureCounts;
  /** Paths that could not be read; a checkpoint with any is partial. */
  readonly partial: readonly Gap[];
  /** Files that kept changing while they were read. */
  readonly unsettled: readonly TreePath[];
  /** Against `previous`; null for the first checkpoint and where there are too many to list. */
  readonly changes: readonly Change[] | null;
  readonly totals: ChangeTotals;
  readonly snapshot: Snapshot;
}

export interface ChangeTotals {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}
