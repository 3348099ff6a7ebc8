/** The records of a session's calls in the store, which any capture reads. */

import type { ProcessIdentity } from '../io/ports.ts';
import { isSameProcess } from '../io/same-process.ts';
import type { Actor } from '../model/checkpoint.ts';
import type { CallId, SessionId } from '../model/ids.ts';
import {
  type OpenCall,
  readOpenCall,
  readRecordedCalls,
  readUnendedCalls,
  writeOpenCall,
} from '../store/state/open-calls.ts';
import { readSessionState, type SessionState, writeSessionState } from '../store/state/session-state.ts';
import { endUncaptured } from '../timeline/capture/active-calls.ts';
import { leftByNow } from '../timeline/capture/left-behind.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { agentProcess } from './agent-process.ts';

export class CallRecords {
  /** @param ancestors the process that reports the session's events, and its ancestors, nearest first */
  constructor(
    private readonly session: SessionId,
    private readonly ancestors: readonly ProcessIdentity[],
  ) {}

  /**
   * Null if the call is not open.
   * @param by the sub-agent whose call it is; null: the session itself. Default: any of them
   */
  find(workspace: Workspace, id: CallId, by?: string | null): OpenCall | null {
    const { ports, store } = workspace;
    if (by === undefined) return this.list(workspace).find((call) => call.id === id) ?? null;
    const actor = by === null ? {} : { id: by };
    const call = readOpenCall(ports.fs, store.layout, { session: this.session, id, actor });
    return call === null || call.ended === true ? null : call;
  }

  /** The same for a call that ends: it may have been given up before its end was reported. */
  findEnding(workspace: Workspace, id: CallId, by?: string | null): OpenCall | null {
    const open = this.find(workspace, id, by);
    if (open !== null) return open;
    const { calls } = readRecordedCalls(workspace.ports.fs, workspace.store.layout);
    const isIt = ({ session, id: known, actor, abandoned, ended }: OpenCall): boolean =>
      session === this.session && known === id && abandoned !== undefined && ended !== true && isBy(actor, by);
    return calls.find(isIt) ?? null;
  }

  /**
   * Returns whether a call that begins is already open, because two hooks report it, or another one that has its id: an
   * agent may use ids again.
   */
  findWithIdOf(workspace: Workspace, call: OpenCall): { readonly isSame: boolean; readonly other: OpenCall | null } {
    const known = this.find(workspace, call.id, call.actor.id ?? null);
    const isSame = known !== null && isSameTool(known, call);
    return { isSame, other: isSame ? null : known };
  }

  /** The open calls, oldest first. */
  list({ ports, store }: Workspace): readonly OpenCall[] {
    return readUnendedCalls(ports, store.layout).filter(({ session }) => session === this.session);
  }

  /**
   * Records a call with the process of its agent, as far as it is known. A call that is already open stays. If another
   * one has its id, whose end was not reported, the record covers both.
   */
  add(workspace: Workspace, begun: OpenCall): void {
    const { isSame, other } = this.findWithIdOf(workspace, begun);
    if (isSame) return;
    const call = other === null ? begun : { ...begun, began: other.began, declared: null, own: false, late: true };
    const { ports, store } = workspace;
    const state = readSessionState(ports.fs, store.layout, this.session);
    const { process, remembered } = agentProcess(state, this.ancestors);
    if (remembered !== state.processes) {
      writeSessionState(ports.fs, store.layout, this.session, { ...state, processes: remembered });
    }
    const above = remembered.slice(1);
    const uptime = ports.processes.uptime();
    const age = Math.max(0, ports.clock.now() - call.began);
    const { leftBefore = [] } = other ?? {
      leftBefore: leftByNow(ports, readRecordedCalls(ports.fs, store.layout).calls),
    };
    writeOpenCall(ports.fs, store.layout, {
      ...call,
      ...(uptime === null ? {} : { beganUptime: other?.beganUptime ?? uptime - age }),
      ...(leftBefore.length === 0 ? {} : { leftBefore }),
      ...(process === null ? {} : { process, ...(above.length === 0 ? {} : { above }) }),
    });
  }

  /** An event of this session shows that its agent reports its own calls, so a call that hosts it is not an author. */
  replaceHosts({ ports, store }: Workspace, agent: string): void {
    const isAbove = (process: ProcessIdentity | undefined): boolean =>
      process !== undefined && this.ancestors.some((one) => isSameProcess(one, process));
    for (const call of readUnendedCalls(ports, store.layout)) {
      const { hostedSessions: sessions = [] } = call;
      if (sessions.includes(this.session) || call.hostsAgent !== agent || !isAbove(call.process)) continue;
      const hostedSessions = [...sessions, this.session];
      writeOpenCall(ports.fs, store.layout, { ...call, hasReportingAgent: true, hostedSessions });
    }
  }

  /** As `add`, for a call around which no capture runs. */
  addUncaptured(workspace: Workspace, begun: OpenCall): void {
    this.add(workspace, { ...begun, late: true, uncaptured: true });
  }

  /** What the session remembers of its agent's process after an event. */
  processesAfter(state: SessionState): SessionState['processes'] {
    return agentProcess(state, this.ancestors).remembered;
  }

  /** The end of a call is not known. It stays open, and its changes may also be by others. */
  doubt(workspace: Workspace, id: CallId, by?: string | null): void {
    const call = this.find(workspace, id, by);
    const { ports, store } = workspace;
    if (call !== null) writeOpenCall(ports.fs, store.layout, { ...call, background: true });
  }

  /** Ends those of the chosen calls around which no capture runs. Needs no lock. */
  endUncaptured(workspace: Workspace, choose: (calls: readonly OpenCall[]) => readonly OpenCall[]): void {
    for (const call of choose(this.list(workspace))) if (call.uncaptured === true) endUncaptured(workspace, call);
  }
}

function isBy({ id }: Actor, by: string | null | undefined): boolean {
  return by === undefined || (id ?? null) === by;
}

function isSameTool({ tool: one }: OpenCall, { tool: other }: OpenCall): boolean {
  return one.name === other.name && one.args === other.args;
}
