import { type DiskOperation, type Ino, ownerOf } from './inodes.ts';

interface NumberedOperation {
  readonly number: number;
  readonly operation: DiskOperation;
}

/** Operations that are not durable yet, in the order in which they happened. */
export class PendingOperations {
  readonly #byOwner: Map<Ino, NumberedOperation[]>;
  #next: number;

  constructor(from: PendingOperations | null = null) {
    this.#byOwner = new Map();
    if (from !== null) for (const [owner, list] of from.#byOwner) this.#byOwner.set(owner, [...list]);
    this.#next = from === null ? 0 : from.#next;
  }

  get size(): number {
    return [...this.#byOwner.values()].reduce((sum, list) => sum + list.length, 0);
  }

  add(operation: DiskOperation): void {
    const owner = ownerOf(operation);
    const list = this.#byOwner.get(owner) ?? [];
    list.push({ number: this.#next++, operation });
    this.#byOwner.set(owner, list);
  }

  /** Removes and returns the operations that a sync of this inode makes durable. */
  take(owner: Ino): readonly DiskOperation[] {
    const list = this.#byOwner.get(owner) ?? [];
    this.#byOwner.delete(owner);
    return list.map(({ operation }) => operation);
  }

  all(): readonly DiskOperation[] {
    const all = [...this.#byOwner.values()].flat();
    return all.sort((a, b) => a.number - b.number).map(({ operation }) => operation);
  }
}
