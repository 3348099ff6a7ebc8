import { SavepointError } from '../model/errors.ts';
import type { Clock } from './ports.ts';

/** How far a long piece of work is. */
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
    | 'import';
  readonly done: number;
  /** Null while the total is not known. */
  readonly total: number | null;
}

const SLICE_MS = 12;
/** Of work for which nobody waits: a call that comes meanwhile is hardly held up by it. */
const BACKGROUND_SLICE_MS = 3;
const BACKGROUND_REST_MS = 9;

/**
 * Lets synchronous work share its process: ask `due()` between small steps and, when it says so, `await breathe()`.
 * That is also where work is cancelled, progress is told, and a held lock shows that its holder lives.
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

  /** Of work in the background, until `isAwaited` says that somebody waits for it. */
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
    for (const act of this.#yieldListeners) act();
    this.throwIfCancelled();
    this.#sliceEnds = this.#nextEnd();
  }

  /** Runs `act` at every breath until the returned function is called. */
  onYield(act: () => void): () => void {
    this.#yieldListeners.push(act);
    return () => {
      this.#yieldListeners = this.#yieldListeners.filter((other) => other !== act);
    };
  }

  /** The same pace past a commit point, where nobody can stop the work any more. */
  uncancellable(): Pace {
    const pace = new Pace(this.clock, null, this.onProgress, this.isBackground);
    pace.#yieldListeners = this.#yieldListeners;
    return pace;
  }

  /** Throws CANCELLED if the caller asked to stop. */
  throwIfCancelled(): void {
    if (this.signal?.aborted) throw new SavepointError('CANCELLED', 'Cancelled before anything was changed.');
  }

  #nextEnd(): number {
    return this.clock.monotonic() + (this.isBackground() ? BACKGROUND_SLICE_MS : SLICE_MS);
  }
}
