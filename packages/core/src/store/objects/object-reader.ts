/** Interface of the object store for the rest of the engine: readers, and batches that add objects. */
import type { Fd } from '../../io/fs.ts';
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
   * Returns whether the object is listed. False may also mean that its listing is damaged. Adding the object then
   * writes it again, which repairs the store.
   */
  has(id: ObjectId): boolean;

  /**
   * Reads the whole object and verifies its hash.
   * @throws SavepointError STORE_DAMAGED if it is missing or no copy of it matches its id
   */
  read(id: ObjectId): StoredObject;

  /**
   * Returns type and size from the object's header; null if the object does not exist. Nothing else is read, so this is
   * a hint that only `read` and `copyBlob` verify.
   * @throws SavepointError STORE_DAMAGED if the header is malformed
   */
  info(id: ObjectId): ObjectInfo | null;

  /**
   * Passes a blob to `sink` piece by piece. It is never whole in memory, unless it is stored as a delta. The sink owns
   * the pieces. The hash is verified only at the end: if the promise rejects, discard all pieces.
   * @throws SavepointError STORE_DAMAGED if it is missing, is not a blob, or does not match its id
   */
  copyBlob(id: ObjectId, sink: (chunk: Buffer) => void): Promise<void>;
}

/** Adds objects to the store. As a reader, it sees the store and the added objects. Used under the store's lock. */
export interface ObjectBatch extends ObjectReader {
  /**
   * Adds an object unless a pack already has it with the same bytes. A damaged copy does not count.
   * @throws SavepointError STORE_DAMAGED if another object with the same id exists (a collision)
   */
  add(type: ObjectType, data: Uint8Array): ObjectId;

  /**
   * Adds a blob without holding it whole in memory.
   * @param size expected bytes; if the source ends earlier, the blob is shorter
   * @param read fills `into` from `position` on and returns the number of bytes, 0 at the end. It is called more than
   * once per position (to hash, then to compress); the blob consists of the bytes returned last.
   * @throws FsError EAGAIN if it never returns the same bytes twice
   */
  addBlobFrom(size: number, read: (into: Buffer, position: number) => number): ObjectId;

  /** Number of objects that this batch will write. */
  readonly count: number;

  /**
   * Writes the added objects, or no file if none is new. Added objects, and existing ones that were found, are durable
   * on return.
   * @param alongside open files that are made durable at the same time
   */
  finish(alongside?: readonly Fd[]): Promise<void>;

  /** Discards the added objects. Does nothing after `finish`. */
  abandon(): void;
}
