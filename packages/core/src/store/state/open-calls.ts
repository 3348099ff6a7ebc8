/**
 * Open calls of agents' tools: `calls/<key>.json` in the store (docs/format.md). They are on disk because one process
 * starts a call and another ends it, and any capture in between must know about it. Nothing is synced: a power cut also
 * ends the agent.
 */

import type { Fs } from '../../io/fs.ts';
import { listIfExists, removeIfExists } from '../../io/if-exists.ts';
import type { Ports, ProcessIdentity } from '../../io/ports.ts';
import type { Actor, ToolInfo } from '../../model/checkpoint.ts';
import type { CallId, SessionId } from '../../model/ids.ts';
import type { NamedPath } from '../../model/named-path.ts';
import {
  type DiskPath,
  diskChild,
  type JsonName,
  nameToJson,
  type TreePath,
  treePathFromJson,
} from '../../model/names.ts';
import type { ReportedWrite } from '../../model/reported-write.ts';
import type { ShellVariables } from '../../model/shell-variables.ts';
import type { StoreLayout } from '../layout.ts';
import { fileForKey, readCacheJson, writeCacheJson } from './cache-file.ts';

/** A call of an agent's tool that has started and not ended. */
export interface OpenCall {
  /** The agent's own id for it, or a generated one; unique within its session. */
  readonly id: CallId;
  readonly session: SessionId;
  readonly actor: Actor;
  readonly tool: ToolInfo;
  /** The paths that it declares to write; null for a tool that may write anywhere. */
  readonly declared: readonly TreePath[] | null;
  /** What it reports to write to declared paths, as far as no capture has found it yet. Absent: it reports nothing. */
  readonly writes?: readonly ReportedWrite[];
  /** Declared paths whose reported content a capture has found. Later changes of these are not by this call. */
  readonly written?: readonly TreePath[];
  /** Declared paths that changed before a capture without proof: the tool may have written them before it or after. */
  readonly doubted?: readonly TreePath[];
  /** Paths that its command names. It may write others. */
  readonly named?: readonly NamedPath[];
  /** Milliseconds since 1970. */
  readonly began: number;
  /** No capture ran right before it began, nor since: changes from before it cannot be distinguished from its own. */
  readonly late: boolean;
  /** Its tool did not run before this moment, milliseconds since 1970. Known only at its end. */
  readonly ranSince?: number;
  /**
   * It has asked for a permission. `surely`: it waits for it. `perhaps`: it may have got it, because its agent does not
   * report that.
   */
  readonly waiting?: 'surely' | 'perhaps';
  /** It has returned, but continues in the background; or its end is not known. */
  readonly background: boolean;
  /** The process of the agent, if it is known. When it is gone, the call has ended. */
  readonly process?: ProcessIdentity;
  /** The variables that the agent sets for its commands, if it sets any. */
  readonly shell?: ShellVariables;
  /** It has ended, and left these processes behind, which lived at the last capture. */
  readonly leftBehind?: readonly ProcessIdentity[];
  /** A call of one of Savepoint's own tools: the operation records its own changes. */
  readonly own: boolean;
}

interface OpenCallJson extends Omit<OpenCall, 'declared' | 'writes' | 'written' | 'doubted' | 'named'> {
  readonly declared: readonly JsonName[] | null;
  readonly writes?: readonly (Omit<ReportedWrite, 'path'> & { readonly path: JsonName })[];
  readonly written?: readonly JsonName[];
  readonly doubted?: readonly JsonName[];
  readonly named?: readonly (Omit<NamedPath, 'path'> & { readonly path: JsonName })[];
}

const CALL_BYTES = 4 * 1024 * 1024;
/** Older calls do not count as open, because a killed agent whose process is not known never ends its calls. */
const MAX_CALL_MS = 12 * 3_600_000;

export function writeOpenCall(fs: Fs, layout: StoreLayout, call: OpenCall): void {
  const { declared, writes, written, doubted, named, ...rest } = call;
  const json: OpenCallJson = {
    ...rest,
    declared: declared?.map(nameToJson) ?? null,
    ...(writes === undefined ? {} : { writes: writes.map((one) => ({ ...one, path: nameToJson(one.path) })) }),
    ...(written === undefined ? {} : { written: written.map(nameToJson) }),
    ...(doubted === undefined ? {} : { doubted: doubted.map(nameToJson) }),
    ...(named === undefined ? {} : { named: named.map((one) => ({ ...one, path: nameToJson(one.path) })) }),
  };
  writeCacheJson(fs, layout.calls, keyOf(call.session, call.id), json);
}

export function removeOpenCall(fs: Fs, layout: StoreLayout, session: SessionId, id: CallId): void {
  removeIfExists(fs, fileForKey(layout.calls, keyOf(session, id)));
}

export function readOpenCall(fs: Fs, layout: StoreLayout, session: SessionId, id: CallId): OpenCall | null {
  const call = readCall(fs, fileForKey(layout.calls, keyOf(session, id)));
  return call?.leftBehind === undefined ? call : null;
}

/** Returns all readable calls, including those that no longer count as open. */
export function readRecordedCalls(fs: Fs, layout: StoreLayout): readonly OpenCall[] {
  return listIfExists(fs, layout.calls).flatMap((name) =>
    name.endsWith('.json') ? (readCall(fs, diskChild(layout.calls, name)) ?? []) : [],
  );
}

type CallPorts = Pick<Ports, 'fs' | 'clock' | 'processes'>;

/** Returns the open calls, oldest first. Ignores damaged files, calls that are too old, and those of dead agents. */
export function readOpenCalls(ports: CallPorts, layout: StoreLayout): readonly OpenCall[] {
  return readRecentCalls(ports, layout).filter((call) => call.leftBehind === undefined && !isOfDeadAgent(ports, call));
}

/**
 * Returns the calls that may have written since the last capture, oldest first: the open ones, those that left processes
 * behind, and those whose agent has died since. It is not known when it died, so these may have written, and others after them (`background`).
 */
export function readCallsSinceCapture(ports: CallPorts, layout: StoreLayout): readonly OpenCall[] {
  return readRecentCalls(ports, layout).map((call) =>
    isOfDeadAgent(ports, call) ? { ...call, background: true } : call,
  );
}

export function isOfDeadAgent({ processes }: Pick<Ports, 'processes'>, { process }: OpenCall): boolean {
  return process !== undefined && processes.state(process) === 'dead';
}

function readRecentCalls({ fs, clock, processes }: CallPorts, layout: StoreLayout): readonly OpenCall[] {
  const now = clock.now();
  const isKnown = ({ leftBehind }: OpenCall): boolean =>
    leftBehind?.some((one) => processes.state(one) !== 'unknown') === true;
  return readRecordedCalls(fs, layout)
    .filter((call) => now - call.began < MAX_CALL_MS || isKnown(call))
    .sort((a, b) => a.began - b.began || (a.id < b.id ? -1 : 1));
}

function keyOf(session: SessionId, id: CallId): string {
  return JSON.stringify([session, id]);
}

function readCall(fs: Fs, path: DiskPath): OpenCall | null {
  return readCacheJson(
    fs,
    path,
    CALL_BYTES,
    ({ declared, writes, written, doubted, named, ...rest }: OpenCallJson) => ({
      ...rest,
      declared: declared?.map((name) => treePathFromJson(name)) ?? null,
      ...(writes === undefined ? {} : { writes: writes.map((one) => ({ ...one, path: treePathFromJson(one.path) })) }),
      ...(written === undefined ? {} : { written: written.map((name) => treePathFromJson(name)) }),
      ...(doubted === undefined ? {} : { doubted: doubted.map((name) => treePathFromJson(name)) }),
      ...(named === undefined ? {} : { named: named.map((one) => ({ ...one, path: treePathFromJson(one.path) })) }),
    }),
  );
}
