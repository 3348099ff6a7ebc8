/** The objects of one store: a plain bare git repository, read and written without git. */

import { durableWrite } from '../../io/durable-write.ts';
import type { Pace } from '../../io/pace.ts';
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
import { LinkReplacement, linkedPacks } from './packs/link-replacement.ts';
import type { PackIndex } from './packs/pack-index.ts';
import { indexPathOf } from './packs/pack-names.ts';
import type { PackCorrections } from './packs/pack-set.ts';
import { type ScannedPack, scanPack } from './packs/scanned-pack.ts';
import { type ObjectProblem, type VerifyOptions, verifyObjects } from './verify-objects.ts';

const INDEX_MODE = 0o600;

/** Safe to read while other processes write, merge or clean up. Writers hold the store's lock. */
export class ObjectStore implements ObjectReader {
  readonly #files: ObjectFiles;

  private constructor(
    ports: Ports,
    folder: DiskPath,
    /** Detects changes: other processes write packs only after taking the marker. */
    private readonly lastWriter: Pick<LastWriterMark, 'isOurs'> | null,
    corrections?: PackCorrections,
  ) {
    this.#files = new ObjectFiles(ports, folder, corrections);
  }

  /** Creates the repository in `folder`, or completes an interrupted creation, and opens it. Durable on return. */
  static create(ports: Ports, folder: DiskPath): ObjectStore {
    createBareRepository(ports.fs, folder);
    return new ObjectStore(ports, folder, null);
  }

  /** @throws SavepointError STORE_DAMAGED if there is no repository */
  static open(ports: Ports, folder: DiskPath, lastWriter: Pick<LastWriterMark, 'isOurs'> | null = null): ObjectStore {
    return new ObjectStore(ports, folder, lastWriter);
  }

  /** Opens a store as it would be if its packs were corrected: a batch writes the objects of ignored packs again. */
  static openCorrected(ports: Ports, folder: DiskPath, corrections: PackCorrections): ObjectStore {
    return new ObjectStore(ports, folder, null, corrections);
  }

  /** Scans for objects again. Call it after acquiring the store's lock, before relying on `has`. */
  refresh(): void {
    if (!(this.lastWriter?.isOurs() ?? false)) this.#files.refresh();
  }

  /** As of the last refresh. */
  get packCount(): number {
    return this.#files.packs.packs.length;
  }

  /** Whether packs of repositories may be linked, as of the last refresh. */
  get hasLinkedPacks(): boolean {
    return linkedPacks(this.#files).length > 0;
  }

  /** The packs of {@link hasLinkedPacks}. */
  get linkedPacks(): ReadonlySet<DiskPath> {
    return new Set(linkedPacks(this.#files).map(({ path }) => path));
  }

  /** Total size of packs and loose objects as of the last refresh, without indexes. */
  get bytes(): number {
    const { packs, loose } = this.#files;
    let bytes = 0;
    for (const { size } of packs.packs) bytes += size;
    for (const { size } of loose.list()) bytes += size;
    return bytes;
  }

  /** Closes the cached file handles; reading opens them again. */
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

  /** Starts a batch on the current state of the store. The caller holds the store's lock until the batch ends. */
  batch(limit: BatchLimit | null = null): AdoptingBatch {
    this.refresh();
    return new PackBatch(this.#files, limit);
  }

  /** Yields every object as of the last refresh, each once. */
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

  /** Removes or completes what interrupted writers left; see debris.ts. The caller holds the store's lock. */
  collectDebris(): CollectedDebris {
    const collected = collectDebris(this.#files);
    this.#files.refresh();
    return collected;
  }

  /**
   * Merges small packs and loose objects, and drops dead objects; see consolidate.ts. The caller holds the store's
   * lock.
   */
  consolidate(options: ConsolidateOptions): Promise<ConsolidateResult> {
    return consolidate(this.#files, options);
  }

  /** Begins to make the store independent of linked packs; see packs/link-replacement.ts. */
  linkReplacement(pace: Pace): LinkReplacement {
    this.refresh();
    return new LinkReplacement(this.#files, pace);
  }

  /** Finds the objects of a pack without its index; see packs/scanned-pack.ts. The caller closes the result. */
  scanPack(pack: DiskPath, pace: Pace): Promise<ScannedPack> {
    return scanPack(this.#files.fs, pack, pace);
  }

  /** Writes the index of a sound pack, replacing a damaged one. Durable on return. The caller holds the store's lock. */
  writeIndex(pack: DiskPath, index: PackIndex): void {
    durableWrite(
      this.#files.fs,
      indexPathOf(pack),
      Buffer.concat(Array.from(index.pieces(), (piece) => Buffer.from(piece))),
      INDEX_MODE,
    );
  }

  /** Lists all damage among the objects; see verify-objects.ts. */
  verifyObjects(options: VerifyOptions): Promise<readonly ObjectProblem[]> {
    return verifyObjects(this.#files, options);
  }
}
