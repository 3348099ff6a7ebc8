/**
 * Calls of agents' tools that have begun and not ended: `calls/<key>.json` in the store (docs/format.md). They are on
 * disk because a call begins in one process and ends in another, and any capture in between must know of it. Nothing is
 * flushed: who loses power loses the agent with it.
 */

import type { Fs } from '../../io/fs.ts';
import { listIfExists, removeIfExists } from '../../io/if-exists.ts';
import type { Actor, ToolInfo } from '../../model/checkpoint.ts';
import type { CallId, SessionId } from '../../model/ids.ts';
import {
  type DiskPath,
  diskChild,
  type JsonName,
  nameToJson,
  type TreePath,
  treePathFromJson,
} from '../../model/names.ts';
import type { StoreLayout } from '../layout.ts';
import { fileForKey, readCacheJson, writeCacheJson } from './cache-file.ts';

/** A call of an agent's tool that has begun and not ended. */
export interface OpenCall {
  /** The agent's own id, or one that was made for it; one of a kind in its session. */
  readonly id: CallId;
  readonly session: SessionId;
  readonly actor: Actor;
  readonly tool: ToolInfo;
  /** The paths that it says it writes; null for a tool that may write anywhere. */
  readonly declared: readonly TreePath[] | null;
  /** Milliseconds since 1970. */
  readonly began: number;
  /** No capture was done before it began, and none since: what it found cannot be told from what it did. */
  readonly late: boolean;
  /** It answered, and goes on working. */
  readonly background: boolean;
  /** One of Savepoint's own tools: its act tells of itself. */
  readonly own: boolean;
}

type OpenCallJson = Omit<OpenCall, 'declared'> & { readonly declared: readonly JsonName[] | null };

const CALL_BYTES = 4 * 1024 * 1024;
/** An agent that was killed never ends its calls. */
const MAX_CALL_MS = 12 * 3_600_000;

export function writeOpenCall(fs: Fs, layout: StoreLayout, call: OpenCall): void {
  const json: OpenCallJson = { ...call, declared: call.declared?.map(nameToJson) ?? null };
  writeCacheJson(fs, layout.calls, keyOf(call.session, call.id), json);
}

export function removeOpenCall(fs: Fs, layout: StoreLayout, session: SessionId, id: CallId): void {
  removeIfExists(fs, fileForKey(layout.calls, keyOf(session, id)));
}

export function readOpenCall(fs: Fs, layout: StoreLayout, session: SessionId, id: CallId): OpenCall | null {
  return readCall(fs, fileForKey(layout.calls, keyOf(session, id)));
}

/** All that can be read, also those that no longer count as open. */
export function readRecordedCalls(fs: Fs, layout: StoreLayout): readonly OpenCall[] {
  return listIfExists(fs, layout.calls).flatMap((name) =>
    name.endsWith('.json') ? (readCall(fs, diskChild(layout.calls, name)) ?? []) : [],
  );
}

/** Oldest first. What is damaged, or older than any call, counts for nothing. @param now milliseconds since 1970 */
export function readOpenCalls(fs: Fs, layout: StoreLayout, now: number): readonly OpenCall[] {
  return readRecordedCalls(fs, layout)
    .filter(({ began }) => now - began < MAX_CALL_MS)
    .sort((a, b) => a.began - b.began || (a.id < b.id ? -1 : 1));
}

function keyOf(session: SessionId, id: CallId): string {
  return JSON.stringify([session, id]);
}

function readCall(fs: Fs, path: DiskPath): OpenCall | null {
  return readCacheJson(fs, path, CALL_BYTES, (json: OpenCallJson) => ({
    ...json,
    declared: json.declared?.map((name) => treePathFromJson(name)) ?? null,
  }));
}
