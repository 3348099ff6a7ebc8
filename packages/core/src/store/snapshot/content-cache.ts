/** Contents that an act has in memory already, so that they are not read from the store, inflated and hashed again. */

import type { ObjectId } from '../../model/ids.ts';
import type { ObjectInfo, ObjectReader, StoredObject } from '../objects/object-reader.ts';

/** What is kept of what is read, beside what was given: bytes in all. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;
/** Larger contents are few, and are streamed. */
const MAX_KEPT_BLOB_BYTES = 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;

/**
 * For one act. Whether an object is there is always asked of the store: bytes in memory are no reason to believe that it
 * has them (D2).
 */
export class ContentCache {
  readonly #known: Map<ObjectId, Buffer>;
  #bytesLeft = MAX_KEPT_BYTES;

  /** @param known each under the id that was computed from it; nobody writes into them */
  constructor(known: ReadonlyMap<ObjectId, Buffer>) {
    this.#known = new Map(known);
  }

  /** Reads from memory what is known, everything else from `below`, and keeps some of that for the next time. */
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
        // Copies: the pieces belong to the sink.
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
