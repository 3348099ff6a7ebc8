/** What the guard notes of a session between two hooks. Without a guard, this reads one file that does not exist. */

import type { SessionId } from '../model/ids.ts';
import {
  type GuardedSession,
  NOT_GUARDED_YET,
  readGuard,
  readGuardState,
  writeGuardState,
} from '../store/state/guard.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';

/** `known`: a call that was already counted. */
export type GuardDue = 'turn' | 'call' | 'known';

export function isGuardDue(workspace: Workspace, session: SessionId, after: GuardDue): boolean {
  const { ports, store } = workspace;
  const settings = readGuard(ports, store.layout);
  if (settings === null) return false;
  if (after === 'turn') return true;
  if (settings.every === 'turn') return false;
  const { calls } = stateOf(workspace, session);
  const count = after === 'call' ? calls + 1 : calls;
  if (after === 'call') change(workspace, session, { calls: count });
  return count >= settings.every;
}

export function tellLater(workspace: Workspace, session: SessionId, untold: string): void {
  change(workspace, session, { untold });
}

export function takeUntold(workspace: Workspace, session: SessionId): string | null {
  const { ports, store } = workspace;
  if (readGuard(ports, store.layout) === null) return null;
  const { untold } = stateOf(workspace, session);
  if (untold !== null) change(workspace, session, { untold: null });
  return untold;
}

function stateOf({ ports, store }: Workspace, session: SessionId): GuardedSession {
  return readGuardState(ports, store.layout).sessions[session] ?? NOT_GUARDED_YET;
}

function change({ ports, store }: Workspace, session: SessionId, fields: Partial<GuardedSession>): void {
  const state = readGuardState(ports, store.layout);
  const { [session]: one = NOT_GUARDED_YET, ...sessions } = state.sessions;
  writeGuardState(ports, store.layout, { ...state, sessions: { ...sessions, [session]: { ...one, ...fields } } });
}
