/** Caches contents that an operation already has in memory, so that they are not read, inflated and hashed again. */

import type { ObjectId } from '../../model/ids.ts';
import type { ObjectInfo, ObjectReader, StoredObject } from '../objects/object-reader.ts';

/** Total bytes kept of what is read, in addition to the contents passed in. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;
/** Larger contents are rare, and are streamed. */
const MAX_KEPT_BLOB_BYTES = 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;

/**
 * For one operation. Whether an object exists is always checked in the store: bytes in memory do not prove that the
 * store has them (D2).
 */
export class ContentCache {
  readonly #known: Map<ObjectId, Buffer>;
  #bytesLeft = MAX_KEPT_BYTES;

  /** @param known contents by the id that was computed from them; must not be modified */
  constructor(known: ReadonlyMap<ObjectId, Buffer>) {
    this.#known = new Map(known);
  }

  /** Returns a reader that serves known contents from memory and all others from `below`, caching some of those. */
  wrap(below: ObjectReader): ObjectReader {
    return {
      has: (id) => below.has(id),
      info: (id) => this.#info(id) ?? below.info(id),
      read: (id) => {
        const data = this.#known.get(id);
        return data === undefined ? this.#keep(id, below.read(id)) : { type: 'blob', data };
      },
      copyBlob: async (id, sink) => {
        const data = this.#known.get(id);
        if (data === undefined) return below.copyBlob(id, sink);
        // Copies, because the sink owns its pieces.
        for (let at = 0; at < data.length; at += PIECE_BYTES) sink(Buffer.from(data.subarray(at, at + PIECE_BYTES)));
      },
    };
  }

  #info(id: ObjectId): ObjectInfo | null {
    const data = this.#known.get(id);
    return data === undefined ? null : { type: 'blob', size: data.length };
  }

  #keep(id: ObjectId, object: StoredObject): StoredObject {
    const { type, data } = object;
    if (type !== 'blob' || data.length > MAX_KEPT_BLOB_BYTES || data.length > this.#bytesLeft) return object;
    this.#bytesLeft -= data.length;
    this.#known.set(id, data);
    return object;
  }
}
