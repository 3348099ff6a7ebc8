/** Workspaces that stay open between events, and the order of work in each. */
import { type OpenOptions, open, type Savepoint } from '@savepoint/core';

/** So many at most; the one that was used longest ago goes first. */
const MOST = 8;

interface Kept {
  readonly savepoint: Savepoint;
  /** By a clock that only goes forward. */
  used: number;
  /** Events that are being dealt with. */
  users: number;
}

/** What one event opened; it is given back when the event has been dealt with. */
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

  /** @param environment what else tells one workspace from another: the same as long as nothing differs that matters to it */
  lend(environment: string): Loan {
    const lent = new Set<Kept>();
    return {
      open: (options) => {
        // What was found when it was opened, and may be found elsewhere now.
        const key = [options.dir, options.places.globalIgnore ?? '', environment].join('\0');
        const kept = this.#kept.get(key) ?? { savepoint: openToStay(options), used: 0, users: 0 };
        kept.used = this.#now();
        if (!lent.has(kept)) kept.users += 1;
        lent.add(kept);
        // Last in the order: it was used last.
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

  /** Waits for what they still do in the background. */
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

/** Work about one folder, or about one in another, is done in the order in which it came. */
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

/** The one place where a workspace is opened to stay, with what a long life makes worthwhile. */
function openToStay(options: OpenOptions): Savepoint {
  return open({ ...options, watch: true });
}

function overlaps(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}
