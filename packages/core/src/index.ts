export type { ActResult, Preview } from './act/act.ts';
export type { KeptPath, Plan, PlanConflict, PlannedPath, ThreeSides } from './act/plan.ts';
export type { CreatedBundle, RestoredBundle } from './bundles.ts';
export type { CallOptions } from './call-options.ts';
export type { CallRequest } from './call-request.ts';
export type { Automatic, AutomaticExport, Effective } from './config/effective.ts';
export { OPTION_KEYS, type OptionKey, type OptionSpec, type SettingValues, specOf } from './config/options.ts';
export { configSchema, type JsonSchema } from './config/schema.ts';
export type { ConfigFile, IgnoredValue, Origin, Settings, SettingsSource } from './config/settings.ts';
export { showContent, showName, showText } from './content/show-name.ts';
export { statLines, statTotals } from './content/stat-line.ts';
export { type Patch, type PatchGap, unifiedPatch } from './content/unified-patch.ts';
export type { Edit, EditStatus } from './edit/edits.ts';
export type { FileProblem, Prepared, PreparedFile } from './edit/prepare-edits.ts';
export type { FileRequest } from './edit/targets.ts';
export type { Events, Listener, RolledBack, WatchEvent } from './events.ts';
export type { Exporter } from './exporting.ts';
export type { ChangeSource, Changes, FolderWatch } from './io/changes.ts';
export { listOneByOne } from './io/folder-listing.ts';
export {
  type Fd,
  type FileKind,
  type FolderListing,
  type Fs,
  FsError,
  isFsError,
  kindOf,
  LISTED_FIELD,
  LISTED_FIELDS,
  type ListedStat,
  permissions,
  type Stat,
  statOf,
} from './io/fs.ts';
export type { Progress } from './io/pace.ts';
export type { Clock, Places, Ports, Processes, ProcessIdentity, Random } from './io/ports.ts';
export type { ProgramResult, ProgramRun, Programs } from './io/programs.ts';
export { parseTreePath } from './io/safe-path.ts';
export {
  type Actor,
  type Author,
  type Authorship,
  type CaptureCounts,
  type CaptureRules,
  type Change,
  type ChangeTotals,
  type Checkpoint,
  type ConversationPosition,
  type Gap,
  type Operation,
  OUTSIDE,
  type RecordedChange,
  type RootState,
  type TestResult,
  type ToolInfo,
  type ToolKind,
  type Trigger,
} from './model/checkpoint.ts';
export type { Entry, Skip, SkipReason, Snapshot } from './model/entries.ts';
export { ERROR_CODES, type ErrorCode, SavepointError } from './model/errors.ts';
export {
  type ChangeId,
  type CheckpointId,
  type HunkId,
  type ObjectId,
  parseChangeId,
  parseHunkId,
  type TransactionId,
  type WorkspaceId,
} from './model/ids.ts';
export {
  bytesFromText,
  type DiskPath,
  type JsonName,
  type Name,
  nameFromJson,
  nameToJson,
  type TreePath,
  textFromBytes,
} from './model/names.ts';
export { type ExecutionAdapter, executionAdapter, type Repository } from './remote/execution-adapter.ts';
export {
  openRemote,
  type RemoteCall,
  type RemoteOptions,
  type RemoteSavepoint,
  type RemoteSession,
  type RemoteVerbs,
} from './remote/remote-savepoint.ts';
export { type Answered, answerQuestion } from './remote/wire.ts';
export type { RestoreMode } from './rewind/acts.ts';
export type { Parties } from './rewind/parties.ts';
export type { PathResult } from './rewind/plan-rollback.ts';
export type { RollbackOutlook } from './rewind/rollback-act.ts';
export type { ChosenChange, Selection, SkippedChange } from './rewind/selection.ts';
export {
  type BundleOptions,
  type CheckpointOptions,
  type CheckpointResult,
  type Configuration,
  type DiffResult,
  type EditOptions,
  type EditResult,
  type OpenOptions,
  open,
  type RestoreOptions,
  type RollbackOptions,
  Savepoint,
  type Status,
  type UndoOptions,
} from './savepoint.ts';
export type {
  CallEnd,
  EndedCall,
  PutBack,
  RollbackToOptions,
  RolledBackTo,
  Session,
  SessionOptions,
} from './session.ts';
export { Standing } from './standing.ts';
export { BundleFolder } from './store/bundle-folder.ts';
export {
  type BundleKey,
  type BundleStore,
  isBundleKey,
  type PutCondition,
  type StoredBytes,
  type StoredItem,
} from './store/bundle-store.ts';
export type { FrozenPath } from './store/frozen.ts';
export type { OpenCall } from './store/open-calls.ts';
export { STORE_FORMAT } from './store/records.ts';
export type { Usage } from './store/usage.ts';
export type { Channel, Conversation, Spoken } from './sync/channel.ts';
export { type ChannelSandboxOptions, channelSandbox } from './sync/channel-sandbox.ts';
export { type LocalSandboxOptions, localSandbox } from './sync/local-sandbox.ts';
export type { CommandResult, FileOptions, Sandbox, SandboxCommand } from './sync/sandbox.ts';
export { type SshSandboxOptions, sshSandbox } from './sync/ssh-sandbox.ts';
export type { CleanUp } from './timeline/clean-up.ts';
export type { ForgottenSession, KeptReason } from './timeline/forget-session.ts';
export type { HistoryEntry, HistoryFilter, HistoryPage, HistoryQuery, Unlisted } from './timeline/history.ts';
export { hunksOf, type NumberedHunk } from './timeline/hunks.ts';
export type { ListView, Overview, OverviewQuery, OverviewRow } from './timeline/overview.ts';
export type { Moment } from './timeline/resolve.ts';
export type { RetentionPolicy } from './timeline/retention.ts';
export type { SessionList, SessionSummary } from './timeline/sessions.ts';
export type { Durations, Stats } from './timeline/stats.ts';
export type { DamagedCheckpoint } from './timeline/timeline.ts';
export type { Damage, Verification } from './timeline/verify.ts';
export type { BackupPlace } from './transaction/backups.ts';
export type { KeptFile } from './transaction/late-writes.ts';
export type { Recovered } from './transaction/recover.ts';
export { VERBS } from './verbs/table.ts';
export { type InputOf, type OutputOf, schemasOf, type Verb, type VerbContext } from './verbs/verb.ts';
export { watchEventToJson } from './verbs/watch-event.ts';
