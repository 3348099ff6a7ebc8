import type { Entry, Skip, SkipReason, Snapshot } from './entries.ts';
import type { CallId, ChangeId, CheckpointId, HunkId, ObjectId, SessionId, WorkspaceId } from './ids.ts';
import type { TreePath } from './names.ts';

/** Who did something. `outside` means that no hook reported it, so the author is unknown. */
export interface Actor {
  readonly kind: 'user' | 'agent' | 'outside';
  readonly name: string;
  readonly version?: string;
  /** Distinguishes actors with the same name: a sub-agent within its session. */
  readonly id?: string;
}

export const OUTSIDE: Actor = { kind: 'outside', name: 'outside' };

/** A possible author of a change. */
export interface Author {
  readonly actor: Actor;
  readonly session: SessionId | null;
  /** The agent's own id of the call, and the agent's name for the tool. */
  readonly call: CallId | null;
  readonly tool: string | null;
}

/**
 * How well the author of a change is known.
 * - `sure`: evidence names one author. Several authors are then several calls of one session
 * - `likely`: only one author was active, and nothing contradicts it, but others may have changed the path unnoticed
 * - `open`: more than one author may have made it; all of them are named
 */
export const GRADES = ['sure', 'likely', 'open'] as const;

/** How well the author of a change is known; see `GRADES`. */
export type Grade = (typeof GRADES)[number];

/**
 * What names the author of a change.
 * - `operation`: an operation of Savepoint made it
 * - `content`: the path has exactly the content that a file tool reported to have written
 * - `declared`: a file tool named the path before it ran
 * - `named`: a call that may write anywhere was open, and its command names the path
 * - `call`: a call that may write anywhere was open
 * - `unclear-call`: a call may have been open, but it is not known when it ran: it began before its capture, or it runs in
 *   the background
 * - `beyond`: a call was open, but its tool did not report this change; or the call is old, and its agent may be dead
 * - `left-behind`: a call had ended, but a process that it started lived on
 * - `no-call`: no call of any agent was open
 * - `rewind`: between two calls, the workspace returned to an earlier state of the session
 */
export const EVIDENCE = [
  'operation',
  'content',
  'declared',
  'named',
  'call',
  'unclear-call',
  'beyond',
  'left-behind',
  'no-call',
  'rewind',
] as const;

export type Evidence = (typeof EVIDENCE)[number];

/** The possible authors of a change, and how well they are known. */
export interface Authorship {
  readonly authors: readonly Author[];
  readonly grade: Grade;
  /** Null for a change that was recorded before evidence was. */
  readonly evidence: Evidence | null;
}

const OPEN_CALL: ReadonlySet<Evidence | null> = new Set(['declared', 'named', 'call']);

/**
 * Whether only agents are known to have been active. If several were, or one may have waited for a permission, outside is
 * named as well, because a window of time never excludes a person.
 */
export function wereOnlyAgentsActive({ authors, evidence }: Authorship): boolean {
  const known = OPEN_CALL.has(evidence) ? authors.filter(({ actor }) => actor.kind !== 'outside') : authors;
  return known.length > 0 && known.every(({ actor }) => actor.kind === 'agent');
}

/** How a tool changes files: `write` and `edit` change the paths they name, `shell` and `other` may change any path. */
export type ToolKind = 'write' | 'edit' | 'shell' | 'other';

/** A call of an agent's tool, as shown to people. */
export interface ToolInfo {
  /** The agent's name for the tool. */
  readonly name: string;
  readonly kind: ToolKind;
  /** A command line or a file name, shortened. */
  readonly summary: string;
  /** The arguments of the call as JSON, shortened. */
  readonly args: string | null;
  /** Duration of the call in milliseconds; null while it runs and if the duration is unknown. */
  readonly took: number | null;
}

/**
 * What caused a checkpoint.
 * - `manual`: requested by a user or an agent
 * - `before`: taken before an operation, because something had changed since the last checkpoint
 * - `session`: an agent's session began
 * - `prompt`: a user sent a prompt to an agent
 * - `message`: a message of the conversation other than a prompt began
 * - `call`: the state after a call of an agent's tool
 * - `freeze`: the state after a frozen path was reverted
 * - `restore`, `edit`, `undo`, `redo`, `rollback`: the state after that operation
 * - `apply`: the changes of a copy were applied to the workspace
 * - `merge`: the changes of a fork were merged into the workspace
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
  'apply',
  'merge',
] as const;

/** What caused a checkpoint to be taken; see `TRIGGERS`. */
export type Trigger = (typeof TRIGGERS)[number];

const OPERATION_TRIGGERS: ReadonlySet<Trigger> = new Set([
  'restore',
  'edit',
  'undo',
  'redo',
  'rollback',
  'apply',
  'merge',
]);

/** Returns true for the operations that `undo` and `redo` apply to. */
export function isOperation(trigger: Trigger): boolean {
  return OPERATION_TRIGGERS.has(trigger);
}

const REVERSION_TRIGGERS: ReadonlySet<Trigger> = new Set(['restore', 'undo', 'redo', 'rollback', 'freeze']);

/** Returns true for triggers that only bring back an earlier state: they add no new work by any author. */
export function isReversion(trigger: Trigger): boolean {
  return REVERSION_TRIGGERS.has(trigger);
}

/** The test result that was known when a checkpoint was taken. */
export type TestResult = 'pass' | 'fail';

/** A repository (or a plain folder) as it was when a checkpoint was taken. */
export interface RootState {
  /** Relative to the workspace; '' is the workspace itself. */
  readonly path: TreePath;
  readonly kind: 'repository' | 'folder';
  /** Branch name, one character per byte; null if HEAD is detached or the root is not a repository. */
  readonly branch: string | null;
  /** Commit that HEAD points to, hex; null if unborn, unknown or not a repository. */
  readonly commit: string | null;
  /** A rebase, merge, … in progress. */
  readonly operation: string | null;
  /** True if this root is on a different file system than its parent folder. */
  readonly mount?: true;
  /** Error code if the root could not be captured; the checkpoint is then partial and the other fields are older. */
  readonly failed?: string;
  /** The index; absent if it was not recorded. */
  readonly index?: RecordedIndex;
}

/** The paths of those that are repositories. */
export function repositoriesOf(roots: readonly RootState[]): readonly TreePath[] {
  return roots.filter(({ kind }) => kind === 'repository').map(({ path }) => path);
}

/** The index of a repository when a checkpoint was taken. */
export interface RecordedIndex {
  /** A blob with a git index file that has only the entries. Equal entries have equal ids. */
  readonly id: ObjectId;
  /** Blobs that the index names and that the commit does not have at the same path. */
  readonly staged: readonly ObjectId[];
}

/** Where a repository's HEAD points to. If both fields are null, it is unknown. */
export interface HeadPosition {
  /** Short name, one character per byte; null if HEAD is detached. */
  readonly branch: string | null;
  /** In hex; null if the branch has no commit yet. */
  readonly commit: string | null;
}

/** A repository whose branch, HEAD and index an operation moved. */
export interface MovedHead {
  /** The path of the root in the workspace. */
  readonly path: TreePath;
  readonly before: HeadPosition;
  readonly after: HeadPosition;
  /** The index file before the operation, a blob under `refs/savepoint/kept/<n>`; null if the index was not moved. */
  readonly index: ObjectId | null;
}

/** `patch`: written by a tool that changes part of a file. `write`: an existing file was written in any other way. */
export type ChangeKind = 'create' | 'write' | 'patch' | 'delete' | 'rename' | 'mode' | 'kind';

/** A change of one path between two snapshots. */
export interface Change {
  readonly path: TreePath;
  readonly operation: ChangeKind;
  /** Only for `rename`: the previous path. `before` is then the entry at that path. */
  readonly from: TreePath | null;
  readonly before: Entry | null;
  /** Why the state before was not captured; `before` is then null, although something was there. Absent: it is known. */
  readonly uncapturedBefore?: SkipReason;
  readonly after: Entry | null;
  /** Why the state after was not captured; `after` is then null, although something is there. Absent: it is known. */
  readonly uncapturedAfter?: SkipReason;
  /** Number of lines; null if a content is binary, too large to compare cheaply, or not a text file. */
  readonly added: number | null;
  readonly removed: number | null;
  /** The first and last changed line of the new text; null if no changed line is left, or lines were not counted. */
  readonly lines: { readonly first: number; readonly last: number } | null;
  /** In bytes; null if there was no entry, for a folder, and if the size was not recorded. */
  readonly beforeSize: number | null;
  readonly afterSize: number | null;
}

/** Returns whether nothing is at the path after the change. */
export function isDeletion({ after, uncapturedAfter }: Pick<Change, 'after' | 'uncapturedAfter'>): boolean {
  return after === null && uncapturedAfter === undefined;
}

/** A change on the timeline: `cp_12.3` is the third change of cp_12. */
export interface RecordedChange extends Change {
  readonly id: ChangeId;
  readonly by: Authorship;
}

/** A path that was not captured, or whose capture is in doubt. */
export interface Gap {
  readonly path: TreePath;
  readonly skip: Skip;
}

export interface CaptureCounts {
  readonly files: number;
  readonly links: number;
  readonly folders: number;
  /** The total size of the captured files. */
  readonly bytes: number;
  /** The number of skipped paths, for any reason. */
  readonly skipped: number;
}

/** The rules under which a snapshot was taken. */
export interface CaptureRules {
  /** In bytes. Larger files are skipped. */
  readonly maxFileBytes: number;
  /** In bytes. Larger files are skipped if an ignore rule covers them. */
  readonly maxIgnoredBytes: number;
  /** Patterns as in `.gitignore`, relative to the workspace. What they match is captured despite other rules. */
  readonly include?: readonly string[];
  /** Patterns of paths to leave out. They take precedence over `include`. */
  readonly exclude?: readonly string[];
  /** Plain folders that are roots, relative to the workspace, as text. */
  readonly roots?: readonly string[];
}

/** The position in an agent's conversation at which a checkpoint was taken. */
export interface ConversationPosition {
  /** Null if the agent does not report it. */
  readonly messages: number | null;
  /** The agent's own id of the message that the state belongs to. */
  readonly messageId?: string;
  /** A copy, in which every program can record a prompt: these are only words to show, and name no place. */
  readonly recordedIn?: 'copy';
  readonly lastUser?: string;
  readonly lastAssistant?: string;
  readonly model?: string;
  /** In tokens. */
  readonly contextSize?: number;
}

/** Marks such a prompt where it is shown. */
export const RECORDED_IN_COPY = 'recorded in a copy';

/** A snapshot with its checkpoint record: the contents of `checkpoint.json`, in the types of the engine. */
export interface Checkpoint {
  readonly id: CheckpointId;
  readonly number: number;
  readonly commit: ObjectId;
  readonly workspace: WorkspaceId;
  readonly previous: CheckpointId | null;
  /** Wall-clock time of its creation, milliseconds since 1970. For display only: order never depends on it. */
  readonly time: number;
  readonly trigger: Trigger;
  readonly actor: Actor;
  readonly description: string;
  readonly session: SessionId | null;
  readonly conversation: ConversationPosition | null;
  readonly testResult: TestResult | null;
  /** For an operation: the checkpoint that it restored, or that chosen lines went back to. */
  readonly target: CheckpointId | null;
  /** For undo and redo: the operation that it inverts. */
  readonly undoes: CheckpointId | null;
  /** For `before`: the operation that it was taken for. If no operation follows it, that operation did not happen. */
  readonly precedes: Trigger | null;
  /** The agent's id of the call that caused this checkpoint; null if none is known. */
  readonly toolCall: CallId | null;
  /** For `call`: the tool. */
  readonly tool: ToolInfo | null;
  /** True if the call had begun before this checkpoint was taken: the state before the call is then not recorded. */
  readonly late: boolean;
  /** For `rollback`: the changes that were rolled back, and single hunks of other changes. */
  readonly rolledBack: readonly (ChangeId | HunkId)[];
  /** For `rollback`: the changes of which only some lines were rolled back, so that they count as in effect. */
  readonly rolledBackInPart: readonly ChangeId[];
  /** The repositories whose branch and HEAD an operation moved, if it was asked to. */
  readonly heads: readonly MovedHead[];
  readonly roots: readonly RootState[];
  readonly rules: CaptureRules;
  readonly counts: CaptureCounts;
  /** Paths that could not be read. If there are any, the checkpoint is partial. */
  readonly partial: readonly Gap[];
  /** Files that kept changing while they were read. */
  readonly unsettled: readonly TreePath[];
  /** Relative to `previous`; null for the first checkpoint, and if there are too many changes to list. */
  readonly changes: readonly RecordedChange[] | null;
  /** A folder could not be compared, because `previous` is damaged there. Its changes are not in the list. */
  readonly incomplete?: true;
  readonly totals: ChangeTotals;
  readonly snapshot: Snapshot;
}

export interface ChangeTotals {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}
