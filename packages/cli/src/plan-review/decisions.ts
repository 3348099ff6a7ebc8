/** What a person decides in a review, until it is recorded. */
import { nameToJson, type Savepoint } from '@savepoint/core';

export type PlanView = Awaited<ReturnType<Savepoint['plan']>>;
export type PlanChange = PlanView['changes'][number];
/** With their lines. */
export type PlanHunks = Awaited<ReturnType<Savepoint['planHunks']>>;
export type DecisionRequest = Parameters<Savepoint['decidePlan']>[1][number];

/** A hunk by its number, or null for a change that has no separate hunks. */
export type Part = number | null;

/** The parts of a change that are decided one by one. */
export function partsOf({ hunks }: PlanChange): readonly Part[] {
  return hunks === null || hunks.length === 0 ? [null] : hunks.map(({ number }) => number);
}

export class Decisions {
  /** By change, then by part. */
  readonly #decided: ReadonlyMap<PlanChange, Map<Part, boolean | null>>;
  #unrecorded: { readonly change: PlanChange; readonly part: Part; readonly accepted: boolean }[] = [];

  constructor({ changes }: PlanView) {
    this.#decided = new Map(
      changes.map((change) => {
        const hunks = change.hunks?.map(({ number, accepted }) => [number, accepted] as const) ?? [];
        return [change, new Map<Part, boolean | null>(hunks.length === 0 ? [[null, change.accepted]] : hunks)];
      }),
    );
  }

  of(change: PlanChange, part: Part): boolean | null {
    return this.#decided.get(change)?.get(part) ?? null;
  }

  decide(change: PlanChange, parts: readonly Part[], accepted: boolean): void {
    for (const part of parts) {
      if (this.of(change, part) === accepted) continue;
      this.#decided.get(change)?.set(part, accepted);
      this.#unrecorded.push({ change, part, accepted });
    }
  }

  get isRecorded(): boolean {
    return this.#unrecorded.length === 0;
  }

  /** Records what was decided meanwhile. What was decided stays to be recorded if that fails. */
  async record(write: (requests: readonly DecisionRequest[]) => Promise<void>): Promise<void> {
    const made = [...this.#unrecorded];
    await write(
      made.map(({ change, part, accepted }) => ({
        path: nameToJson(change.change.path),
        accepted,
        ...(part === null ? {} : { hunk: part }),
      })),
    );
    this.#unrecorded = this.#unrecorded.slice(made.length);
  }

  /** `some`: a part of the change is left out. */
  stateOf(change: PlanChange): 'accepted' | 'rejected' | 'some' | 'open' {
    const found = partsOf(change).map((part) => this.of(change, part));
    if (found.every((one) => one === false)) return 'rejected';
    if (found.includes(false)) return 'some';
    return found.every((one) => one === true) ? 'accepted' : 'open';
  }
}
