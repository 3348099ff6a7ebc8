/** Objects that were just written: the next checkpoint is compared with the last one, folder by folder. */
import type { ObjectId } from '../../model/ids.ts';
import type { ObjectType, StoredObject } from './object-reader.ts';

const RECENT_BYTES = 4 * 1024 * 1024;
const LARGEST_BYTES = 64 * 1024;
/** What one costs beside its bytes. */
const OVERHEAD = 200;

/** What an id names never changes, so that only its presence in the store can be other than it was. */
export class RecentObjects {
  /** The oldest first. */
  readonly #kept = new Map<ObjectId, StoredObject>();
  #bytes = 0;

  get(id: ObjectId): StoredObject | undefined {
    return this.#kept.get(id);
  }

  /** The bytes are copied. */
  put(id: ObjectId, type: ObjectType, data: Uint8Array): void {
    if (data.length <= LARGEST_BYTES && !this.#kept.has(id)) this.#keep(id, { type, data: Buffer.from(data) });
  }

  addAll(others: RecentObjects): void {
    for (const [id, object] of others.#kept) if (!this.#kept.has(id)) this.#keep(id, object);
  }

  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }

  #keep(id: ObjectId, object: StoredObject): void {
    this.#kept.set(id, object);
    this.#bytes += object.data.length + OVERHEAD;
    for (const [oldest, { data }] of this.#kept) {
      if (this.#bytes <= RECENT_BYTES) break;
      this.#kept.delete(oldest);
      this.#bytes -= data.length + OVERHEAD;
    }
  }
}
