/** The objects of one store: a plain bare git repository, read and written without git. */

import type { Ports } from '../../io/ports.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { DiskPath } from '../../model/names.ts';
import type { LastWriterMark } from '../last-writer-mark.ts';
import type { AdoptingBatch, BatchLimit } from './adopting-batch.ts';
import { createBareRepository } from './bare-repository.ts';
import { type CollectedDebris, collectDebris } from './debris.ts';
import { PackBatch } from './object-batch.ts';
import { ObjectFiles } from './object-files.ts';
import { keyOf } from './object-hash.ts';
import type { ObjectInfo, ObjectReader, StoredObject } from './object-reader.ts';
import { type ConsolidateOptions, type ConsolidateResult, consolidate } from './packs/consolidate.ts';
import { type ObjectProblem, type VerifyOptions, verifyObjects } from './verify-objects.ts';

/** Safe to read from while other processes write, merge or clean up; whoever writes holds the store's lock. */
export class ObjectStore implements ObjectReader {
  readonly #files: ObjectFiles;

  private constructor(
    ports: Ports,
    folder: DiskPath,
    /** Others write packs only in a turn of theirs. */
    private readonly lastWriter: Pick<LastWriterMark, 'isOurs'> | null,
  ) {
    this.#files = new ObjectFiles(ports, folder);
  }

  /** Makes the repository in `folder`, or what an interrupted making left out, and opens it. Durable when it returns. */
  static create(ports: Ports, folder: DiskPath): ObjectStore {
    createBareRepository(ports.fs, folder);
    return new ObjectStore(ports, folder, null);
  }

  /** @throws SavepointError STORE_DAMAGED when there is no repository */
  static open(ports: Ports, folder: DiskPath, lastWriter: Pick<LastWriterMark, 'isOurs'> | null = null): ObjectStore {
    return new ObjectStore(ports, folder, lastWriter);
  }

  /** Looks again which objects there are. To be called when the store's lock was got, before `has` is believed. */
  refresh(): void {
    if (!(this.lastWriter?.isOurs() ?? false)) this.#files.refresh();
  }

  /** As of the last look. */
  get packCount(): number {
    return this.#files.packs.packs.length;
  }

  /** Of packs and loose objects, as of the last look; indexes apart. */
  get bytes(): number {
    const { packs, loose } = this.#files;
    let bytes = 0;
    for (const { size } of packs.packs) bytes += size;
    for (const { size } of loose.list()) bytes += size;
    return bytes;
  }

  /** Closes the files that are kept open; reading opens them again. */
  close(): void {
    this.#files.handles.closeAll();
  }

  has(id: ObjectId): boolean {
    return this.#files.has(id);
  }

  read(id: ObjectId): StoredObject {
    return this.#files.read(id);
  }

  info(id: ObjectId): ObjectInfo | null {
    return this.#files.info(id);
  }

  copyBlob(id: ObjectId, sink: (chunk: Buffer) => void): Promise<void> {
    return this.#files.copyBlob(id, sink);
  }

  /** Begins a batch on what the store has now. The caller holds the store's lock until the batch is over. */
  batch(limit: BatchLimit | null = null): AdoptingBatch {
    this.refresh();
    return new PackBatch(this.#files, limit);
  }

  /** Every object as of the last look, each once. */
  *ids(): Generator<ObjectId> {
    const { packs, loose } = this.#files;
    for (const pack of [...packs.packs]) {
      for (let place = 0; place < pack.index.count; place++) {
        const found = packs.find(pack.index.keyAt(place));
        if (found === null || (found.pack === pack && found.place === place)) yield pack.index.idAt(place);
      }
    }
    for (const { id } of loose.list()) if (packs.find(keyOf(id)) === null) yield id;
  }

  /** Settles what interrupted writers left; see debris.ts. The caller holds the store's lock. */
  collectDebris(): CollectedDebris {
    const collected = collectDebris(this.#files);
    this.#files.refresh();
    return collected;
  }

  /** Merges small packs and loose objects, drops what is dead; see consolidate.ts. The caller holds the store's lock. */
  consolidate(options: ConsolidateOptions): Promise<ConsolidateResult> {
    return consolidate(this.#files, options);
  }

  /** Every damaged thing among the objects; see verify-objects.ts. */
  verifyObjects(options: VerifyOptions): Promise<readonly ObjectProblem[]> {
    return verifyObjects(this.#files, options);
  }
}
