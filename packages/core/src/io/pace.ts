import { SavepointError } from '../model/errors.ts';
import type { Clock } from './ports.ts';

/** The progress of a long task. */
export interface Progress {
  readonly phase:
    | 'prepare'
    | 'scan'
    | 'read'
    | 'stage'
    | 'apply'
    | 'verify'
    | 'clean-up'
    | 'purge'
    | 'search'
    | 'export'
    | 'import'
    | 'check'
    | 'types'
    | 'phase';
  readonly done: number;
  /** Null while the total is not known. */
  readonly total: number | null;
}

const SLICE_MS = 12;
/** For work that no caller waits for: it hardly delays a call that arrives meanwhile. */
const BACKGROUND_SLICE_MS = 3;
const BACKGROUND_REST_MS = 9;

/**
 * Lets synchronous work share its process: check `isDue()` between small steps, and if it is true, `await yieldNow()`.
 * Yielding also cancels work, reports progress, and shows that the holder of a lock is alive.
 */
export class Pace {
  #sliceEnds: number;
  #yieldListeners: (() => void)[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly signal: AbortSignal | null = null,
    private readonly onProgress: ((progress: Progress) => void) | null = null,
    private readonly isBackground: () => boolean = () => false,
  ) {
    this.#sliceEnds = this.#nextEnd();
  }

  /** Returns the pace of background work, which speeds up once `isAwaited` says that a caller waits for it. */
  static background(clock: Clock, isAwaited: () => boolean): Pace {
    return new Pace(clock, null, null, () => !isAwaited());
  }

  isDue(): boolean {
    return this.clock.monotonic() >= this.#sliceEnds;
  }

  async yieldNow(progress: Progress | null = null): Promise<void> {
    this.throwIfCancelled();
    if (progress !== null) this.onProgress?.(progress);
    if (this.isBackground()) await this.clock.sleep(BACKGROUND_REST_MS);
    else await this.clock.turn();
    for (const listener of this.#yieldListeners) listener();
    this.throwIfCancelled();
    this.#sliceEnds = this.#nextEnd();
  }

  /** Calls `listener` on every yield until the returned function is called. */
  onYield(listener: () => void): () => void {
    this.#yieldListeners.push(listener);
    return () => {
      this.#yieldListeners = this.#yieldListeners.filter((other) => other !== listener);
    };
  }

  /** Returns the same pace without cancellation, for work after a commit point. */
  uncancellable(): Pace {
    const pace = new Pace(this.clock, null, this.onProgress, this.isBackground);
    pace.#yieldListeners = this.#yieldListeners;
    return pace;
  }

  /** @throws SavepointError CANCELLED if the caller asked to stop */
  throwIfCancelled(): void {
    if (this.signal?.aborted) throw new SavepointError('CANCELLED', 'Cancelled before anything was changed.');
  }

  #nextEnd(): number {
    return this.clock.monotonic() + (this.isBackground() ? BACKGROUND_SLICE_MS : SLICE_MS);
  }
}
