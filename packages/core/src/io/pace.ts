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
const ASIDE_SLICE_MS = 3;
const ASIDE_REST_MS = 9;

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
    private readonly isAside: () => boolean = () => false,
  ) {
    this.#sliceEnds = this.#nextEnd();
  }

  /** Of work in the background, until `isAwaited` says that somebody waits for it. */
  static aside(clock: Clock, isAwaited: () => boolean): Pace {
    return new Pace(clock, null, null, () => !isAwaited());
  }

  due(): boolean {
    return this.clock.monotonic() >= this.#sliceEnds;
  }

  async breathe(progress: Progress | null = null): Promise<void> {
    this.check();
    if (progress !== null) this.tell?.(progress);
    if (this.isAside()) await this.clock.sleep(ASIDE_REST_MS);
    else await this.clock.turn();
    for (const act of this.#onBreath) act();
    this.check();
    this.#sliceEnds = this.#nextEnd();
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
    const pace = new Pace(this.clock, null, this.tell, this.isAside);
    pace.#onBreath = this.#onBreath;
    return pace;
  }

  /** Throws CANCELLED if the caller asked to stop. */
  check(): void {
    if (this.signal?.aborted) throw new SavepointError('CANCELLED', 'Cancelled before anything was changed.');
  }

  #nextEnd(): number {
    return this.clock.monotonic() + (this.isAside() ? ASIDE_SLICE_MS : SLICE_MS);
  }
}
