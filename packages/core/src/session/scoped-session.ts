/** The part of a session that knows which files it works with. */

import { givenDiskPath } from '../io/given-path.ts';
import { pathContextIn } from '../io/locate-path.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { Actor } from '../model/checkpoint.ts';
import type { SessionId } from '../model/ids.ts';
import type { JsonName, TreePath } from '../model/names.ts';
import { MAX_SCOPED_PATHS, readScope } from '../store/state/scope.ts';
import type { ScopeChange } from '../timeline/query/scope-changes.ts';
import type { CallRecords } from './call-records.ts';
import type { SessionHost } from './host.ts';
import { addToScope, mentionedPaths, scopeNews } from './scope.ts';
import { SessionNotes } from './session-notes.ts';
import { checkSessionCall } from './session-shapes.ts';

/** The part of `Session` for its scope. */
export abstract class ScopedSession extends SessionNotes {
  abstract readonly actor: Actor;
  readonly #host: SessionHost;

  constructor(host: SessionHost, id: SessionId, calls: CallRecords) {
    super(host, id, calls);
    this.#host = host;
  }

  /**
   * Adds the files and folders that a prompt mentions to the session's scope. What does not exist, or is outside the
   * workspace, is ignored. Without a store, nothing is added.
   * @param mentions for each, the ways to read it, the best one first
   * @param options.dir absolute folder to which relative paths refer; default: the workspace's own folder
   * @returns the paths that are in scope because of it
   */
  async mention(
    mentions: readonly (readonly JsonName[])[],
    options: CallOptions & { readonly dir?: JsonName } = {},
  ): Promise<readonly TreePath[]> {
    checkSessionCall.mention(mentions, options);
    return this.#host.once(async (steps) => {
      if (mentions.length === 0 || steps.read(() => true) === null) return [];
      const place = steps.location();
      const from = options.dir === undefined ? place.root : givenDiskPath(place, options.dir);
      const paths = mentionedPaths(pathContextIn(place, from), mentions);
      const { dir: _, ...calling } = options;
      const isKnown = steps.read(({ ports, store }) => {
        const known = new Set(readScope(ports, store.layout, this.id).paths.map(({ path }) => path));
        return paths.every((path) => known.has(path));
      });
      if (isKnown === true) return paths;
      const { value } = await steps.write(calling, async ({ workspace }) => {
        const { ports, store } = workspace;
        const known = new Set(readScope(ports, store.layout, this.id).paths.map(({ path }) => path));
        const room = Math.max(0, MAX_SCOPED_PATHS - known.size);
        const added = paths.filter((path) => !known.has(path)).slice(0, room);
        addToScope(workspace, { session: this.id, agent: this.actor.name, by: 'mention', paths: added });
        return paths.filter((path) => known.has(path) || added.includes(path));
      });
      return value;
    });
  }

  /**
   * Returns the last change by others of each path in scope, since the last call of this method or since the path is in
   * scope, oldest first. Does not wait for the lock.
   */
  async scopeNews(): Promise<readonly ScopeChange[]> {
    return this.#host.once(async ({ read }) => read((workspace) => scopeNews(workspace, this.id)) ?? []);
  }
}
