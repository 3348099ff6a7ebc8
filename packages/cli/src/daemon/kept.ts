/** Keeps workspaces open between events, and orders the work in each. */
import { type OpenOptions, open, type Savepoint } from '@savepoint/core';

/** The most open workspaces; the least recently used one is closed first. */
const MOST = 8;

interface Kept {
  readonly savepoint: Savepoint;
  /** Time of the last use, by a monotonic clock. */
  used: number;
  /** Number of events that are being handled. */
  users: number;
}

/** The workspaces that one event uses. `end` returns them when the event has been handled. */
export interface Loan {
  open(options: OpenOptions): Savepoint;
  end(): void;
}

export class KeptWorkspaces {
  readonly #kept = new Map<string, Kept>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get count(): number {
    return this.#kept.size;
  }

  /** @param environment further parts of the key: equal as long as nothing relevant to the workspace differs */
  lend(environment: string): Loan {
    const lent = new Set<Kept>();
    return {
      open: (options) => {
        // Values that were resolved when it was opened, and that may differ now.
        const key = [options.dir, options.places.globalIgnore ?? '', environment].join('\0');
        const kept = this.#kept.get(key) ?? { savepoint: openToStay(options), used: 0, users: 0 };
        kept.used = this.#now();
        if (!lent.has(kept)) kept.users += 1;
        lent.add(kept);
        // Move it to the end of the order of use.
        this.#kept.delete(key);
        this.#kept.set(key, kept);
        return kept.savepoint;
      },
      end: () => {
        for (const kept of lent) kept.users -= 1;
        lent.clear();
        for (const [key, kept] of this.#kept) {
          if (this.#kept.size <= MOST) break;
          this.#close(key, kept);
        }
      },
    };
  }

  closeIdle(idleMs: number): void {
    for (const [key, kept] of this.#kept) if (this.#now() - kept.used >= idleMs) this.#close(key, kept);
  }

  /** Waits for their background work. */
  async closeAll(): Promise<void> {
    await Promise.all([...this.#kept.values()].map(({ savepoint }) => savepoint.idle()));
    for (const [key, kept] of this.#kept) this.#close(key, kept);
  }

  #close(key: string, { savepoint, users }: Kept): void {
    if (users > 0) return;
    this.#kept.delete(key);
    savepoint.close();
  }
}

/** Runs work for the same folder, or for nested folders, in the order of arrival. */
export class Turns {
  readonly #waiting = new Set<{ readonly folder: string; readonly done: Promise<unknown> }>();

  async take<T>(folder: string, work: () => Promise<T>): Promise<T> {
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

/** Opens a workspace for long use, with the options that pay off only then. */
function openToStay(options: OpenOptions): Savepoint {
  return open({ ...options, watch: true });
}

function overlaps(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}
