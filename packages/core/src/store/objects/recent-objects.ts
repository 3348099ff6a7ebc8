/** Caches objects that were just written: the next checkpoint is compared with the last one, folder by folder. */
import type { ObjectId } from '../../model/ids.ts';
import type { ObjectType, StoredObject } from './object-reader.ts';

const RECENT_BYTES = 4 * 1024 * 1024;
const MAX_OBJECT_BYTES = 64 * 1024;
/** Memory per object in addition to its bytes. */
const OVERHEAD = 200;

/** The content of an id never changes. Only whether the store still has the object can be out of date. */
export class RecentObjects {
  /** Oldest first. */
  readonly #objects = new Map<ObjectId, StoredObject>();
  #bytes = 0;

  get(id: ObjectId): StoredObject | undefined {
    return this.#objects.get(id);
  }

  /** Copies the bytes. */
  put(id: ObjectId, type: ObjectType, data: Uint8Array): void {
    if (data.length > MAX_OBJECT_BYTES || this.#objects.has(id)) return;
    // Not from node's pool: each small object would keep a block of it in memory.
    const copy = Buffer.allocUnsafeSlow(data.length);
    copy.set(data);
    this.#insert(id, { type, data: copy });
  }

  addAll(others: RecentObjects): void {
    for (const [id, object] of others.#objects) if (!this.#objects.has(id)) this.#insert(id, object);
  }

  clear(): void {
    this.#objects.clear();
    this.#bytes = 0;
  }

  #insert(id: ObjectId, object: StoredObject): void {
    this.#objects.set(id, object);
    this.#bytes += object.data.length + OVERHEAD;
    for (const [oldest, { data }] of this.#objects) {
      if (this.#bytes <= RECENT_BYTES) break;
      this.#objects.delete(oldest);
      this.#bytes -= data.length + OVERHEAD;
    }
  }
}
