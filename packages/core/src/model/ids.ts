/** Ids are distinct types: a blob's id cannot be handed to something that wants a checkpoint. */

declare const brand: unique symbol;

/** SHA-1 of a git object, 40 lower-case hex digits. */
export type ObjectId = string & { readonly [brand]: 'ObjectId' };

/** `cp_12`: a checkpoint's number on its workspace's timeline; never used again. */
export type CheckpointId = `cp_${number}` & { readonly [brand]: 'CheckpointId' };

/** `cp_12.3`: the third change that cp_12 lists. */
export type ChangeId = `cp_${number}.${number}` & { readonly [brand]: 'ChangeId' };

/** `cp_12.3:2`: the second hunk of that change. */
export type HunkId = `${ChangeId}:${number}` & { readonly [brand]: 'HunkId' };

/** Random, 32 hex digits; names a store. */
export type WorkspaceId = string & { readonly [brand]: 'WorkspaceId' };

/** Random, 16 hex digits; names a transaction, its journal and its staging folder. */
export type TransactionId = string & { readonly [brand]: 'TransactionId' };

/** An agent's own id of a session, or one that was made for it. */
export type SessionId = string & { readonly [brand]: 'SessionId' };

/** An agent's own id of a call of a tool, or one that was made for it; one of a kind in its session. */
export type CallId = string & { readonly [brand]: 'CallId' };

/** A bundle with a longer one would be refused. */
const MAX_AGENT_ID_LENGTH = 1_000;

const OBJECT_ID = /^[0-9a-f]{40}$/;

export function isObjectId(text: string): text is ObjectId {
  return OBJECT_ID.test(text);
}

/** Agents choose these ids: any text will do that a bundle can carry. */
export function isSessionId(text: string): text is SessionId {
  return isAgentId(text);
}

export function isCallId(text: string): text is CallId {
  return isAgentId(text);
}

export function checkpointId(number: number): CheckpointId {
  return `cp_${number}` as CheckpointId;
}

export function checkpointNumber(id: CheckpointId): number {
  return Number(id.slice(3));
}

/** @param place counted from 1 */
export function changeId(checkpoint: number, place: number): ChangeId {
  return `cp_${checkpoint}.${place}` as ChangeId;
}

/** Null where the text is no change's id. */
export function parseChangeId(text: string): { readonly checkpoint: number; readonly place: number } | null {
  const found = /^(?:cp_)?([1-9]\d{0,8})\.([1-9]\d{0,6})$/.exec(text);
  return found === null ? null : { checkpoint: Number(found[1]), place: Number(found[2]) };
}

/** @param hunk counted from 1 */
export function hunkId(change: ChangeId, hunk: number): HunkId {
  return `${change}:${hunk}` as HunkId;
}

/** Null where the text is no hunk's id. */
export function parseHunkId(text: string): { readonly change: ChangeId; readonly hunk: number } | null {
  const found = /^(.+):([1-9]\d{0,6})$/.exec(text);
  const change = found === null ? null : parseChangeId(found[1]!);
  return change === null ? null : { change: changeId(change.checkpoint, change.place), hunk: Number(found?.[2]) };
}

function isAgentId(text: string): boolean {
  return text !== '' && text.length <= MAX_AGENT_ID_LENGTH;
}

/** Stands where the id of a content stood that was purged; no object has it. */
export const PURGED = '0000000000000000000000000000000000000000' as ObjectId;

/** The tree without entries: what an empty folder is. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904' as ObjectId;
