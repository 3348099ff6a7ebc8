/** Each kind of id is a distinct type, so that, for example, a blob id cannot be passed as a checkpoint id. */

declare const brand: unique symbol;

/** SHA-1 of a git object, 40 lower-case hex digits. */
export type ObjectId = string & { readonly [brand]: 'ObjectId' };

/** `cp_12`: the checkpoint's number on the timeline of its workspace. Numbers are never reused. */
export type CheckpointId = `cp_${number}` & { readonly [brand]: 'CheckpointId' };

/** `cp_12.3`: the third change in the list of cp_12. */
export type ChangeId = `cp_${number}.${number}` & { readonly [brand]: 'ChangeId' };

/** `cp_12.3:2`: the second hunk of that change. */
export type HunkId = `${ChangeId}:${number}` & { readonly [brand]: 'HunkId' };

/** Random, 32 hex digits. Names a store. */
export type WorkspaceId = string & { readonly [brand]: 'WorkspaceId' };

/** `copy_` and 8 hex digits, random. Names a copy and its folder. */
export type CopyId = `copy_${string}` & { readonly [brand]: 'CopyId' };

/** Of a copy's id. */
export const COPY_ID = /^copy_[0-9a-f]{8}$/;
/** A folder that overlays share. */
export type BelowId = `below_${string}` & { readonly [brand]: 'BelowId' };
export const BELOW_ID = /^below_[0-9a-f]{8}$/;

/** `plan_` and 8 hex digits, random. Names a plan. */
export type PlanId = `plan_${string}` & { readonly [brand]: 'PlanId' };

/** Of a plan's id. */
export const PLAN_ID = /^plan_[0-9a-f]{8}$/;

/** Random, 16 hex digits. Names a transaction, its journal and its staging folder. */
export type TransactionId = string & { readonly [brand]: 'TransactionId' };

/** An agent's own id of a session, or a generated one. */
export type SessionId = string & { readonly [brand]: 'SessionId' };

/** An agent's own id of a tool call, or a generated one. Unique within its session. */
export type CallId = string & { readonly [brand]: 'CallId' };

/** A bundle with a longer id would be refused. */
const MAX_AGENT_ID_LENGTH = 1_000;

const OBJECT_ID = /^[0-9a-f]{40}$/;

export function isObjectId(text: string): text is ObjectId {
  return OBJECT_ID.test(text);
}

/** Agents choose these ids: any text that fits into a bundle is valid. */
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

/** Returns null if the text is not the id of a change. */
export function parseChangeId(text: string): { readonly checkpoint: number; readonly place: number } | null {
  const found = /^(?:cp_)?([1-9]\d{0,8})\.([1-9]\d{0,6})$/.exec(text);
  return found === null ? null : { checkpoint: Number(found[1]), place: Number(found[2]) };
}

/** @param hunk counted from 1 */
export function hunkId(change: ChangeId, hunk: number): HunkId {
  return `${change}:${hunk}` as HunkId;
}

/** Returns null if the text is not the id of a hunk. */
export function parseHunkId(text: string): { readonly change: ChangeId; readonly hunk: number } | null {
  const found = /^(.+):([1-9]\d{0,6})$/.exec(text);
  const change = found === null ? null : parseChangeId(found[1]!);
  return change === null ? null : { change: changeId(change.checkpoint, change.place), hunk: Number(found?.[2]) };
}

function isAgentId(text: string): boolean {
  return text !== '' && text.length <= MAX_AGENT_ID_LENGTH;
}

/** Replaces the id of a purged content. No object has this id. */
export const PURGED = '0000000000000000000000000000000000000000' as ObjectId;

/** The tree without entries, which represents an empty folder. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904' as ObjectId;
