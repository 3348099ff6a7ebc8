/**
 * Scopes: the files and folders that an agent works with, `scopes/` in the store (docs/format.md). One file for each
 * session, and one for all sessions of the workspace. A damaged file is an error of that scope only.
 */

import { durableWrite } from '../../io/durable-write.ts';
import { listIfExists, removeIfExists } from '../../io/if-exists.ts';
import type { Ports } from '../../io/ports.ts';
import { SavepointError } from '../../model/errors.ts';
import type { SessionId } from '../../model/ids.ts';
import {
  type DiskPath,
  diskChild,
  type JsonName,
  nameToJson,
  type TreePath,
  treePathFromJson,
} from '../../model/names.ts';
import { formatProblem, integer, isJsonName, listOf, matching, objectOf, oneOf, orNull, text } from '../json-shape.ts';
import type { StoreLayout } from '../layout.ts';
import { fileForKey, makeFolderIfMissing } from './cache-file.ts';
import { readDecided } from './decided-file.ts';

/** Who put a path into a scope: a person with a command, the agent itself, or a prompt that mentioned it. */
export type ScopedBy = 'person' | 'agent' | 'mention';

export interface ScopedPath {
  /** Includes everything below it; '' is the workspace itself. */
  readonly path: TreePath;
  readonly by: ScopedBy;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Number of the newest checkpoint at that time; 0: there was none. */
  readonly at: number;
}

export interface Scope {
  /** Null: the scope of the workspace, which counts for every session. */
  readonly session: SessionId | null;
  /** The agent of the session. */
  readonly agent: string | null;
  readonly paths: readonly ScopedPath[];
}

export interface AllScopes {
  /** That of the workspace first. Empty ones are left out. */
  readonly scopes: readonly Scope[];
  /** Files that cannot be read. */
  readonly damaged: readonly DiskPath[];
}

type ScopePorts = Pick<Ports, 'fs'>;

interface ScopeJson {
  readonly format: 1;
  readonly session: SessionId | null;
  readonly agent: string | null;
  readonly paths: readonly {
    readonly path: JsonName;
    readonly by: ScopedBy;
    readonly since: string;
    readonly at: number;
  }[];
}

/** The most paths of one scope. */
export const MAX_SCOPED_PATHS = 1_000;

const SCOPE_BYTES = 16 * 1024 * 1024;
const WORKSPACE_FILE = 'workspace.json';

const SCOPE = objectOf({
  format: oneOf(1),
  session: orNull(text(1_000)),
  agent: orNull(text(1_000)),
  paths: listOf(
    objectOf({
      path: (value, at) => {
        if (!isJsonName(value)) throw formatProblem(at, 'is not a path');
      },
      by: oneOf('person', 'agent', 'mention'),
      since: matching(/^\d{4}-/),
      at: integer(0),
    }),
    MAX_SCOPED_PATHS,
  ),
});

/** @returns a scope without paths if there is none. @throws SavepointError STORE_DAMAGED */
export function readScope({ fs }: ScopePorts, layout: StoreLayout, session: SessionId | null): Scope {
  return readFile(fs, fileOf(layout, session)) ?? { session, agent: null, paths: [] };
}

/** A scope that cannot be read does not hide the others. */
export function readAllScopes({ fs }: ScopePorts, layout: StoreLayout): AllScopes {
  const scopes: Scope[] = [];
  const damaged: DiskPath[] = [];
  for (const name of listIfExists(fs, layout.scopes)) {
    if (!name.endsWith('.json')) continue;
    const file = diskChild(layout.scopes, name);
    try {
      const scope = readFile(fs, file);
      if (scope !== null && scope.paths.length > 0) scopes.push(scope);
    } catch (error) {
      if (!(error instanceof SavepointError) || error.code !== 'STORE_DAMAGED') throw error;
      damaged.push(file);
    }
  }
  const isFirst = ({ session }: Scope): number => (session === null ? 0 : 1);
  return { scopes: scopes.sort((a, b) => isFirst(a) - isFirst(b)), damaged };
}

/** Durable on return. The caller holds the store's lock. */
export function writeScope({ fs }: ScopePorts, layout: StoreLayout, { session, agent, paths }: Scope): void {
  const file = fileOf(layout, session);
  if (paths.length === 0) {
    removeIfExists(fs, file);
    return;
  }
  makeFolderIfMissing(fs, layout.scopes);
  const json: ScopeJson = {
    format: 1,
    session,
    agent,
    paths: paths.map(({ path, by, since, at }) => {
      return { path: nameToJson(path), by, since: new Date(since).toISOString(), at };
    }),
  };
  durableWrite(fs, file, Buffer.from(`${JSON.stringify(json, null, 2)}\n`), 0o600);
}

/**
 * For a conversation that goes on from an earlier place as a new session. A scope that cannot be read is not copied.
 * @param upTo number of the last checkpoint that the new session knows: later paths were not in its conversation
 */
export function copyScope(ports: ScopePorts, layout: StoreLayout, from: SessionId, to: SessionId, upTo: number): void {
  try {
    const { agent, paths } = readScope(ports, layout, from);
    const kept = paths.filter(({ at }) => at <= upTo);
    if (kept.length > 0) writeScope(ports, layout, { session: to, agent, paths: kept });
  } catch (error) {
    if (!(error instanceof SavepointError) || error.code !== 'STORE_DAMAGED') throw error;
  }
}

/** Also if it cannot be read. The caller holds the store's lock. */
export function removeScope({ fs }: ScopePorts, layout: StoreLayout, session: SessionId | null): void {
  removeIfExists(fs, fileOf(layout, session));
}

/** Drops the scopes of sessions. One that cannot be read is of no use to its session. */
export function dropScopes({ fs }: ScopePorts, layout: StoreLayout, isUnwanted: (session: SessionId) => boolean): void {
  for (const name of listIfExists(fs, layout.scopes)) {
    if (name === WORKSPACE_FILE) continue;
    const file = diskChild(layout.scopes, name);
    try {
      const session = readFile(fs, file)?.session ?? null;
      if (session !== null && !isUnwanted(session)) continue;
    } catch (error) {
      if (!(error instanceof SavepointError) || error.code !== 'STORE_DAMAGED') throw error;
    }
    removeIfExists(fs, file);
  }
}

function readFile(fs: Ports['fs'], file: DiskPath): Scope | null {
  const json = readDecided<ScopeJson>(fs, {
    path: file,
    maxBytes: SCOPE_BYTES,
    shape: SCOPE,
    unknown: 'it is unknown what is in scope',
    hint: '`savepoint scope drop --all` removes it. Then add the paths again.',
  });
  if (json === null) return null;
  const { session, agent, paths } = json;
  return {
    session,
    agent,
    paths: paths.map(({ path, by, since, at }) => ({ path: treePathFromJson(path), by, since: Date.parse(since), at })),
  };
}

function fileOf(layout: StoreLayout, session: SessionId | null): DiskPath {
  return session === null ? diskChild(layout.scopes, WORKSPACE_FILE) : fileForKey(layout.scopes, session);
}
