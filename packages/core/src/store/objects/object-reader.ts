/** What the rest of the engine knows of the object store: readers, and batches that add to it. */
import type { ObjectId } from '../../model/ids.ts';

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag';

export interface StoredObject {
  readonly type: ObjectType;
  readonly data: Buffer;
}

export interface ObjectInfo {
  readonly type: ObjectType;
  /** Bytes. */
  readonly size: number;
}

export interface ObjectReader {
  /**
   * Whether the object is listed. False may also mean that what lists it is damaged: an object that is added then is
   * written once more, which heals.
   */
  has(id: ObjectId): boolean;

  /**
   * The whole object, verified by its hash.
   * @throws SavepointError STORE_DAMAGED when it is missing or no copy of it matches its id
   */
  read(id: ObjectId): StoredObject;

  /**
   * Type and size as the object's header states them, nothing else being read: a hint, verified only by `read` and
   * `copyBlob`. Null when it is not there.
   * @throws SavepointError STORE_DAMAGED when the header makes no sense
   */
  info(id: ObjectId): ObjectInfo | null;

  /**
   * Hands a blob to `sink` piece by piece, never whole in memory unless it is stored as a delta. The pieces belong to
   * the sink. They are verified by hash at the end only: what came before a rejection must be thrown away.
   * @throws SavepointError STORE_DAMAGED when it is missing, no blob, or does not match its id
   */
  copyBlob(id: ObjectId, sink: (chunk: Buffer) => void): Promise<void>;
}

/** Objects on their way into the store. Its reader sees the store and what was added. Used under the store's lock. */
export interface ObjectBatch extends ObjectReader {
  /**
   * Adds an object unless a pack has it already, with the same bytes. A damaged copy does not count as there.
   * @throws SavepointError STORE_DAMAGED when another object of the same id is there (a collision)
   */
  add(type: ObjectType, data: Uint8Array): ObjectId;

  /**
   * Adds a blob without having it whole in memory.
   * @param size bytes expected; where the source ends earlier, the blob is what there was
   * @param read fills `into` from `position` on and returns how many bytes came, 0 at the end; asked more than once for
   *   the same position (first to hash, then to compress), and the blob is what the last time gave
   * @throws FsError EAGAIN when it never gives the same bytes twice
   */
  addBlobFrom(size: number, read: (into: Buffer, position: number) => number): ObjectId;

  /** Objects that this batch will write. */
  readonly count: number;

  /** Writes what was added. It, and what was found to be there, is durable when it returns. With nothing new, no file. */
  finish(): Promise<void>;

  /** Drops what was added. Does nothing after `finish`. */
  abandon(): void;
}
