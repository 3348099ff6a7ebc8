/** The library, for developers who build an agent on Savepoint. */

export { showName, showText } from './content/show-name.ts';
export type { Overview } from './conversation/overview.ts';
export type { FileEdit as Edit, FileEdits as FileRequest } from './edit/file-edits.ts';
export type { BundleOptions } from './engine/calls/bundles.ts';
export type { CheckpointOptions, CheckpointResult, DiffResult, Status } from './engine/calls/checkpoints.ts';
export type { EditOptions, EditResult } from './engine/calls/edits.ts';
export type { RestoreOptions, RollbackOptions, UndoOptions } from './engine/calls/rewind.ts';
export type { Configuration } from './engine/calls/workspaces.ts';
export type { Events, Listener, WatchEvent } from './engine/events.ts';
export type { OpenOptions } from './engine/options.ts';
export { WorkspaceCache } from './engine/workspace-cache.ts';
export type { Progress } from './io/pace.ts';
export type { CallOptions } from './model/call-options.ts';
export type {
  Actor,
  Author,
  Authorship,
  ChangeKind,
  Checkpoint,
  ConversationPosition,
  RecordedChange,
  RootState,
  TestResult,
  ToolKind,
  Trigger,
} from './model/checkpoint.ts';
export type { Entry } from './model/entries.ts';
export { ERROR_CODES, type ErrorCode, type ErrorData, SavepointError } from './model/errors.ts';
export type { CallId, ChangeId, CheckpointId, SessionId } from './model/ids.ts';
export {
  bytesFromText,
  type DiskPath,
  exactName,
  type JsonName,
  nameFromJson,
  nameToJson,
  type TreePath,
  textFromBytes,
} from './model/names.ts';
export type { GivenWrite } from './model/reported-write.ts';
export type { ShellVariables } from './model/shell-variables.ts';
export type { ChangeSet, PathChange, PathConflict } from './operation/change-set.ts';
export type { OperationResult, Preview } from './operation/operation.ts';
export type { RestoreOutcome } from './operation/restore-outcome.ts';
export { executionAdapter } from './remote/execution-adapter.ts';
export { openRemote, type RemoteOptions, type RemoteSavepoint } from './remote/remote-savepoint.ts';
export type { RestoreMode } from './rewind/operations.ts';
export type { Selection } from './rewind/selection.ts';
export { localSandbox } from './sandbox/local-sandbox.ts';
export type { Sandbox } from './sandbox/sandbox.ts';
export { sshSandbox } from './sandbox/ssh-sandbox.ts';
export { open, type Savepoint } from './savepoint.ts';
export type { CallContext, CallEnd, CallRequest, EndedCall } from './session/call-request.ts';
export type { PutBack } from './session/host.ts';
export type { PermissionNote } from './session/permission.ts';
export type { RollbackToOptions, RolledBackTo } from './session/rollback-to.ts';
export type { Session } from './session/session.ts';
export type { SessionOptions } from './session/session-options.ts';
export type { TranscriptMark } from './store/state/session-state.ts';
export type { HistoryEntry, HistoryPage, HistoryQuery } from './timeline/query/history.ts';
export type { SessionList } from './timeline/query/sessions.ts';
export type { Stats } from './timeline/query/stats.ts';
