/**
 * `@savepoint/core/ports`: for developers of drivers in other packages. Contains the ports, what drivers and front ends
 * share with the engine, and types for tests.
 */

export { safeJson } from './content/safe-json.ts';
export { JsonProblem, readJson } from './content/strict-json.ts';
export { truncate } from './content/truncate.ts';
export {
  type ConversationEnd,
  type ConversationPlace,
  type ConversationPlan,
  type Conversations,
  type LoadConversations,
  MAX_REMOVED,
  MAX_REMOVED_TEXT,
  type RemovedMessage,
  type RewoundConversation,
} from './conversation/conversations.ts';
export type { Blame, BlameQuery } from './engine/calls/blame.ts';
export { mayBePlanned } from './engine/plans/may-be-planned.ts';
export type { ChangeSource, FolderChanges, FolderWatch } from './io/changes.ts';
export { listOneByOne } from './io/folder-listing.ts';
export {
  type Fd,
  type FolderListing,
  type Fs,
  FsError,
  isFsError,
  kindOf,
  LISTED_FIELD,
  LISTED_FIELD_COUNT,
  type ListedStat,
  permissions,
  type Stat,
  statOf,
  type WholeSync,
} from './io/fs.ts';
export type { LoadOwnEntries, MergedEntries, OwnEntries } from './io/own-entries.ts';
export type { Clock, Places, Ports, Processes, ProcessIdentity, Random, RunningProcess } from './io/ports.ts';
export type { Programs } from './io/programs.ts';
export type { Watcher, WatcherQuestion } from './io/watcher.ts';
export type { CaptureRules, Change } from './model/checkpoint.ts';
export type { Snapshot } from './model/entries.ts';
export type { ObjectId } from './model/ids.ts';
export type { DiskPath, Name } from './model/names.ts';
export type { Channel, ExchangeResult } from './sandbox/channel.ts';
export { type ChannelSandboxOptions, channelSandbox } from './sandbox/channel-sandbox.ts';
export type { CommandResult, SandboxCommand } from './sandbox/sandbox.ts';
export type { SshSandboxOptions } from './sandbox/ssh-sandbox.ts';
export { BundleFolder } from './store/bundles/bundle-folder.ts';
export {
  type BundleKey,
  type BundleStore,
  isBundleKey,
  type PutCondition,
  type StoredBytes,
  type StoredItem,
} from './store/bundles/bundle-store.ts';
export type { LineOrigin, LineRange } from './timeline/blame/blame.ts';
export type { Caller } from './timeline/query/actors.ts';
export type { HistoryFilter } from './timeline/query/history.ts';
export type { ListView, OverviewQuery } from './timeline/query/overview.ts';
export type { RetentionPolicy } from './timeline/retention/retention.ts';
