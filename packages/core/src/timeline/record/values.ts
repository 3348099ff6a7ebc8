/** The values that records consist of, and their size limits in records from other machines. */

import type { Ports } from '../../io/ports.ts';
import { checkTreePath } from '../../io/safe-path.ts';
import { type Entry, isSkipReason, type SkipReason } from '../../model/entries.ts';
import { type CheckpointId, isObjectId, type ObjectId } from '../../model/ids.ts';
import { type JsonName, nameFromJson, nameToJson, type TreePath } from '../../model/names.ts';
import {
  anyOf,
  formatProblem,
  integer,
  isJsonName,
  matching,
  oneOf,
  type Shape,
  text,
  tuple,
} from '../../store/json-shape.ts';
import { entryFromJson, entryToJson, type StoredEntryJson } from '../../store/snapshot/entry-json.ts';
import { type Codec, plain } from './codec.ts';

const WORD = 1_000;
const LONG = 1_000_000;
const MAX_MENTION = 8_192;
const MAX_TIME = 8.64e15;

/** Maximum length of any list. No workspace needs longer ones. */
export const MAX_LISTED = 1_000_000;

/** An id, a model, a branch: text that fits on a line. */
export function lineString<Value extends string = string>(): Codec<Value> {
  return plain(text(WORD));
}

/** Text by users and agents. */
export const longText: Codec<string> = plain(text(LONG));
export const count: Codec<number> = plain(integer(0));
export const checkpointId: Codec<CheckpointId> = plain(matching(/^cp_[1-9]\d{0,8}$/));

/** @param allowed the accepted values, written unchanged */
export function enumOf<const Value>(...allowed: readonly Value[]): Codec<Value> {
  return plain(oneOf(...allowed));
}

/** Milliseconds since 1970. */
export const time: Codec<number> = {
  encode: (ms) => new Date(ms).toISOString(),
  decode: (json) => Date.parse(json as string),
  check: (json, at) => {
    const ms = typeof json === 'string' && json.length < 40 ? Date.parse(json) : Number.NaN;
    if (!(Math.abs(ms) <= MAX_TIME) || ms < 0) throw formatProblem(at, 'is not a time');
  },
};

export const skipReason: Codec<SkipReason> = plain((json, at) => {
  if (!isSkipReason(json)) throw formatProblem(at, 'is not a known skip reason');
});

function name<Value extends string>(
  what: string,
  refusal: (bytes: string, platform: Ports['platform']) => string | null,
): Codec<Value> {
  return {
    encode: nameToJson,
    decode: (json) => nameFromJson(json as JsonName) as Value,
    check: (json, at, platform) => {
      if (!isJsonName(json)) throw formatProblem(at, what);
      const problem = refusal(nameFromJson(json as JsonName), platform);
      if (problem !== null) throw formatProblem(at, problem);
    },
  };
}

/** A path that a snapshot may contain. */
export const path: Codec<TreePath> = name('is not a path', (bytes, platform) => {
  const refusal = checkTreePath(bytes, platform);
  return refusal === null ? null : `has a name that ${refusal.why}`;
});

/** For display only: a path that a capture could not read, or whose state is in doubt. */
export const unverifiedPath: Codec<TreePath> = name('is not a path', (bytes) =>
  bytes.length > MAX_MENTION ? 'is not a path' : null,
);

export const branch: Codec<string> = name('is not a branch', (bytes) =>
  bytes.length > WORD ? 'is not a branch' : null,
);

const permissions = integer(0, 0o7777);
const objectIdShape: Shape = (json, at) => {
  if (typeof json !== 'string' || !isObjectId(json)) throw formatProblem(at, 'is not an object id');
};

export const objectId: Codec<ObjectId> = plain(objectIdShape);
/** A commit of the user's repository, whichever hash it uses. */
export const commitId: Codec<string> = plain(matching(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/));

export const entry: Codec<Entry | null> = {
  encode: entryToJson,
  decode: (json) => entryFromJson(json as StoredEntryJson),
  check: anyOf(
    tuple(oneOf('f'), permissions, objectIdShape),
    tuple(oneOf('l'), objectIdShape),
    tuple(oneOf('d'), permissions),
    oneOf(null),
  ),
};
