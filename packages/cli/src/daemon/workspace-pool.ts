/** Keeps workspaces open between events, and orders the work in each. */
import { type OpenOptions, open, type Savepoint } from '@savepoint/core';

/** Maximum number of open workspaces; the least recently used one is closed first. */
const MAX_WORKSPACES = 8;

interface PooledWorkspace {
  readonly savepoint: Savepoint;
  /** Time of the last use, by a monotonic clock. */
  lastUsed: number;
  /** Number of events that are being handled. */
  users: number;
}

/** The workspaces that one event uses. `end` returns them to the pool when the event has been handled. */
export interface WorkspaceLease {
  open(options: OpenOptions): Savepoint;
  end(): void;
}

export class WorkspacePool {
  readonly #workspaces = new Map<string, PooledWorkspace>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get count(): number {
    return this.#workspaces.size;
  }

  /** @param environment further parts of the key: equal as long as nothing relevant to the workspace differs */
  lease(environment: string): WorkspaceLease {
    const lent = new Set<PooledWorkspace>();
    return {
      open: (options) => {
        // Values that were resolved when the workspace was opened, and that may differ now.
        const key = [options.dir, options.places.globalIgnore ?? '', environment].join('\0');
        const kept = this.#workspaces.get(key) ?? { savepoint: openWatched(options), lastUsed: 0, users: 0 };
        kept.lastUsed = this.#now();
        if (!lent.has(kept)) kept.users += 1;
        lent.add(kept);
        // Move it to the end of the order of use.
        this.#workspaces.delete(key);
        this.#workspaces.set(key, kept);
        return kept.savepoint;
      },
      end: () => {
        for (const kept of lent) kept.users -= 1;
        lent.clear();
        for (const [key, kept] of this.#workspaces) {
          if (this.#workspaces.size <= MAX_WORKSPACES) break;
          this.#close(key, kept);
        }
      },
    };
  }

  closeIdle(idleMs: number): void {
    for (const [key, kept] of this.#workspaces) if (this.#now() - kept.lastUsed >= idleMs) this.#close(key, kept);
  }

  /** Waits for the background work of all workspaces. */
  async closeAll(): Promise<void> {
    await Promise.all([...this.#workspaces.values()].map(({ savepoint }) => savepoint.idle()));
    for (const [key, kept] of this.#workspaces) this.#close(key, kept);
  }

  #close(key: string, { savepoint, users }: PooledWorkspace): void {
    if (users > 0) return;
    this.#workspaces.delete(key);
    savepoint.close();
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

/** Opens a workspace for long use, and watches it so that checkpoints are cheaper. */
function openWatched(options: OpenOptions): Savepoint {
  return open({ ...options, watch: true });
}

function overlaps(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}
