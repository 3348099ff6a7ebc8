/** `checkpoint.json` of somebody else's bundle, before it is read as a checkpoint's story. */

import type { Ports } from '../io/ports.ts';
import { checkTreePath } from '../io/safe-path.ts';
import { type Checkpoint, TRIGGERS } from '../model/checkpoint.ts';
import type { Snapshot } from '../model/entries.ts';
import { isObjectId, type ObjectId } from '../model/ids.ts';
import { type JsonName, nameFromJson } from '../model/names.ts';
import { FormatProblem } from '../store/objects/damage.ts';
import { CHECKPOINT_FORMAT, decodeStory, MAX_LISTED_CHANGES } from '../timeline/checkpoint-json.ts';
import { isSkipReason } from './check-note.ts';
import {
  anyOf,
  isJsonName,
  listOf,
  matching,
  oneOf,
  optional,
  orNull,
  record,
  type Shape,
  text,
  tuple,
  whole,
  wrong,
} from './json-shape.ts';

const WORD = 1_000;
const LONG = 1_000_000;
const MOST_LISTED = 1_000_000;
const LONGEST_MENTION = 8_192;
const MOST_TIME = 8.64e15;

const checkpointId = matching(/^cp_[1-9]\d{0,8}$/);
const changeOrHunk = matching(/^cp_[1-9]\d{0,8}\.[1-9]\d{0,6}(?::[1-9]\d{0,6})?$/);
const count = whole(0);
const word = text(WORD);
const words = text(LONG);
const permissions = whole(0, 0o7777);
const objectId: Shape = (value, at) => {
  if (typeof value !== 'string' || !isObjectId(value)) throw wrong(at, 'is no object id');
};
const time: Shape = (value, at) => {
  const ms = typeof value === 'string' && value.length < 40 ? Date.parse(value) : Number.NaN;
  if (!(Math.abs(ms) <= MOST_TIME) || ms < 0) throw wrong(at, 'is no time');
};
const reason: Shape = (value, at) => {
  if (!isSkipReason(value)) throw wrong(at, 'is no reason to leave a path out');
};

const actor = record({
  kind: oneOf('user', 'agent', 'outside'),
  name: word,
  version: optional(word),
  id: optional(word),
});
const author = record({ actor, session: orNull(word), call: orNull(word), tool: orNull(word) });
const entry = anyOf(
  tuple(oneOf('f'), permissions, objectId),
  tuple(oneOf('l'), objectId),
  tuple(oneOf('d'), permissions),
  oneOf(null),
);

/** Only for people: where a capture could not look, or only in doubt. */
const mention: Shape = (value, at) => {
  if (!isJsonName(value) || nameFromJson(value as JsonName).length > LONGEST_MENTION) throw wrong(at, 'is no path');
};

/** @param platform whose rules paths have to follow */
function shapeOf(platform: Ports['platform']): Shape {
  const path: Shape = (value, at) => {
    if (!isJsonName(value)) throw wrong(at, 'is no path');
    const refusal = checkTreePath(nameFromJson(value as JsonName), platform);
    if (refusal !== null) throw wrong(at, `has a name that ${refusal.why}`);
  };
  const branch: Shape = (value, at) => {
    if (!isJsonName(value) || nameFromJson(value as JsonName).length > WORD) throw wrong(at, 'is no branch');
  };
  const change = record({
    path,
    op: oneOf('create', 'write', 'patch', 'delete', 'rename', 'mode', 'kind'),
    from: optional(path),
    by: optional(listOf(count, WORD)),
    unsure: optional(oneOf(true)),
    before: entry,
    after: entry,
    lines: orNull(tuple(count, count)),
    range: optional(orNull(tuple(count, count))),
    sizes: optional(tuple(orNull(count), orNull(count))),
  });
  return record({
    id: checkpointId,
    workspace: matching(/^[0-9a-f]{32}$/),
    previous: orNull(checkpointId),
    time,
    trigger: oneOf(...TRIGGERS),
    actor,
    description: words,
    session: orNull(word),
    conversation: orNull(
      record({
        messages: orNull(count),
        messageId: optional(word),
        lastUser: optional(words),
        lastAssistant: optional(words),
        model: optional(word),
        contextSize: optional(count),
      }),
    ),
    testResult: oneOf('pass', 'fail', null),
    target: orNull(checkpointId),
    undoes: orNull(checkpointId),
    toolCall: optional(orNull(word)),
    tool: optional(
      orNull(
        record({
          name: word,
          kind: oneOf('write', 'edit', 'shell', 'other'),
          summary: words,
          args: orNull(words),
          took: optional(orNull(count)),
        }),
      ),
    ),
    late: optional(oneOf(true, false)),
    rolledBack: optional(listOf(changeOrHunk, MOST_LISTED)),
    // Of repositories elsewhere nothing can be put back.
    heads: optional(listOf(oneOf(), 0)),
    authors: optional(listOf(author, MAX_LISTED_CHANGES)),
    roots: listOf(
      record({
        path,
        kind: oneOf('repository', 'folder'),
        branch: orNull(branch),
        commit: orNull(matching(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/)),
        operation: orNull(word),
        mount: optional(oneOf(true)),
        failed: optional(word),
        // No bundle has what it names.
        index: optional(oneOf()),
      }),
      MOST_LISTED,
    ),
    rules: record({
      maxFileBytes: count,
      maxIgnoredBytes: count,
      include: optional(listOf(words, MOST_LISTED)),
      exclude: optional(listOf(words, MOST_LISTED)),
      roots: optional(listOf(words, MOST_LISTED)),
    }),
    counts: record({ files: count, links: count, folders: count, bytes: count, skipped: count }),
    partial: listOf(record({ path: mention, reason, code: orNull(word) }), MOST_LISTED),
    unsettled: listOf(mention, MOST_LISTED),
    changes: orNull(listOf(change, MAX_LISTED_CHANGES)),
    totals: record({ files: count, added: count, removed: count }),
  });
}

/** @throws FormatProblem */
export function checkStory(
  data: Buffer,
  commit: ObjectId,
  snapshot: Snapshot,
  platform: Ports['platform'],
): Checkpoint {
  let json: unknown;
  try {
    json = JSON.parse(data.toString('utf8'));
  } catch (cause) {
    throw new FormatProblem('it is not JSON', { cause });
  }
  record({
    format: (value, at) => {
      if (value !== CHECKPOINT_FORMAT) throw wrong(at, `is none that this version knows (${CHECKPOINT_FORMAT})`);
    },
  })(json, '');
  shapeOf(platform)(json, '');
  const story = decodeStory(data, commit, snapshot);
  if (story.previous !== null && Number(story.previous.slice(3)) >= story.number) {
    throw new FormatProblem('previous is not before it');
  }
  return story;
}
