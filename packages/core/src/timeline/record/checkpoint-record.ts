/**
 * The only description of `checkpoint.json` (docs/format.md, "checkpoint.json"). Writing, reading, checking records
 * from other machines, and removing parts for an export or a purge are all derived from it.
 */

import {
  type Actor,
  type Author,
  type CaptureCounts,
  type CaptureRules,
  type ChangeTotals,
  type Checkpoint,
  type ConversationPosition,
  type Gap,
  type HeadPosition,
  type MovedHead,
  type RecordedIndex,
  type RootState,
  type ToolInfo,
  TRIGGERS,
} from '../../model/checkpoint.ts';
import type { SkipReason } from '../../model/entries.ts';
import type { WorkspaceId } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';
import { listOf, matching, oneOf, optional } from '../../store/json-shape.ts';
import { CHANGE, MAX_LISTED_CHANGES, type StoredChange } from './change-record.ts';
import {
  addedKey,
  type Codec,
  closedRecord,
  content,
  type Fields,
  freeText,
  list,
  machineLocal,
  nullable,
  omittedIfEmpty,
  openRecord,
  optionalKey,
  plain,
  type Redaction,
} from './codec.ts';
import { withoutPlanTexts } from './plan-descriptions.ts';
import {
  branch,
  checkpointId,
  commitId,
  count,
  enumOf,
  lineString,
  longText,
  MAX_LISTED,
  objectId,
  path,
  skipReason,
  time,
  unverifiedPath,
} from './values.ts';

/** A checkpoint as its record stores it. Changes refer to authors by index, and their own ids are not written. */
export interface StoredCheckpoint extends Omit<Checkpoint, 'number' | 'commit' | 'snapshot' | 'changes'> {
  /** Null in records of early versions. */
  readonly authors: readonly Author[] | null;
  readonly changes: readonly StoredChange[] | null;
}

/** Replaces a text that mentions what is purged. */
const PURGED_TEXT = '(purged)';

export const actor: Codec<Actor> = openRecord<Actor>({
  kind: enumOf('user', 'agent', 'outside'),
  name: lineString(),
  version: optionalKey(lineString()),
  id: optionalKey(lineString()),
});

export const author: Codec<Author> = openRecord<Author>({
  actor,
  session: nullable(lineString()),
  call: nullable(lineString()),
  tool: nullable(lineString()),
});

const lastMessageText = freeText(optionalKey(longText), { exported: () => undefined, purged: PURGED_TEXT });

const conversation: Codec<ConversationPosition> = openRecord<ConversationPosition>({
  messages: nullable(count),
  messageId: optionalKey(lineString()),
  recordedIn: optionalKey(enumOf('copy')),
  lastUser: lastMessageText,
  lastAssistant: lastMessageText,
  model: optionalKey(lineString()),
  contextSize: optionalKey(count),
});

const tool: Codec<ToolInfo> = openRecord<ToolInfo>({
  name: lineString(),
  kind: enumOf('write', 'edit', 'shell', 'other'),
  summary: freeText(longText, { exported: () => '', purged: PURGED_TEXT }),
  // The arguments of a tool often contain the file content itself.
  args: content(freeText(nullable(longText), { exported: () => null, purged: null }), null),
  took: addedKey(nullable(count), null),
});

const position: Codec<HeadPosition> = closedRecord<HeadPosition>({
  branch: nullable(branch),
  commit: nullable(commitId),
});

const head: Codec<MovedHead> = closedRecord<MovedHead>({
  path,
  before: position,
  after: position,
  index: nullable(objectId),
});

const index: Codec<RecordedIndex> = openRecord<RecordedIndex>({ id: objectId, staged: list(objectId, MAX_LISTED) });

const root: Codec<RootState> = openRecord<RootState>({
  path,
  kind: enumOf('repository', 'folder'),
  branch: nullable(branch),
  commit: nullable(commitId),
  operation: nullable(lineString()),
  mount: optionalKey(enumOf(true)),
  failed: optionalKey(lineString()),
  // Bundles do not contain the objects that an index names.
  index: machineLocal(optionalKey(index), undefined, optional(oneOf())),
});

const rules: Codec<CaptureRules> = openRecord<CaptureRules>({
  maxFileBytes: count,
  maxIgnoredBytes: count,
  include: optionalKey(list(longText, MAX_LISTED)),
  exclude: optionalKey(list(longText, MAX_LISTED)),
  roots: optionalKey(list(longText, MAX_LISTED)),
});

const counts: Codec<CaptureCounts> = openRecord<CaptureCounts>({
  files: count,
  links: count,
  folders: count,
  bytes: count,
  skipped: count,
});

const totals: Codec<ChangeTotals> = openRecord<ChangeTotals>({ files: count, added: count, removed: count });

interface StoredGap {
  readonly path: TreePath;
  readonly reason: SkipReason;
  readonly code: string | null;
}

const storedGap: Codec<StoredGap> = closedRecord<StoredGap>({
  path: unverifiedPath,
  reason: skipReason,
  code: nullable(lineString()),
});

const gap: Codec<Gap> = {
  encode: ({ path, skip }) => storedGap.encode({ path, reason: skip.reason, code: skip.code ?? null }),
  decode: (json) => {
    const { path, reason, code } = storedGap.decode(json);
    return { path, skip: { reason, ...(code === null ? {} : { code }) } };
  },
  check: storedGap.check,
};

/** In the order in which they are written. A field that is added later needs `addedKey` or `omittedIfEmpty`. */
const FIELDS: Fields<StoredCheckpoint> = {
  id: checkpointId,
  workspace: plain<WorkspaceId>(matching(/^[0-9a-f]{32}$/)),
  previous: nullable(checkpointId),
  time,
  trigger: enumOf(...TRIGGERS),
  actor,
  // The exported description is generated from the remaining fields (bundle/write/derived-record.ts).
  description: freeText(longText, {
    exported: (text) => text,
    // It stays known which plan was applied.
    purged: (text) => withoutPlanTexts(text) ?? PURGED_TEXT,
  }),
  session: nullable(lineString()),
  conversation: nullable(conversation),
  testResult: nullable(enumOf('pass', 'fail')),
  target: nullable(checkpointId),
  undoes: nullable(checkpointId),
  precedes: omittedIfEmpty(nullable(enumOf(...TRIGGERS)), null),
  toolCall: addedKey(nullable(lineString()), null),
  tool: omittedIfEmpty(nullable(tool), null),
  late: omittedIfEmpty(enumOf(true, false), false),
  rolledBack: omittedIfEmpty(
    list(plain(matching(/^cp_[1-9]\d{0,8}\.[1-9]\d{0,6}(?::[1-9]\d{0,6})?$/)), MAX_LISTED),
    [],
  ),
  rolledBackInPart: omittedIfEmpty(list(plain(matching(/^cp_[1-9]\d{0,8}\.[1-9]\d{0,6}$/)), MAX_LISTED), []),
  // On another machine, these branches cannot be restored.
  heads: machineLocal(omittedIfEmpty(list(head, MAX_LISTED), []), [], optional(listOf(oneOf(), 0))),
  authors: omittedIfEmpty(list(author, MAX_LISTED_CHANGES), null),
  roots: list(root, MAX_LISTED),
  rules,
  counts,
  partial: list(gap, MAX_LISTED),
  unsettled: list(unverifiedPath, MAX_LISTED),
  changes: nullable(list(CHANGE, MAX_LISTED_CHANGES)),
  incomplete: optionalKey(enumOf(true)),
  totals,
};

/** Defaults for fields that most checkpoints do not set. */
export const EMPTY_INFO = {
  session: null,
  conversation: null,
  testResult: null,
  target: null,
  undoes: null,
  precedes: null,
  toolCall: null,
  tool: null,
  late: false,
  rolledBack: [],
  rolledBackInPart: [],
  heads: [],
} satisfies Partial<Checkpoint>;

export const CHECKPOINT = closedRecord<StoredCheckpoint>(FIELDS);

const { authors: _, changes: __, ...headerFields } = FIELDS;
const HEADER = closedRecord<Omit<StoredCheckpoint, 'authors' | 'changes'>>(headerFields);

/** Redacts everything except the changes. @returns the same object if nothing is removed */
export function redactCheckpoint(checkpoint: Checkpoint, redaction: Redaction): Checkpoint {
  const left = HEADER.redact(checkpoint, redaction);
  return left === checkpoint ? checkpoint : { ...checkpoint, ...left };
}
