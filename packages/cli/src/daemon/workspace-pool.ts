/** Keeps workspaces open between the daemon's requests, and orders the work in each. */
import { type DiskPath, type OpenOptions, open, type Savepoint, WorkspaceCache } from '@savepoint/core';
import { IdleLinks } from '@savepoint/core/frontend';
import type { WatcherQuestion } from '@savepoint/core/ports';

/** Above this number, unused workspaces are closed, the least recently used one first. */
const MAX_WORKSPACES = 8;

interface PooledWorkspace {
  readonly savepoint: Savepoint;
  /** What is known of the folder. It depends on the folder and on the global ignore file only, so others share it. */
  readonly cache: WorkspaceCache;
  readonly dir: DiskPath;
  /** The folder and the global ignore file. */
  readonly place: string;
  readonly globalIgnore: DiskPath | null;
  /** Shared like the cache. */
  readonly links: IdleLinks;
  /** Time of the last use, by a monotonic clock. */
  lastUsed: number;
  /** Number of current leases. A workspace in use is never closed. */
  leases: number;
}

/** Gives one request access to the workspaces of the pool. */
export interface WorkspaceLease {
  open(options: OpenOptions): Savepoint;
  /**
   * Opens a workspace for one command, with warnings and settings of its own, and with what the pool knows of its files.
   * @param root the folder of the workspace
   */
  openOnce(options: OpenOptions, root: DiskPath): Savepoint;
  /** Ends the use of all workspaces that were opened through this lease. They stay open in the pool. */
  end(): void;
}

export class WorkspacePool {
  /** Least recently used first. */
  readonly #workspaces = new Map<string, PooledWorkspace>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Number of different folders. */
  get count(): number {
    return new Set([...this.#workspaces.values()].map(({ dir }) => dir)).size;
  }

  /** @param environment settings from the environment as one text: only requests with the same text share a workspace */
  lease(environment: string): WorkspaceLease {
    const leased = new Set<PooledWorkspace>();
    const unshared: Savepoint[] = [];
    const pooled = (options: OpenOptions): PooledWorkspace => {
      const place = placeOf(options);
      // A workspace reads these values once, when it is opened. Requests with other values get one of their own.
      const key = [place, environment].join('\0');
      const workspace = this.#workspaces.get(key) ?? this.#openWatched(options, place);
      workspace.lastUsed = this.#now();
      workspace.links.used();
      if (!leased.has(workspace)) workspace.leases += 1;
      leased.add(workspace);
      // A map keeps the order of insertion, so this makes it the most recently used one.
      this.#workspaces.delete(key);
      this.#workspaces.set(key, workspace);
      return workspace;
    };
    return {
      open: (options) => {
        if (options.caller !== undefined) {
          // Each request has a caller of its own.
          const savepoint = open(options);
          unshared.push(savepoint);
          return savepoint;
        }
        return pooled(options).savepoint;
      },
      openOnce: (options, root) => {
        const { cache } = pooled({ ...options, dir: root });
        const savepoint = open({ ...options, watch: cache });
        unshared.push(savepoint);
        return savepoint;
      },
      end: () => {
        for (const workspace of leased) {
          workspace.leases -= 1;
          workspace.links.used();
        }
        leased.clear();
        for (const savepoint of unshared.splice(0)) savepoint.close();
        for (const [key, workspace] of this.#workspaces) {
          if (this.#workspaces.size <= MAX_WORKSPACES) break;
          this.#closeIfUnused(key, workspace);
        }
      },
    };
  }

  /** @returns null if changes may be unknown */
  answer(question: WatcherQuestion): string | null {
    for (const workspace of this.#workspaces.values()) {
      const answer = workspace.globalIgnore === question.globalIgnore ? workspace.cache.answer(question) : null;
      if (answer === null) continue;
      workspace.lastUsed = this.#now();
      workspace.links.used();
      return answer;
    }
    return null;
  }

  closeIdle(idleMs: number): void {
    for (const [key, workspace] of this.#workspaces) {
      if (this.#now() - workspace.lastUsed >= idleMs) this.#closeIfUnused(key, workspace);
    }
  }

  /** Replaces links of the workspaces that are not in use. Call it every few seconds. */
  replaceLinks(): void {
    const all = [...this.#workspaces.values()];
    const used = new Set(all.filter(({ leases }) => leases > 0).map(({ links }) => links));
    for (const { links } of all) if (!used.has(links)) links.look();
  }

  /** Waits for the background work of all workspaces and closes those that are not in use. */
  async closeAll(): Promise<void> {
    await Promise.all([...this.#workspaces.values()].map(({ links }) => links.end()));
    await Promise.all([...this.#workspaces.values()].map(({ savepoint }) => savepoint.idle()));
    for (const [key, workspace] of this.#workspaces) this.#closeIfUnused(key, workspace);
  }

  #closeIfUnused(key: string, { savepoint, cache, links, leases }: PooledWorkspace): void {
    const sharing = [...this.#workspaces.values()].filter((one) => one.cache === cache);
    if (leases > 0) return;
    this.#workspaces.delete(key);
    savepoint.close();
    if (sharing.length > 1) return;
    void links.end();
    cache.close();
  }

  /** Opens a workspace for long use, and watches it so that checkpoints are cheaper. */
  #openWatched(options: OpenOptions, place: string): PooledWorkspace {
    const known = [...this.#workspaces.values()].find((one) => one.place === place);
    const cache = known?.cache ?? new WorkspaceCache();
    const { dir, places } = options;
    const { globalIgnore } = places;
    const savepoint = open({ ...options, watch: cache });
    // In an engine of its own, like another process: what the pool keeps open does not depend on it.
    const own = open(options);
    const links = known?.links ?? new IdleLinks((signal) => own.replaceLinks({ signal }), this.#now);
    return { savepoint, cache, dir, place, globalIgnore, links, lastUsed: 0, leases: 0 };
  }
}

/** Runs work for the same folder, or for nested folders, in the order of arrival. */
export class WorkspaceQueue {
  readonly #waiting = new Set<{ readonly folder: string; readonly done: Promise<unknown> }>();

  async run<T>(folder: string, work: () => Promise<T>): Promise<T> {
    const before = [...this.#waiting].filter((other) => overlaps(other.folder, folder)).map(({ done }) => done);
    const done = Promise.allSettled(before).then(work);
    const own = { folder, done };
    this.#waiting.add(own);
    try {
      return await done;
    } finally {
      this.#waiting.delete(own);
    }
  }
}

function placeOf({ dir, places }: OpenOptions): string {
  return [dir, places.globalIgnore ?? ''].join('\0');
}

function overlaps(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}
