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

/**
 * Lets synchronous work share its process: ask `due()` between small steps and, when it says so, `await breathe()`.
 * That is also where work is cancelled, progress is told, and a held lock shows that its holder lives.
 */
export class Pace {
  #sliceEnds: number;
  #onBreath: (() => void)[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly signal: AbortSignal | null = null,
    private readonly tell: ((progress: Progress) => void) | null = null,
  ) {
    this.#sliceEnds = clock.monotonic() + SLICE_MS;
  }

  due(): boolean {
    return this.clock.monotonic() >= this.#sliceEnds;
  }

  async breathe(progress: Progress | null = null): Promise<void> {
    this.check();
    if (progress !== null) this.tell?.(progress);
    await this.clock.turn();
    for (const act of this.#onBreath) act();
    this.check();
    this.#sliceEnds = this.clock.monotonic() + SLICE_MS;
  }

  /** Runs `act` at every breath until the returned function is called. */
  onBreath(act: () => void): () => void {
    this.#onBreath.push(act);
    return () => {
      this.#onBreath = this.#onBreath.filter((other) => other !== act);
    };
  }

  /** The same pace past a commit point, where nobody can stop the work any more. */
  uncancellable(): Pace {
    const pace = new Pace(this.clock, null, this.tell);
    pace.#onBreath = this.#onBreath;
    return pace;
  }

  /** Throws CANCELLED if the caller asked to stop. */
  check(): void {
    if (this.signal?.aborted) throw new SavepointError('CANCELLED', 'Cancelled before anything was changed.');
  }
}
