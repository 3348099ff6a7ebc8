/**
 * Open calls of agents' tools: `calls/<session>-<call>.json` in the store (docs/format.md). They are on disk because one
 * process starts a call and another ends it, and any capture in between must know about it. Nothing is synced: a power
 * cut also ends the agent. A record that cannot be read is not absent: some agent's call may be open.
 */

import { type Fs, FsError } from '../../io/fs.ts';
import { listIfExists, removeIfExists } from '../../io/if-exists.ts';
import type { Ports, ProcessIdentity } from '../../io/ports.ts';
import { removeTree } from '../../io/remove-tree.ts';
import { isSameProcess } from '../../io/same-process.ts';
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
import { isJsonName } from '../json-shape.ts';
import type { StoreLayout } from '../layout.ts';
import { hashOfKey, makeFolderIfMissing, readCacheJson, replaceFile } from './cache-file.ts';
import { readSessionProcesses } from './session-state.ts';

/** A call of an agent's tool that has started and not ended. */
export interface OpenCall {
  /** The agent's own id for it, or a generated one; unique among the open calls of its actor. */
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
  /** The same in milliseconds since boot, for when the clock is set; absent if unknown. */
  readonly beganUptime?: number;
  /** No capture ran right before it began, nor since: changes from before it cannot be distinguished from its own. */
  readonly late: boolean;
  /** It reports that it failed. It may have written its `writes` all the same. */
  readonly failed?: boolean;
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
  /** The processes that other calls had left behind when it began, so it has not started them. Absent if there were none. */
  readonly leftBefore?: readonly ProcessIdentity[];
  /** When it was given up, because no end was reported, in milliseconds since 1970. A server of its agent may go on with it. */
  readonly abandoned?: number;
  /** The processes above the agent, nearest first, as far as they are known. One of them may have a call of its own. */
  readonly above?: readonly ProcessIdentity[];
  /** It runs a program that may itself be an agent with hooks: `savepoint run`. */
  readonly hosts?: boolean;
  /** The name of the agent that this program is. */
  readonly hostsAgent?: string;
  /** This agent has reported an event of its own, so the call is no longer named. */
  readonly hasReportingAgent?: boolean;
  /** The sessions of that agent that have reported an event since this call began. */
  readonly hostedSessions?: readonly SessionId[];
  /** No capture runs around it: the settings leave it out, are invalid, or are those of another workspace. */
  readonly uncaptured?: boolean;
  /** It is old, and nothing tells whether its agent is alive. It makes others less certain, and is not named. */
  readonly expired?: boolean;
  /** It has ended, and no capture has run since. */
  readonly ended?: boolean;
  /** A capture that is running, or that failed, has seen that it has ended. */
  readonly seen?: boolean;
  /** Its record is damaged: an unknown call of an unknown agent. */
  readonly unreadable?: boolean;
  /** A call of one of Savepoint's own tools: the operation records its own changes. */
  readonly own: boolean;
}

/** What tells a call from others that are open at the same time. */
export type CallKey = Pick<OpenCall, 'id' | 'session'> &
  Partial<Pick<OpenCall, 'began' | 'ended' | 'leftBehind'>> & { readonly actor: Pick<Actor, 'id'> };

interface OpenCallJson extends Omit<OpenCall, 'declared' | 'writes' | 'written' | 'doubted' | 'named'> {
  readonly declared: readonly JsonName[] | null;
  readonly writes?: readonly (Omit<ReportedWrite, 'path'> & { readonly path: JsonName })[];
  readonly written?: readonly JsonName[];
  readonly doubted?: readonly JsonName[];
  readonly named?: readonly (Omit<NamedPath, 'path'> & { readonly path: JsonName })[];
}

const CALL_BYTES = 4 * 1024 * 1024;
/** How long a call counts as open if it is not known whether its agent is alive. */
const MAX_CALL_MS = 12 * 3_600_000;
/** How long a call whose end was not reported may have written what changes, if only its agent is known to be alive. */
const MAX_ABANDONED_MS = 10 * 60_000;

/** The author of a call whose record is damaged. */
export const UNKNOWN_AGENT: Actor = { kind: 'agent', name: 'unknown' };

/** The records of calls in a store. */
export interface RecordedCalls {
  /** Oldest first. */
  readonly calls: readonly OpenCall[];
  /** Names of files that cannot be read. */
  readonly damaged: readonly string[];
}

/** @throws FsError if it cannot be written; then an empty file says that some call may be open */
export function writeOpenCall(fs: Fs, layout: StoreLayout, call: OpenCall): void {
  writeCall(fs, layout, call.unreadable === true ? call.id : nameOf(call), call);
  // A call that has ended makes way for another one with its id.
  if (call.unreadable === true || !isOver(call)) return;
  const { ended: _, leftBehind: _left, ...open } = call;
  const path = diskChild(layout.calls, nameOf(open));
  if (readCall(fs, path)?.began === call.began) removeIfExists(fs, path);
}

export function removeOpenCall(fs: Fs, layout: StoreLayout, call: CallKey): void {
  removeIfExists(fs, diskChild(layout.calls, nameOf(call)));
}

/** @returns null if there is none, if it is damaged, or if it has only left processes behind */
export function readOpenCall(fs: Fs, layout: StoreLayout, key: CallKey): OpenCall | null {
  const call = readCall(fs, diskChild(layout.calls, nameOf(key)));
  return call?.leftBehind === undefined ? call : null;
}

/** Returns all records, including those of calls that no longer count as open. */
export function readRecordedCalls(fs: Fs, layout: StoreLayout): RecordedCalls {
  const calls: OpenCall[] = [];
  const damaged: string[] = [];
  for (const name of listIfExists(fs, layout.calls)) {
    if (!name.endsWith('.json')) continue;
    const path = diskChild(layout.calls, name);
    const call = readCall(fs, path);
    if (call !== null) calls.push(call);
    // Another process may have removed it meanwhile.
    else if (fs.lstat(path) !== null) damaged.push(name);
  }
  return { calls: calls.sort((a, b) => a.began - b.began || (a.id < b.id ? -1 : 1)), damaged };
}

/**
 * Removes what a session's calls say about their work: arguments, summaries, and the contents that they report to write.
 * The calls stay open. A damaged record becomes an empty one, which also says that some call may be open.
 */
export function removeTextsOfCalls(fs: Fs, layout: StoreLayout, session: SessionId): void {
  const { calls, damaged } = readRecordedCalls(fs, layout);
  for (const call of calls) {
    if (call.session !== session) continue;
    const { writes: _, ...rest } = call;
    writeOpenCall(fs, layout, { ...rest, tool: { ...call.tool, summary: '', args: null } });
  }
  for (const name of damaged.filter((one) => isNameOf(one, session))) {
    const path = diskChild(layout.calls, name);
    removeTree(fs, path);
    leaveEmptyFile(fs, path);
  }
}

/** Renames records that an earlier version named otherwise, so that the end of a call finds its own. */
export function renameOldRecords(fs: Fs, layout: StoreLayout): void {
  for (const name of listIfExists(fs, layout.calls)) {
    const call = readCall(fs, diskChild(layout.calls, name));
    if (call === null || call.unreadable === true || nameOf(call) === name) continue;
    writeOpenCall(fs, layout, call);
    removeIfExists(fs, diskChild(layout.calls, name));
  }
}

type CallPorts = Pick<Ports, 'fs' | 'clock' | 'processes'>;

/** Returns the calls of which no end is known, oldest first. */
export function readUnendedCalls(ports: CallPorts, layout: StoreLayout): readonly OpenCall[] {
  const { calls } = readRecordedCalls(ports.fs, layout);
  return calls.filter((call) => call.ended !== true && call.leftBehind === undefined && !isOfDeadAgent(ports, call));
}

/** The same, without old calls whose agent may be dead. For what must not wait for such calls forever. */
export function readOpenCalls(ports: CallPorts, layout: StoreLayout): readonly OpenCall[] {
  return readUnendedCalls(ports, layout).filter((call) => !mayHaveEnded(ports, call));
}

/**
 * Returns the calls that may have written since the last capture, oldest first: the open ones, those that left processes
 * behind, those that no capture has followed, and an unknown one if a record is damaged. If it is not known when a call
 * ended, others may have written after it (`background`).
 */
export function readCallsSinceCapture(ports: CallPorts, layout: StoreLayout): readonly OpenCall[] {
  const { calls, damaged } = readRecordedCalls(ports.fs, layout);
  const known = calls.map((call) => {
    if (call.ended === true || isOfDeadAgent(ports, call)) return { ...call, background: true };
    return mayHaveEnded(ports, call) ? { ...call, background: true, expired: true } : call;
  });
  return damaged.length === 0 ? known : [...known, UNREADABLE_CALL];
}

export function isOfDeadAgent({ processes }: Pick<Ports, 'processes'>, { process }: OpenCall): boolean {
  return process !== undefined && processes.state(process) === 'dead';
}

/** A killed agent whose process is not known never ends its calls. A clock that jumps ends no call of a living agent. */
export function mayHaveEnded({ clock, processes }: Omit<CallPorts, 'fs'>, call: OpenCall): boolean {
  const { abandoned, process: agent, leftBehind: left = [] } = call;
  if (abandoned !== undefined && agent !== undefined && left.every((one) => isSameProcess(one, agent))) {
    return clock.now() - abandoned >= MAX_ABANDONED_MS;
  }
  if (clock.now() - call.began < MAX_CALL_MS) return false;
  const known = call.leftBehind ?? (call.process === undefined ? [] : [call.process]);
  return known.every((one) => ['unknown', 'dead'].includes(processes.state(one)));
}

/** The damaged records of a session's calls, or of all sessions whose agents are dead. Their names are those of files. */
export function damagedCallsOf(
  { fs, processes }: CallPorts,
  layout: StoreLayout,
  damaged: readonly string[],
  session: SessionId | null,
): readonly string[] {
  if (session !== null) return damaged.filter((name) => isNameOf(name, session));
  return damaged.filter((name) => {
    const [agent] = readSessionProcesses(fs, layout, name.replace(/-.*/, ''));
    return agent !== undefined && processes.state(agent) === 'dead';
  });
}

/** Replaces a damaged record: its call has ended, and the next capture removes it. */
export function endDamagedCall(fs: Fs, layout: StoreLayout, name: string): void {
  removeTree(fs, diskChild(layout.calls, name));
  writeCall(fs, layout, name, { ...UNREADABLE_CALL, id: name as CallId, ended: true });
}

/** Also removes a record that has replaced a damaged one, whose id is the name of its file. */
export function removeCallRecord(fs: Fs, layout: StoreLayout, call: OpenCall): void {
  if (call.unreadable === true) removeIfExists(fs, diskChild(layout.calls, call.id));
  else removeOpenCall(fs, layout, call);
}

const UNREADABLE_CALL: OpenCall = {
  id: 'unknown' as CallId,
  session: 'unknown' as SessionId,
  actor: UNKNOWN_AGENT,
  tool: { name: 'unknown', kind: 'other', summary: '', args: null, took: null },
  declared: null,
  began: 0,
  late: true,
  background: true,
  own: false,
  unreadable: true,
};

/** The part for the session tells which damaged records are of a session that ends. */
function nameOf(call: CallKey): string {
  const { session, id, actor, began } = call;
  // Sub-agents may number their calls alike, and an agent may use the id of a call that has ended.
  const parts = isOver(call) ? [id, actor.id, began] : actor.id === undefined ? [id] : [id, actor.id];
  return `${hashOfKey(session)}-${hashOfKey(parts.join('\0'))}.json`;
}

function isNameOf(name: string, session: SessionId): boolean {
  return name.startsWith(`${hashOfKey(session)}-`);
}

function isOver({ ended, leftBehind }: Pick<CallKey, 'ended' | 'leftBehind'>): boolean {
  return ended === true || leftBehind !== undefined;
}

function writeCall(fs: Fs, layout: StoreLayout, name: string, call: OpenCall): void {
  const { declared, writes, written, doubted, named, ...rest } = call;
  const json: OpenCallJson = {
    ...rest,
    declared: declared?.map(nameToJson) ?? null,
    ...(writes === undefined ? {} : { writes: writes.map((one) => ({ ...one, path: nameToJson(one.path) })) }),
    ...(written === undefined ? {} : { written: written.map(nameToJson) }),
    ...(doubted === undefined ? {} : { doubted: doubted.map(nameToJson) }),
    ...(named === undefined ? {} : { named: named.map((one) => ({ ...one, path: nameToJson(one.path) })) }),
  };
  makeFolderIfMissing(fs, layout.calls);
  const path = diskChild(layout.calls, name);
  try {
    replaceFile(fs, path, Buffer.from(JSON.stringify(json)));
  } catch (error) {
    if (error instanceof FsError) leaveEmptyFile(fs, path);
    throw error;
  }
}

/** A full disk often still has room for a name. */
function leaveEmptyFile(fs: Fs, path: DiskPath): void {
  try {
    fs.close(fs.openNew(path, 0o600));
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
  }
}

/** Null if it is missing, or not the record of a call. */
function readCall(fs: Fs, path: DiskPath): OpenCall | null {
  const json = readCacheJson(fs, path, CALL_BYTES, (value: unknown) => value);
  if (!isCallJson(json)) return null;
  const { declared, writes, written, doubted, named, ...rest } = json;
  return {
    ...rest,
    declared: declared?.map((name) => treePathFromJson(name)) ?? null,
    ...(writes === undefined ? {} : { writes: writes.map((one) => ({ ...one, path: treePathFromJson(one.path) })) }),
    ...(written === undefined ? {} : { written: written.map((name) => treePathFromJson(name)) }),
    ...(doubted === undefined ? {} : { doubted: doubted.map((name) => treePathFromJson(name)) }),
    ...(named === undefined ? {} : { named: named.map((one) => ({ ...one, path: treePathFromJson(one.path) })) }),
  };
}

/** Checks what an attribution needs. Only damage, and no other version, leaves out any of it. */
function isCallJson(json: unknown): json is OpenCallJson {
  if (typeof json !== 'object' || json === null) return false;
  const call = json as Readonly<Record<string, unknown>>;
  const { id, session, actor, tool, declared, began, late, background, own, writes, written, doubted, above, named } =
    call;
  return (
    [id, session, nameIn(actor), nameIn(tool)].every((text) => typeof text === 'string') &&
    [late, background, own].every((flag) => typeof flag === 'boolean') &&
    typeof began === 'number' &&
    (declared === null || isListOf(declared, isJsonName)) &&
    [written, doubted].every((list) => list === undefined || isListOf(list, isJsonName)) &&
    [writes, named].every((list) => list === undefined || isListOf(list, hasPath)) &&
    [above, call['leftBehind'], call['leftBefore']].every((list) => list === undefined || isListOf(list, isProcess)) &&
    (call['process'] === undefined || isProcess(call['process']))
  );
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function hasPath(value: unknown): boolean {
  return isJsonName((value as { readonly path?: unknown } | null)?.path);
}

function isProcess(value: unknown): boolean {
  return typeof (value as { pid?: unknown } | null)?.pid === 'number';
}

function nameIn(value: unknown): unknown {
  return (value as { readonly name?: unknown } | null | undefined)?.name;
}
