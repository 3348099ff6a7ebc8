/** What a person decides in a review, until it is recorded. */
import { nameToJson, type Savepoint } from '@savepoint/core';

export type PlanView = Awaited<ReturnType<Savepoint['plan']>>;
export type PlanChange = PlanView['changes'][number];
export type DecisionRequest = Parameters<Savepoint['decidePlan']>[1][number];

/** A hunk by its number, or null for a change that has no separate hunks. */
export type Part = number | null;

/** The parts of a change that are decided one by one. */
export function partsOf({ hunks }: PlanChange): readonly Part[] {
  return hunks === null || hunks.length === 0 ? [null] : hunks.map(({ number }) => number);
}

export class Decisions {
  /** By place of the change, then by part: what is recorded in the plan. */
  readonly #recorded: ReadonlyMap<PlanChange, ReadonlyMap<Part, boolean | null>>;
  readonly #made = new Map<PlanChange, Map<Part, boolean>>();

  constructor({ changes }: PlanView) {
    this.#recorded = new Map(
      changes.map((change) => [
        change,
        new Map(
          partsOf(change).map((part) => [
            part,
            part === null ? change.accepted : (change.hunks?.find(({ number }) => number === part)?.accepted ?? null),
          ]),
        ),
      ]),
    );
  }

  of(change: PlanChange, part: Part): boolean | null {
    return this.#made.get(change)?.get(part) ?? this.#recorded.get(change)?.get(part) ?? null;
  }

  decide(change: PlanChange, parts: readonly Part[], accepted: boolean): void {
    const made = this.#made.get(change) ?? new Map<Part, boolean>();
    for (const part of parts) made.set(part, accepted);
    this.#made.set(change, made);
  }

  /** What is not recorded yet. */
  requests(): readonly DecisionRequest[] {
    return [...this.#made].flatMap(([change, parts]) =>
      [...parts].flatMap(([part, accepted]) =>
        this.#recorded.get(change)?.get(part) === accepted
          ? []
          : [{ path: nameToJson(change.change.path), accepted, ...(part === null ? {} : { hunk: part }) }],
      ),
    );
  }

  /** `some`: a part of the change is left out. */
  stateOf(change: PlanChange): 'accepted' | 'rejected' | 'some' | 'open' {
    const found = partsOf(change).map((part) => this.of(change, part));
    if (found.every((one) => one === false)) return 'rejected';
    if (found.includes(false)) return 'some';
    return found.every((one) => one === true) ? 'accepted' : 'open';
  }
}
