/** Calls for the files and folders that agents work with. */

import { showName } from '../../content/show-name.ts';
import { givenPaths } from '../../io/given-path.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { SavepointError } from '../../model/errors.ts';
import type { SessionId } from '../../model/ids.ts';
import { type DiskPath, isWithin, type JsonName, nameToJson, type TreePath } from '../../model/names.ts';
import { addToScope, pathInScope } from '../../session/scope.ts';
import { readAllScopes, readScope, removeScope, type Scope, writeScope } from '../../store/state/scope.ts';
import { readSessionState } from '../../store/state/session-state.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { changesInScope, type ScopeChange } from '../../timeline/query/scope-changes.ts';
import { resolveSession } from '../../timeline/query/select-authors.ts';
import type { Engine } from '../engine.ts';
import { servedCallInfo } from '../served-call.ts';

export interface ScopeOptions extends CallOptions {
  /** The id of the session, or a unique beginning of it. Default: that of the caller; for a person, the workspace. */
  readonly session?: string;
}

export interface ShownScope extends Scope {
  /**
   * The last change of each path: of a session's scope, by others, and not known to the session yet; of the workspace's
   * scope, by anyone since the path is in it. Oldest first.
   */
  readonly changed: readonly ScopeChange[];
  /** False: the session's agent is known to have ended. */
  readonly isRunning: boolean;
}

export interface ScopeReport {
  /** That of the workspace first. Empty ones are left out. */
  readonly scopes: readonly ShownScope[];
  /** Files of the store with a scope that cannot be read. */
  readonly damaged: readonly DiskPath[];
}

export interface ScopeCalls {
  /** Returns the scopes: for an agent, its own one and that of the workspace; for a person, all of them. */
  scope(options?: ScopeOptions): Promise<ScopeReport>;
  /**
   * Adds files and folders, which need not exist. @returns the scope
   * @throws SavepointError USAGE if there are too many or if it is not known whose scope it is, PATH_REFUSED,
   *   UNKNOWN_SESSION, AMBIGUOUS_ID, STORE_DAMAGED
   */
  addToScope(paths: readonly JsonName[], options?: ScopeOptions): Promise<ScopeReport>;
  /**
   * Drops these paths and everything below them. @returns what is left of the scope
   * @param options.all drop all paths, also if the scope cannot be read
   */
  dropFromScope(paths: readonly JsonName[], options?: ScopeOptions & { readonly all?: boolean }): Promise<ScopeReport>;
}

export function scopeCalls(engine: Engine): ScopeCalls {
  return {
    scope: (options = {}) =>
      engine.read((workspace) => {
        const { ports, store } = workspace;
        const owner = options.session === undefined ? callerOf(engine, workspace, options) : null;
        const { scopes, damaged } = readAllScopes(ports, store.layout);
        const session = options.session === undefined ? owner?.session : ownerOf(engine, workspace, options).session;
        const wanted = scopes.filter(
          (one) => session == null || one.session === session || (one.session === null && owner !== null),
        );
        return { scopes: wanted.map((one) => shown(workspace, one)), damaged };
      }),
    addToScope: (given, options = {}) =>
      engine.write(options, 'alone', async ({ workspace }) => {
        const owner = ownerOf(engine, workspace, options);
        const paths = givenPaths(workspace, given).map((path) => targetOf(workspace, path));
        return report(workspace, addToScope(workspace, { ...owner, paths }));
      }),
    dropFromScope: (given, { all = false, ...options } = {}) =>
      engine.write(options, 'existing', async ({ workspace }) => {
        const { ports, store } = workspace;
        const { session } = ownerOf(engine, workspace, options);
        if (all) {
          removeScope(ports, store.layout, session);
          return { scopes: [], damaged: [] };
        }
        const folders = givenPaths(workspace, given);
        const targets = folders.flatMap((path) => pathInScope({ fs: ports.fs, root: workspace.root }, path) ?? []);
        const scope = readScope(ports, store.layout, session);
        const paths = scope.paths.filter(
          ({ path }) => ![...folders, ...targets].some((folder) => isWithin(path, folder)),
        );
        if (paths.length < scope.paths.length) writeScope(ports, store.layout, { ...scope, paths });
        return report(workspace, { ...scope, paths });
      }),
  };
}

interface Owner {
  /** Null: the workspace. */
  readonly session: SessionId | null;
  readonly agent: string | null;
  readonly by: 'person' | 'agent';
}

function callerOf(engine: Engine, workspace: Workspace, options: CallOptions): Owner {
  const { actor = engine.actor, session = null } = servedCallInfo(engine, workspace, options);
  if (actor.kind !== 'agent') return { session: null, agent: null, by: 'person' };
  return { session, agent: actor.name, by: 'agent' };
}

/** @throws SavepointError USAGE for an agent that has no session, or that names another one's */
function ownerOf(engine: Engine, workspace: Workspace, options: ScopeOptions): Owner {
  const caller = callerOf(engine, workspace, options);
  const named = options.session === undefined ? null : resolveSession(workspace, options.session);
  if (caller.by === 'person') return { ...caller, session: named };
  if (caller.session === null && engine.options.caller === undefined && named !== null)
    return { ...caller, session: named };
  if (caller.session === null) {
    const message = `It is not known which session of ${caller.agent ?? 'the agent'} this is.`;
    throw new SavepointError('USAGE', message, { argument: '--session' }, { hint: 'Nothing was changed.' });
  }
  if (named !== null && named !== caller.session) {
    const message = 'An agent can only change the scope of its own session.';
    throw new SavepointError('USAGE', message, { argument: '--session' }, { hint: 'Nothing was changed.' });
  }
  return caller;
}

/** Changes behind a link are recorded there. @throws SavepointError PATH_REFUSED */
function targetOf({ ports, root }: Workspace, path: TreePath): TreePath {
  const target = pathInScope({ fs: ports.fs, root }, path);
  if (target !== null) return target;
  const why = 'goes through a link out of the workspace, or through one that leads nowhere';
  const name = nameToJson(path);
  throw new SavepointError('PATH_REFUSED', `The path ${showName(path)} ${why}.`, { path: name, why });
}

function report(workspace: Workspace, scope: Scope): ScopeReport {
  return { scopes: scope.paths.length === 0 ? [] : [shown(workspace, scope)], damaged: [] };
}

function shown({ ports, store, timeline }: Workspace, scope: Scope): ShownScope {
  const { session, paths } = scope;
  const state = session === null ? null : readSessionState(ports.fs, store.layout, session);
  const [process] = state?.processes ?? [];
  const watched = paths.map(({ path, at }) => ({ path, after: Math.max(at, state?.scopeHeard ?? 0) }));
  return {
    ...scope,
    changed: changesInScope(timeline, store.objects, watched, session),
    isRunning: process === undefined || ports.processes.state(process) !== 'dead',
  };
}
