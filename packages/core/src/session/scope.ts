/** The scope of a session: the files and folders that it works with, and what others changed there. */

import { isFsError } from '../io/fs.ts';
import { followLinks, locatePath, type PathContext } from '../io/locate-path.ts';
import { SavepointError } from '../model/errors.ts';
import type { SessionId } from '../model/ids.ts';
import { type JsonName, onDisk, type TreePath } from '../model/names.ts';
import { MAX_SCOPED_PATHS, readScope, type Scope, type ScopedBy, writeScope } from '../store/state/scope.ts';
import { readSessionState, writeSessionState } from '../store/state/session-state.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { changesInScope, type ScopeChange, type WatchedPath } from '../timeline/query/scope-changes.ts';

export interface ScopeAddition {
  /** Null: the scope of the workspace. */
  readonly session: SessionId | null;
  readonly agent: string | null;
  readonly by: ScopedBy;
  readonly paths: readonly TreePath[];
}

/** The most mentions of one prompt that are looked at. */
export const MAX_MENTIONS = 50;

/**
 * Adds paths that are not in it yet. The caller holds the store's lock.
 * @throws SavepointError USAGE if there are too many, STORE_DAMAGED
 */
export function addToScope({ ports, store, timeline }: Workspace, addition: ScopeAddition): Scope {
  const { session, agent, by, paths } = addition;
  const before = readScope(ports, store.layout, session);
  const known = new Set(before.paths.map(({ path }) => path));
  const [since, at] = [ports.clock.now(), timeline.lastNumber()];
  const added = [...new Set(paths)].filter((path) => !known.has(path)).map((path) => ({ path, by, since, at }));
  const all = [...before.paths, ...added];
  if (all.length > MAX_SCOPED_PATHS) {
    throw new SavepointError(
      'USAGE',
      `A scope can have at most ${MAX_SCOPED_PATHS} paths, and this one would have ${all.length}.`,
      { argument: 'paths' },
      {
        hint: 'Nothing was changed. Drop some paths with `savepoint scope drop`, or add the folder that contains them.',
      },
    );
  }
  const scope = { session, agent: agent ?? before.agent, paths: all };
  if (added.length > 0) writeScope(ports, store.layout, scope);
  return scope;
}

/**
 * Returns the path where changes of a file are recorded: behind its links. The path need not exist.
 * @returns null if it is outside the workspace, or if a link cannot be resolved
 */
export function pathInScope({ fs, root }: Pick<PathContext, 'fs' | 'root'>, path: TreePath): TreePath | null {
  if (path === '') return path;
  const target = followLinks({ fs, root }, path, 'followed');
  if (target.kind === 'no-folder') return path;
  return target.kind === 'inside' ? target.path : null;
}

/**
 * Returns the paths that a prompt mentions and that exist inside the workspace. The workspace itself is none of them.
 * @param mentions for each, the ways to read it, the best one first
 */
export function mentionedPaths(place: PathContext, mentions: readonly (readonly JsonName[])[]): readonly TreePath[] {
  const found = mentions.slice(0, MAX_MENTIONS).flatMap((readings) => {
    for (const given of readings) {
      const path = existingPath(place, given);
      if (path !== null && path !== '') return [path];
    }
    return [];
  });
  return [...new Set(found)];
}

/**
 * Returns what others changed in the scopes of a session and of the workspace since the session last heard of it,
 * and remembers that it hears of it now. A scope that cannot be read is left out: `savepoint status` names it.
 */
export function scopeNews(workspace: Workspace, session: SessionId): readonly ScopeChange[] {
  const { ports, store, timeline } = workspace;
  const own = pathsOf(workspace, session);
  const shared = pathsOf(workspace, null);
  const state = readSessionState(ports.fs, store.layout, session);
  // What is added later counts from then on.
  if (own.length === 0 && shared.length === 0 && state.scopeHeard !== null) return [];
  const newest = timeline.lastNumber();
  if (state.scopeHeard === newest) return [];
  writeSessionState(ports.fs, store.layout, session, { ...state, scopeHeard: newest });
  const { scopeHeard: heard } = state;
  const watched: readonly WatchedPath[] = [
    ...own.map(({ path, at }) => ({ path, after: Math.max(at, heard ?? 0) })),
    // Before its first event, a session knew nothing of them.
    ...shared.map(({ path, at }) => ({ path, after: heard === null ? newest : Math.max(at, heard) })),
  ];
  return watched.length === 0 ? [] : changesInScope(timeline, store.objects, watched, session);
}

function pathsOf({ ports, store }: Workspace, session: SessionId | null): Scope['paths'] {
  try {
    return readScope(ports, store.layout, session).paths;
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'STORE_DAMAGED') return [];
    throw error;
  }
}

/** Null if there is nothing there, or if it cannot be looked at: a mention is only a word of a prompt. */
function existingPath(place: PathContext, given: JsonName): TreePath | null {
  const located = locatePath(place, given);
  if (located.kind === 'refused') return null;
  try {
    const path = pathInScope(place, located.path);
    return path === null || place.fs.lstat(onDisk(place.root, path)) === null ? null : path;
  } catch (error) {
    if (isFsError(error)) return null;
    throw error;
  }
}
