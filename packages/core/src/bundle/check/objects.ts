/** The objects of a bundle, overlaid on those of the store that it continues. Nothing is written to the store. */

import type { Clock } from '../../io/ports.ts';
import type { ObjectId } from '../../model/ids.ts';
import { keyOf } from '../../store/objects/object-hash.ts';
import type { ObjectInfo, ObjectReader, StoredObject } from '../../store/objects/object-reader.ts';
import { drain, type ObjectSource } from '../../store/objects/pieces.ts';
import type { ScannedPack } from './scan-pack.ts';

export class BundleObjects implements ObjectReader {
  readonly #needed = new Set<ObjectId>();

  constructor(
    private readonly clock: Clock,
    private readonly scanned: ScannedPack,
    /** Null: the bundle must be self-contained. */
    private readonly store: ObjectReader | null,
    /** Whether the bundle has no prerequisite. */
    readonly isFull: boolean,
  ) {}

  /** The objects of the bundle that its validated checkpoints use. */
  get needed(): ReadonlySet<ObjectId> {
    return this.#needed;
  }

  markNeeded(id: ObjectId): void {
    if (this.scanned.infos.has(id)) this.#needed.add(id);
  }

  isOfBundle(id: ObjectId): boolean {
    return this.scanned.infos.has(id);
  }

  has(id: ObjectId): boolean {
    return this.scanned.infos.has(id) || this.store?.has(id) === true;
  }

  info(id: ObjectId): ObjectInfo | null {
    return this.scanned.infos.get(id) ?? this.store?.info(id) ?? null;
  }

  read(id: ObjectId): StoredObject {
    if (!this.scanned.infos.has(id) && this.store !== null) return this.store.read(id);
    return this.scanned.pack.read(this.#offsetOf(id));
  }

  /** Reads an object piece by piece. Its hash is verified at the end. */
  source(id: ObjectId): ObjectSource {
    return this.scanned.pack.pieces(this.#offsetOf(id));
  }

  async copyBlob(id: ObjectId, sink: (chunk: Buffer) => void): Promise<void> {
    if (!this.scanned.infos.has(id) && this.store !== null) return this.store.copyBlob(id, sink);
    await drain(this.clock, this.source(id), sink);
  }

  close(): void {
    this.scanned.handles.closeAll();
  }

  #offsetOf(id: ObjectId): number {
    return this.scanned.pack.index.find(keyOf(id));
  }
}
