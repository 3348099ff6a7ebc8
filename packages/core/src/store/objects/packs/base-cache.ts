/** Caches the base objects of deltas for the next delta: neighbours in a pack share their bases. */
import type { StoredObject } from '../object-reader.ts';

const CACHE_BYTES = 4 * 1024 * 1024;
const MAX_OBJECT_BYTES = 2 * 1024 * 1024;

/** Contains unverified objects from packs. Callers verify the object that they derive from one. */
export class BaseCache {
  readonly #objects = new Map<string, StoredObject>();
  #bytes = 0;

  get(pack: number, offset: number): StoredObject | undefined {
    const key = `${pack}:${offset}`;
    const object = this.#objects.get(key);
    if (object !== undefined) {
      this.#objects.delete(key);
      this.#objects.set(key, object);
    }
    return object;
  }

  put(pack: number, offset: number, object: StoredObject): void {
    const key = `${pack}:${offset}`;
    if (object.data.length > MAX_OBJECT_BYTES || this.#objects.has(key)) return;
    this.#objects.set(key, object);
    this.#bytes += object.data.length;
    for (const [oldest, { data }] of this.#objects) {
      if (this.#bytes <= CACHE_BYTES) break;
      this.#objects.delete(oldest);
      this.#bytes -= data.length;
    }
  }
}
