import type { Entry, Skip, Snapshot } from './entries.ts';
import type { CallId, ChangeId, CheckpointId, HunkId, ObjectId, SessionId, WorkspaceId } from './ids.ts';
import type { TreePath } from './names.ts';

/** Who did something. `outside`: seen through no hook, so nobody may be called its author. */
export interface Actor {
  readonly kind: 'user' | 'agent' | 'outside';
  readonly name: string;
  readonly version?: string;
  /** Tells apart who has the same name: a sub-agent, within its session. */
  readonly id?: string;
}

export const OUTSIDE: Actor = { kind: 'outside', name: 'outside' };

/** One who may have made a change. */
export interface Author {
  readonly actor: Actor;
  readonly session: SessionId | null;
  /** The agent's own id of the call, and what the agent calls the tool. */
  readonly call: CallId | null;
  readonly tool: string | null;
}

/**
 * Who a change is from. `sure`: all authors are one actor in one session; several of them are several of its calls, and
 * any may be the one. Else nobody is known with confidence.
 */
export interface Authorship {
  readonly authors: readonly Author[];
  readonly sure: boolean;
}

/**
 * What a tool does to files: `write` and `edit` touch the paths that they say, `shell` and `other` may touch any.
 */
export type ToolKind = 'write' | 'edit' | 'shell' | 'other';

/** A call of an agent's tool, as far as people want to know. */
export interface ToolInfo {
  /** As the agent calls it. */
  readonly name: string;
  readonly kind: ToolKind;
  /** A command line or a file name; shortened. */
  readonly summary: string;
  /** What it was called with, as JSON; shortened. */
  readonly args: string | null;
  /** Milliseconds from the call's beginning to its end; null while it runs, and where that is not known. */
  readonly took: number | null;
}

/**
 * What made a checkpoint.
 * - `manual`: someone asked for it
 * - `before`: taken before an act, because something had changed since the last checkpoint
 * - `session`: an agent's session began
 * - `prompt`: a person said something to an agent
 * - `message`: a message of the conversation that is no prompt began
 * - `call`: the state after a call of an agent's tool
 * - `freeze`: the state after a frozen path was put back
 * - `restore`, `edit`, `undo`, `redo`, `rollback`: the state after that act
 */
export const TRIGGERS = [
  'manual',
  'before',
  'session',
  'prompt',
  'message',
  'call',
  'freeze',
  'restore',
  'edit',
  'undo',
  'redo',
  'rollback',
] as const;

/** Why a checkpoint was taken. */
export type Trigger = (typeof TRIGGERS)[number];

const OPERATION_TRIGGERS: ReadonlySet<Trigger> = new Set(['restore', 'edit', 'undo', 'redo', 'rollback']);

/** The acts that `undo` and `redo` walk over. */
export function isOperation(trigger: Trigger): boolean {
  return OPERATION_TRIGGERS.has(trigger);
}

const REVERSION_TRIGGERS: ReadonlySet<Trigger> = new Set(['restore', 'undo', 'redo', 'rollback', 'freeze']);

/** Operations that bring back what was, and frozen paths that were put back: nobody's new work. */
export function isReversion(trigger: Trigger): boolean {
  return REVERSION_TRIGGERS.has(trigger);
}

/** What was known of the tests when a checkpoint was taken. */
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
  /** Another file system than its parent's begins here. */
  readonly mount?: true;
  /** Why it could not be captured, by the system's name of the error: the checkpoint is partial. The rest is of earlier. */
  readonly failed?: string;
  /** What was staged; absent where that was not recorded. */
  readonly index?: RecordedIndex;
}

/** The index of a repository as a checkpoint found it. */
export interface RecordedIndex {
  /** A blob: an index file of git's with its entries alone. The same entries have the same id. */
  readonly id: ObjectId;
  /** Blobs that it names and the commit does not have at that path. */
  readonly staged: readonly ObjectId[];
}

/** Where a repository's HEAD stands; with neither it is not known. */
export interface HeadPosition {
  /** Short name, one character per byte; null when detached. */
  readonly branch: string | null;
  /** Hex; null when the branch has no commit yet. */
  readonly commit: string | null;
}

/** A repository whose branch, HEAD and index an act moved. */
export interface MovedHead {
  /** The root's folder in the workspace. */
  readonly path: TreePath;
  readonly before: HeadPosition;
  readonly after: HeadPosition;
  /** The index file as it was before, a blob that `refs/savepoint/kept/<n>` holds; null where it was not moved. */
  readonly index: ObjectId | null;
}

/** `patch`: written by a tool that changes a part; `write`: anything else that wrote a file that was there. */
export type ChangeKind = 'create' | 'write' | 'patch' | 'delete' | 'rename' | 'mode' | 'kind';

/** What happened to one path between two snapshots. */
export interface Change {
  readonly path: TreePath;
  readonly operation: ChangeKind;
  /** The path that it had before; only for `rename`, whose `before` is what was there. */
  readonly from: TreePath | null;
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

/** A change on the timeline: `cp_12.3` is the third of cp_12. */
export interface RecordedChange extends Change {
  readonly id: ChangeId;
  readonly by: Authorship;
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
  /** Patterns as in `.gitignore`, from the workspace's folder; what they cover is captured though rules say otherwise. */
  readonly include?: readonly string[];
  /** Patterns of what is left out; they come before `include`. */
  readonly exclude?: readonly string[];
  /** Plain folders that are roots, from the workspace's folder; text. */
  readonly roots?: readonly string[];
}

/** Where in an agent's conversation a checkpoint was taken. */
export interface ConversationPosition {
  /** Null where the agent does not tell. */
  readonly messages: number | null;
  /** The agent's own id of the message that the state belongs to. */
  readonly messageId?: string;
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
  readonly session: SessionId | null;
  readonly conversation: ConversationPosition | null;
  readonly testResult: TestResult | null;
  /** For an act: the checkpoint it brought back. */
  readonly target: CheckpointId | null;
  /** For undo and redo: the act it inverts. */
  readonly undoes: CheckpointId | null;
  /** The id that an agent gave the call that this came of; null where none is known. */
  readonly toolCall: CallId | null;
  /** For `call`: the tool. */
  readonly tool: ToolInfo | null;
  /** Taken when the call that it was to come before had begun: it tells nothing about the state before that. */
  readonly late: boolean;
  /** For `rollback`: the changes that it took back, and hunks of others. */
  readonly rolledBack: readonly (ChangeId | HunkId)[];
  /** For an act that was asked to: the repositories whose branch and HEAD it moved. */
  readonly heads: readonly MovedHead[];
  readonly roots: readonly RootState[];
  readonly rules: CaptureRules;
  readonly counts: CaptureCounts;
  /** Paths that could not be read; a checkpoint with any is partial. */
  readonly partial: readonly Gap[];
  /** Files that kept changing while they were read. */
  readonly unsettled: readonly TreePath[];
  /** Against `previous`; null for the first checkpoint and where there are too many to list. */
  readonly changes: readonly RecordedChange[] | null;
  readonly totals: ChangeTotals;
  readonly snapshot: Snapshot;
}

export interface ChangeTotals {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}
