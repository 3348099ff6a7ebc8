/**
 * The calls of agents that may have changed a workspace since its last capture. Three kinds leave no capture at their
 * end, so their records stay until a capture has run: calls that the settings leave out, calls in a workspace that
 * overlaps this one, and calls whose record is damaged. A capture therefore never takes an agent's work for somebody
 * else's because it does not know of the call.
 *
 * Invariants:
 * A1 A call in an overlapping workspace is read from that workspace's store while it is open. Before its record is removed
 *    there, it is recorded here as ended. So a capture that first reads the other store and then its own misses none.
 * A2 A record of an ended call is removed only by a capture that saw it before its scan began. `seen` says so: a call that
 *    ends later leaves a record of its own.
 * A3 What was open before the scan counts, even if its record is gone after it.
 */

import type { Fs } from '../../io/fs.ts';
import type { ProcessIdentity } from '../../io/ports.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { CallId, SessionId } from '../../model/ids.ts';
import { type DiskPath, isWithin, joinPaths, relativePath, type TreePath } from '../../model/names.ts';
import type { StoreLayout } from '../../store/layout.ts';
import {
  damagedCallsOf,
  endDamagedCall,
  isOfDeadAgent,
  mayHaveEnded,
  type OpenCall,
  readCallsSinceCapture,
  readOpenCall,
  readRecordedCalls,
  removeCallRecord,
  removeOpenCall,
  renameOldRecords,
  writeOpenCall,
} from '../../store/state/open-calls.ts';
import { endOpenCall, processesLeftBy, stillLeftBy } from './left-behind.ts';
import type { ReportEvidence } from './reported-writes.ts';
import type { OverlappingStore, Workspace } from './workspace.ts';

/** A call, and whether its record is in the store of another workspace. */
export interface ActiveCall extends OpenCall {
  readonly isElsewhere?: boolean;
}

/** Returns the calls that may have written since the last capture, oldest first. */
export function activeCalls(workspace: Workspace): readonly ActiveCall[] {
  // A1: in this order.
  const elsewhere = workspace.overlapping().flatMap((other) => callsIn(workspace, other));
  return [...elsewhere, ...readCallsSinceCapture(workspace.ports, workspace.store.layout)];
}

/** The same before the scan of a capture, which holds the lock. Marks the calls that have ended as seen. */
export function activeCallsBeforeScan(workspace: Workspace): readonly ActiveCall[] {
  const { ports, store } = workspace;
  renameOldRecords(ports.fs, store.layout);
  const { damaged } = readRecordedCalls(ports.fs, store.layout);
  for (const name of damagedCallsOf(ports, store.layout, damaged, null)) endDamagedCall(ports.fs, store.layout, name);
  return activeCalls(workspace).map((call) => {
    if (call.isElsewhere === true || call.ended !== true || call.seen === true) return call;
    const seen = { ...call, seen: true };
    writeOpenCall(ports.fs, store.layout, seen);
    return seen;
  });
}

/** The same after the scan. @param before the calls before it */
export function activeCallsAfterScan(workspace: Workspace, before: readonly ActiveCall[]): readonly ActiveCall[] {
  const now = activeCalls(workspace);
  const gone = before.filter((call) => !now.some((one) => isSameCall(one, call)));
  // A3. It ended during the scan, and others may have written after it.
  return [...gone.map((call) => ({ ...call, background: true })), ...now];
}

/**
 * From this checkpoint on, what changes while a late call is open can be distinguished from earlier changes, and what a
 * tool reported to write is recorded. The calls of dead agents have ended, and so have those without living processes.
 */
export function updateCalls(
  workspace: Workspace,
  calls: readonly ActiveCall[],
  { proven, doubted }: Pick<ReportEvidence, 'proven' | 'doubted'>,
): void {
  const { ports, store } = workspace;
  for (const call of calls) {
    if (call.isElsewhere === true || (call.unreadable === true && call.ended !== true)) continue;
    if (call.ended === true) {
      if (call.seen === true) removeCallRecord(ports.fs, store.layout, call);
      continue;
    }
    if (call.leftBehind !== undefined) {
      closeCall(workspace, call, stillLeftBy(workspace, call, calls));
      continue;
    }
    if (isOfDeadAgent(ports, call)) {
      closeCall(workspace, call, processesLeftBy(workspace, call));
      continue;
    }
    const paths = proven.filter((one) => one.call === call).map(({ path }) => path);
    const unclear = doubted.filter((one) => one.call === call).map(({ path }) => path);
    if (!call.late && paths.length === 0 && unclear.length === 0) continue;
    // As recorded: whether it may have ended depends on the moment.
    const recorded = readOpenCall(ports.fs, store.layout, call);
    if (recorded === null || recorded.ended === true) continue;
    const writes = call.writes?.filter(({ path }) => !paths.includes(path));
    writeOpenCall(ports.fs, store.layout, {
      ...recorded,
      late: false,
      ...(writes === undefined ? {} : { writes, written: [...(call.written ?? []), ...paths] }),
      ...(unclear.length === 0 ? {} : { doubted: [...new Set([...(call.doubted ?? []), ...unclear])] }),
    });
  }
}

/** Ends a call with a capture. Its record stays while processes that it left behind live. */
export function closeCall(workspace: Workspace, call: OpenCall, left: readonly ProcessIdentity[]): void {
  if (left.length === 0) recordElsewhere(workspace, call);
  endOpenCall(workspace.ports, workspace.store.layout, call, left);
}

/** Ends a call without a capture: the next one must know of it. */
export function endUncaptured(workspace: Workspace, call: OpenCall): void {
  const { fs } = workspace.ports;
  // It may have been allowed to run since.
  const { waiting: _, leftBehind: _left, ...ran } = call;
  const leftBehind = processesLeftBy(workspace, ran);
  if (leftBehind.length > 0) {
    writeOpenCall(fs, workspace.store.layout, { ...ran, background: true, leftBehind });
    return;
  }
  recordElsewhere(workspace, ran);
  recordEnded(fs, workspace.store.layout, { ...ran, ended: true });
}

/** Records an operation in the overlapping workspaces: only this one knows what it changed. A person's needs none. */
export function recordOperationElsewhere(workspace: Workspace, checkpoint: Checkpoint): void {
  if (checkpoint.actor.kind === 'agent') recordElsewhere(workspace, operationAsCall(checkpoint));
}

/** Ends the calls of which it is not known whether they are open. For a person, who knows that no agent works. */
export function endDoubtfulCalls(workspace: Workspace): void {
  const { ports, store } = workspace;
  const { calls, damaged } = readRecordedCalls(ports.fs, store.layout);
  for (const name of damaged) endDamagedCall(ports.fs, store.layout, name);
  for (const call of calls) if (call.ended !== true && mayHaveEnded(ports, call)) endUncaptured(workspace, call);
}

/** Ends the damaged records of the calls of a session. @returns whether there are any */
export function endDamagedCalls({ ports, store }: Workspace, session: SessionId): boolean {
  const { damaged } = readRecordedCalls(ports.fs, store.layout);
  const own = damagedCallsOf(ports, store.layout, damaged, session);
  for (const name of own) endDamagedCall(ports.fs, store.layout, name);
  return own.length > 0;
}

/** Records in the overlapping workspaces that this call ran here. */
function recordElsewhere(workspace: Workspace, call: OpenCall): void {
  for (const other of workspace.overlapping()) {
    const { leftBehind: _, ...seen } = seenFrom(call, workspace.root, other.root);
    recordEnded(workspace.ports.fs, other.layout, { ...seen, ended: true });
  }
}

/** Adds the calls of an overlapping workspace, as they are seen from here. */
function callsIn({ ports, root }: Workspace, { layout, root: from }: OverlappingStore): readonly ActiveCall[] {
  return readCallsSinceCapture(ports, layout).flatMap((call) => {
    // Recorded there because of a call in a third workspace, or already recorded here.
    if (call.ended === true) return [];
    return [{ ...seenFrom(call, from, root), isElsewhere: true }];
  });
}

/**
 * A call as it is seen from an overlapping workspace, which has no capture before it. What its tool reports is no
 * evidence there, since only its own workspace records which reports a capture has used.
 */
function seenFrom(call: OpenCall, from: DiskPath, to: DiskPath): OpenCall {
  const { writes: _, written: _written, doubted: _doubted, named: _named, own, declared, ...rest } = call;
  return {
    ...rest,
    late: true,
    uncaptured: true,
    own: false,
    // An operation records its changes only in its own workspace.
    declared: own || declared === null ? null : declared.flatMap((path) => translated(path, from, to) ?? []),
  };
}

/** Returns a path of one workspace as a path of another that overlaps it; null if it is outside. */
function translated(path: TreePath, from: DiskPath, to: DiskPath): TreePath | null {
  if (from.length > to.length) return joinPaths(pathBelow(to, from), path);
  const inside = pathBelow(from, to);
  if (isWithin(path, inside)) return relativePath(inside, path);
  return isWithin(inside, path) ? ('' as TreePath) : null;
}

function pathBelow(folder: DiskPath, path: DiskPath): TreePath {
  return path.slice(folder.endsWith('/') ? folder.length : folder.length + 1) as TreePath;
}

/**
 * Records a call that has ended. If an earlier one of the same author says as much, it is enough, so that any number of
 * calls without a capture leaves few records.
 */
function recordEnded(fs: Fs, layout: StoreLayout, call: OpenCall): void {
  const isEnough = readRecordedCalls(fs, layout).calls.some(
    (one) => !isSameCall(one, call) && one.ended === true && one.seen !== true && covers(one, call),
  );
  const { ended: _, ...open } = call;
  if (isEnough) removeOpenCall(fs, layout, open);
  else writeOpenCall(fs, layout, call);
}

function covers(one: OpenCall, other: OpenCall): boolean {
  const { declared } = one;
  return (
    one.session === other.session &&
    JSON.stringify(one.actor) === JSON.stringify(other.actor) &&
    (declared === null || other.declared?.every((path) => declared.some((own) => isWithin(path, own))) === true)
  );
}

function isSameCall(a: ActiveCall, b: ActiveCall): boolean {
  const isSameKey = a.session === b.session && a.id === b.id && a.actor.id === b.actor.id && a.began === b.began;
  return isSameKey && (a.isElsewhere === true) === (b.isElsewhere === true);
}

/** An agent's operation, as a call that overlapping workspaces must know of. @param checkpoint the one after it */
function operationAsCall({ actor, session, toolCall, tool, id, time: began }: Checkpoint): OpenCall {
  return {
    id: toolCall ?? (id as string as CallId),
    session: session ?? ('none' as SessionId),
    actor,
    tool: tool ?? { name: 'savepoint', kind: 'other', summary: '', args: null, took: null },
    declared: null,
    began,
    late: true,
    background: false,
    own: false,
  };
}
