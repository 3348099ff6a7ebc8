/**
 * `checkpoint.json`, described once (docs/format.md, "checkpoint.json"): how it is written and read, the check of somebody
 * else's, what leaves the machine and what a purge takes out all follow from it.
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
  added,
  type Codec,
  type Cut,
  content,
  type Fields,
  list,
  local,
  maybe,
  nullable,
  omitted,
  open,
  picked,
  plain,
  said,
} from './codec.ts';
import {
  among,
  branch,
  checkpointId,
  commitId,
  count,
  MOST_LISTED,
  mention,
  objectId,
  path,
  skipReason,
  time,
  word,
  words,
} from './values.ts';

/** A checkpoint as its record has it: changes name their authors by places in a list, and their own ids are not written. */
export interface StoredCheckpoint extends Omit<Checkpoint, 'number' | 'commit' | 'snapshot' | 'changes'> {
  /** Null in records of early versions. */
  readonly authors: readonly Author[] | null;
  readonly changes: readonly StoredChange[] | null;
}

/** What a purge leaves where a text told of what is purged. */
const PURGED_TEXT = '(purged)';

const actor: Codec<Actor> = open<Actor>({
  kind: among('user', 'agent', 'outside'),
  name: word(),
  version: maybe(word()),
  id: maybe(word()),
});

const author: Codec<Author> = open<Author>({
  actor,
  session: nullable(word()),
  call: nullable(word()),
  tool: nullable(word()),
});

const lastSaid = said(maybe(words), { leaving: () => undefined, purged: PURGED_TEXT });

const conversation: Codec<ConversationPosition> = open<ConversationPosition>({
  messages: nullable(count),
  messageId: maybe(word()),
  lastUser: lastSaid,
  lastAssistant: lastSaid,
  model: maybe(word()),
  contextSize: maybe(count),
});

const tool: Codec<ToolInfo> = open<ToolInfo>({
  name: word(),
  kind: among('write', 'edit', 'shell', 'other'),
  summary: said(words, { leaving: () => '', purged: PURGED_TEXT }),
  // What a tool was called with often holds the content itself.
  args: content(said(nullable(words), { leaving: () => null, purged: null }), null),
  took: added(nullable(count), null),
});

const position: Codec<HeadPosition> = picked<HeadPosition>({
  branch: nullable(branch),
  commit: nullable(commitId),
});

const head: Codec<MovedHead> = picked<MovedHead>({
  path,
  before: position,
  after: position,
  index: nullable(objectId),
});

const index: Codec<RecordedIndex> = open<RecordedIndex>({ id: objectId, staged: list(objectId, MOST_LISTED) });

const root: Codec<RootState> = open<RootState>({
  path,
  kind: among('repository', 'folder'),
  branch: nullable(branch),
  commit: nullable(commitId),
  operation: nullable(word()),
  mount: maybe(among(true)),
  failed: maybe(word()),
  // No bundle has what it names.
  index: local(maybe(index), undefined, optional(oneOf())),
});

const rules: Codec<CaptureRules> = open<CaptureRules>({
  maxFileBytes: count,
  maxIgnoredBytes: count,
  include: maybe(list(words, MOST_LISTED)),
  exclude: maybe(list(words, MOST_LISTED)),
  roots: maybe(list(words, MOST_LISTED)),
});

const counts: Codec<CaptureCounts> = open<CaptureCounts>({
  files: count,
  links: count,
  folders: count,
  bytes: count,
  skipped: count,
});

const totals: Codec<ChangeTotals> = open<ChangeTotals>({ files: count, added: count, removed: count });

interface StoredGap {
  readonly path: TreePath;
  readonly reason: SkipReason;
  readonly code: string | null;
}

const storedGap: Codec<StoredGap> = picked<StoredGap>({ path: mention, reason: skipReason, code: nullable(word()) });

const gap: Codec<Gap> = {
  encode: ({ path, skip }) => storedGap.encode({ path, reason: skip.reason, code: skip.code ?? null }),
  decode: (json) => {
    const { path, reason, code } = storedGap.decode(json);
    return { path, skip: { reason, ...(code === null ? {} : { code }) } };
  },
  check: storedGap.check,
};

/** In the order in which they are written. Whatever is added later needs `added` or `omitted`. */
const FIELDS: Fields<StoredCheckpoint> = {
  id: checkpointId,
  workspace: plain<WorkspaceId>(matching(/^[0-9a-f]{32}$/)),
  previous: nullable(checkpointId),
  time,
  trigger: among(...TRIGGERS),
  actor,
  // What leaves is made of what is left of the rest (bundle/write/derived-story.ts).
  description: said(words, { leaving: (text) => text, purged: PURGED_TEXT }),
  session: nullable(word()),
  conversation: nullable(conversation),
  testResult: nullable(among('pass', 'fail')),
  target: nullable(checkpointId),
  undoes: nullable(checkpointId),
  toolCall: added(nullable(word()), null),
  tool: omitted(nullable(tool), null),
  late: omitted(among(true, false), false),
  rolledBack: omitted(list(plain(matching(/^cp_[1-9]\d{0,8}\.[1-9]\d{0,6}(?::[1-9]\d{0,6})?$/)), MOST_LISTED), []),
  // Of repositories elsewhere nothing can be put back.
  heads: local(omitted(list(head, MOST_LISTED), []), [], optional(listOf(oneOf(), 0))),
  authors: omitted(list(author, MAX_LISTED_CHANGES), null),
  roots: list(root, MOST_LISTED),
  rules,
  counts,
  partial: list(gap, MOST_LISTED),
  unsettled: list(mention, MOST_LISTED),
  changes: nullable(list(CHANGE, MAX_LISTED_CHANGES)),
  totals,
};

/** What most checkpoints have nothing to say about. */
export const NOTHING_TOLD = {
  session: null,
  conversation: null,
  testResult: null,
  target: null,
  undoes: null,
  toolCall: null,
  tool: null,
  late: false,
  rolledBack: [],
  heads: [],
} satisfies Partial<Checkpoint>;

export const CHECKPOINT = picked<StoredCheckpoint>(FIELDS);

const { authors: _, changes: __, ...told } = FIELDS;
const TOLD = picked<Omit<StoredCheckpoint, 'authors' | 'changes'>>(told);

/** But for what its changes tell. @returns the very same checkpoint where nothing of it goes */
export function cutCheckpoint(checkpoint: Checkpoint, cut: Cut): Checkpoint {
  const left = TOLD.without(checkpoint, cut);
  return left === checkpoint ? checkpoint : { ...checkpoint, ...left };
}
