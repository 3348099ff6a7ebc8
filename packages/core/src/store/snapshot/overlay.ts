/** A batch that writes nothing, to inspect the workspace without taking a checkpoint. */

import { SavepointError } from '../../model/errors.ts';
import type { ObjectId } from '../../model/ids.ts';
import { unlessDamaged } from '../objects/damage.ts';
import { hashObject, idFrom, startObjectHash } from '../objects/object-hash.ts';
import type { ObjectBatch, ObjectInfo, ObjectReader, ObjectType, StoredObject } from '../objects/object-reader.ts';
import { isLikeNote } from './side.ts';

/** Which objects of the store a preview relies on: those that are listed, or only those that can be read. */
export type ReliedOn = 'listed' | 'readable';

/** Limit for new contents kept in memory to display differences. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const CHUNK = 1 << 20;

export class OverlayBatch implements ObjectBatch {
  readonly #objects = new Map<ObjectId, StoredObject>();
  readonly #sizes = new Map<ObjectId, ObjectInfo>();
  #bytesLeft: number;

  /**
   * @param keptBytes limit for new contents kept in memory
   * @param reliesOn `readable` reads each object, so that damaged ones are kept as well
   */
  constructor(
    private readonly below: ObjectReader,
    keptBytes: number = MAX_KEPT_BYTES,
    private readonly reliesOn: ReliedOn = 'listed',
  ) {
    this.#bytesLeft = keptBytes;
  }

  get count(): number {
    return this.#sizes.size;
  }

  add(type: ObjectType, data: Uint8Array): ObjectId {
    const id = hashObject(type, data);
    if (this.#sizes.has(id) || this.#isStored(id)) return id;
    this.#sizes.set(id, { type, size: data.length });
    // Trees and the notes of folders are needed to walk the snapshot; contents only for display.
    const isContent = type === 'blob' && !isLikeNote(data);
    if (!isContent || data.length <= this.#bytesLeft) {
      if (isContent) this.#bytesLeft -= data.length;
      this.#objects.set(id, { type, data: Buffer.from(data) });
    }
    return id;
  }

  addBlobFrom(size: number, read: (into: Buffer, position: number) => number): ObjectId {
    const hash = startObjectHash('blob', size);
    const buffer = Buffer.allocUnsafe(Math.min(size, CHUNK));
    for (let at = 0; at < size; ) {
      const got = read(buffer.subarray(0, Math.min(buffer.length, size - at)), at);
      if (got === 0) break;
      hash.update(buffer.subarray(0, got));
      at += got;
    }
    const id = idFrom(hash);
    if (!this.below.has(id)) this.#sizes.set(id, { type: 'blob', size });
    return id;
  }

  has(id: ObjectId): boolean {
    return this.#sizes.has(id) || this.below.has(id);
  }

  /** Returns null if the object does not exist. Contents that were not kept have a size but cannot be read. */
  info(id: ObjectId): ObjectInfo | null {
    return this.#sizes.get(id) ?? this.below.info(id);
  }

  read(id: ObjectId): StoredObject {
    const kept = this.#objects.get(id);
    if (kept !== undefined) return kept;
    if (this.#sizes.has(id))
      throw new SavepointError('INTERNAL', `The content of ${id} was not kept for this preview.`);
    return this.below.read(id);
  }

  async copyBlob(id: ObjectId, sink: (chunk: Buffer) => void): Promise<void> {
    if (this.#sizes.has(id)) sink(this.read(id).data);
    else await this.below.copyBlob(id, sink);
  }

  async finish(): Promise<void> {
    throw new SavepointError('INTERNAL', 'A preview of the workspace cannot be stored.');
  }

  #isStored(id: ObjectId): boolean {
    if (!this.below.has(id)) return false;
    return this.reliesOn === 'listed' || unlessDamaged(undefined, () => this.below.read(id)) !== null;
  }

  abandon(): void {
    this.#objects.clear();
    this.#sizes.clear();
  }
}
