/** Workspaces that stay open between events, and the order of work in each. */
import { type OpenOptions, open, type Savepoint } from '@savepoint/core';

/** So many at most; the one that was used longest ago goes first. */
const MOST = 8;

interface Kept {
  readonly savepoint: Savepoint;
  /** By a clock that only goes forward. */
  used: number;
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

  /** The same workspace as long as nothing differs that it was opened with. */
  open(options: OpenOptions, environment: string): Savepoint {
    const key = `${options.dir}\0${environment}`;
    const savepoint = this.#kept.get(key)?.savepoint ?? openToStay(options);
    this.#kept.delete(key);
    this.#kept.set(key, { savepoint, used: this.#now() });
    for (const [oldest, kept] of this.#kept) {
      if (this.#kept.size <= MOST) break;
      this.#close(oldest, kept);
    }
    return savepoint;
  }

  closeIdle(idleMs: number): void {
    for (const [key, kept] of this.#kept) if (this.#now() - kept.used >= idleMs) this.#close(key, kept);
  }

  /** Waits for what they still do in the background. */
  async closeAll(): Promise<void> {
    await Promise.all([...this.#kept.values()].map(({ savepoint }) => savepoint.idle()));
    for (const [key, kept] of this.#kept) this.#close(key, kept);
  }

  /** THE place where a workspace that stays open ends: what it keeps (a watch, handles) is given back here. */
  #close(key: string, _kept: Kept): void {
    this.#kept.delete(key);
  }
}

/** THE place where a workspace is opened to stay: what a long life makes worthwhile (a watch) is asked for here. */
function openToStay(options: OpenOptions): Savepoint {
  return open(options);
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

function overlaps(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}
